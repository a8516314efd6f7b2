package ingest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/table"
)

// dialectCase is a text with the values that pandas reads from it, written by
// csv/testdata/dialects.py.
type dialectCase struct {
	Name    string
	Text    []byte
	Options struct {
		Missing                            []string
		Escape, Comment, Encoding, Decimal string
		Fill                               bool
	}
	Columns []string
	Values  [][]any
	Header  bool
}

func (c *dialectCase) options() csv.Options {
	one := func(s string) rune {
		for _, r := range s {
			return r
		}
		return 0
	}
	return csv.Options{Missing: c.Options.Missing, Escape: one(c.Options.Escape), Comment: one(c.Options.Comment),
		Encoding: c.Options.Encoding, DecimalComma: c.Options.Decimal == ",", Fill: c.Options.Fill}
}

// A hundred dialects are read with the same values as by pandas, including options that pandas
// needs.
func TestDialectsArePandas(t *testing.T) {
	raw, err := os.ReadFile(cmp.Or(os.Getenv("UNFOLD_DIALECTS"), "csv/testdata/dialects.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []dialectCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	wrong := 0
	for i, c := range cases {
		path := fmt.Sprintf("%s/%d.csv", dir, i)
		if err := os.WriteFile(path, c.Text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.check(path); err != nil {
			wrong++
			t.Errorf("%s: %v\n%s", c.Name, err, c.Text[:min(len(c.Text), 200)])
		}
	}
	t.Logf("%d of %d are as pandas reads them", len(cases)-wrong, len(cases))
}

// check compares a file with the values that pandas reads from it, except for an index.
func (c *dialectCase) check(path string) error {
	tables, schema, err := tablesOf(path, ingest.Options{CSV: c.options()})
	if err != nil {
		return err
	}
	return c.compare(tables, schema)
}

// compare compares a table with the values that are expected, except for an index.
func (c *dialectCase) compare(tables *table.Table, schema table.Schema) error {
	var columns []table.Column
	for i, column := range tables.Columns() {
		if !schema[i].Index {
			columns = append(columns, column)
		}
	}
	if len(columns) != len(c.Values[0]) || tables.Len() != len(c.Values) {
		return fmt.Errorf("%d rows of %d (%v), want %d of %d", tables.Len(), len(columns), schema, len(c.Values), len(c.Values[0]))
	}
	for k, column := range columns {
		if c.Header && strings.TrimSpace(column.Name()) != c.Columns[k] {
			return fmt.Errorf("column %d is %q, want %q", k, column.Name(), c.Columns[k])
		}
		for i, row := range c.Values {
			if !sameValue(column, i, row[k]) {
				return fmt.Errorf("row %d, column %d is %q (%s), want %v", i+1, k, column.Text(i), column.DataType(), row[k])
			}
		}
	}
	return nil
}

// sameValue compares a value with that of pandas.
func sameValue(c table.Column, i int, want any) bool {
	switch want := want.(type) {
	case nil:
		return c.IsNull(i) || c.Text(i) == ""
	case float64:
		v, ok := c.Float(i)
		return ok && math.Abs(v-want) <= 1e-12*math.Abs(want)
	case bool:
		return c.Text(i) == strconv.FormatBool(want)
	case string:
		if v, err := strconv.ParseFloat(want, 64); err == nil && math.IsInf(v, 0) {
			got, _ := c.Float(i)
			return got == v
		}
		return c.Text(i) == want
	}
	return false
}

// tablesOf reads a file as one table.
func tablesOf(path string, o ingest.Options) (*table.Table, table.Schema, error) {
	r, err := ingest.Open(context.Background(), path, o)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var tables []*table.Table
	for t, err := range table.All(context.Background(), r) {
		if err != nil {
			return nil, nil, err
		}
		tables = append(tables, t)
	}
	all, err := table.ConcatTables(tables...)
	return all, r.Schema(), err
}
