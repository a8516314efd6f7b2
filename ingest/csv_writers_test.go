package ingest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/csv"
)

// Texts of many programs are read with the values that they stand for, by default or with an option
// that the error names. UNFOLD_WRITERS names other cases of csv/testdata/writers.py.
func TestTextsOfManyWriters(t *testing.T) {
	raw, err := os.ReadFile(cmp.Or(os.Getenv("UNFOLD_WRITERS"), "csv/testdata/writers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		dialectCase
		Ext string
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	right, byDefault := 0, 0
	var wrong []string
	for i, c := range cases {
		path := fmt.Sprintf("%s/%d%s", dir, i, c.Ext)
		if err := os.WriteFile(path, c.Text, 0o600); err != nil {
			t.Fatal(err)
		}
		options, err := c.readAsAdvised(path, csv.Options{}, nil)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v\n%s", c.Name, err, c.Text[:min(len(c.Text), 200)]))
			continue
		}
		if right++; len(options) == 0 {
			byDefault++
		}
	}
	t.Logf("%d of %d are read right, %d without an option", right, len(cases), byDefault)
	if 100*right < 99*len(cases) {
		t.Errorf("these are not read right, or with an option that the error names:\n%s", strings.Join(wrong, "\n"))
	}
}

// readAsAdvised reads a text, and with the options that its error names until it is right. It returns
// these options.
func (c *dialectCase) readAsAdvised(path string, o csv.Options, said []string) ([]string, error) {
	tables, schema, err := tablesOf(path, ingest.Options{CSV: o})
	if err == nil {
		err = c.compare(tables, schema)
	}
	if err == nil {
		return said, nil
	}
	columns, _ := ingest.ParseColumns("*")
	_, advice := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Options: ingest.Options{CSV: o}, Mapping: ingest.Mapping{Columns: columns}})
	const most = 4 // options
	if advice == nil || len(said) == most {
		return said, err
	}
	for _, m := range namedOption.FindAllStringSubmatch(advice.Error(), -1) {
		next := withOption(o, m[1], m[2])
		if fmt.Sprint(next) == fmt.Sprint(o) {
			continue
		}
		if said, err := c.readAsAdvised(path, next, append(said, m[0])); err == nil {
			return said, nil
		}
	}
	return said, err
}

// namedOption matches the options of texts that errors name.
var namedOption = regexp.MustCompile(`--(csv-[a-z]+|decimal|encoding|missing-values)( '[^']*'| "[^"]*"| [^ ;,]+| ,)?`)

func withOption(o csv.Options, name, value string) csv.Options {
	value = strings.TrimPrefix(value, " ")
	if len(value) > 2 && (value[0] == '\'' || value[0] == '"') {
		value = value[1 : len(value)-1]
	}
	sign := []rune(value + " ")[0]
	switch name {
	case "decimal":
		o.DecimalComma = true
	case "encoding":
		o.Encoding = value
	case "missing-values":
		o.Missing = append(slices.Clone(o.Missing), value)
	case "csv-thousands":
		o.Thousands = sign
	case "csv-quote":
		if o.Quote = sign; value == "none" {
			o.Quote = csv.NoQuote
		}
	case "csv-escape":
		o.Escape = sign
	case "csv-comment":
		if value != "CHAR" {
			o.Comment = sign
		}
	case "csv-fill":
		o.Fill = true
	case "csv-skip":
		o.Skip++
	case "csv-trim":
		o.Trim = true
	}
	return o
}
