package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
)

// A column with the name of labels is no part of the vector. Columns that are elements of one array
// are not standardized. Whole numbers with a common largest value, as pixels have, are no counts.
func TestSuggestions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 50))
	plain := func(column, _ int) string { return fmt.Sprint(r.Float64() * float64(1+99*(column%2))) }
	counts := func(column, _ int) string { return fmt.Sprint(r.IntN(3) * r.IntN(40+column)) }
	pixels := func(_, _ int) string { return fmt.Sprint(min(255, r.IntN(2)*r.IntN(400))) }
	names := func(pattern string, n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf(pattern, i)
		}
		return out
	}
	for what, c := range map[string]struct {
		columns []string
		value   func(column, row int) string
		label   string // the last column
		o       ingest.ReadOptions
		want    string
		vector  int // columns of the vector
	}{
		"no label":                {[]string{"a", "b", "c"}, plain, "", ingest.ReadOptions{}, "--columns '*' --standardize", 3},
		"a label":                 {[]string{"a", "b", "c"}, plain, "Target", ingest.ReadOptions{}, "--columns '*' --label Target --standardize", 3},
		"another label is chosen": {[]string{"a", "b", "c"}, plain, "label", ingest.ReadOptions{Mapping: ingest.Mapping{Selection: ingest.Selection{Label: "c"}}}, "--columns '*' --standardize", 3},
		"the label is kept":       {[]string{"a", "b", "c"}, plain, "label", ingest.ReadOptions{Mapping: ingest.Mapping{Selection: ingest.Selection{Keep: []string{"label"}}}}, "--columns '*' --standardize", 3},
		"labels of a file":        {[]string{"a", "b", "c"}, plain, "label", ingest.ReadOptions{LabelFiles: []string{"x"}}, "--columns '*' --standardize", 4},
		"a metric is chosen":      {[]string{"a", "b", "c"}, plain, "label", ingest.ReadOptions{Mapping: ingest.Mapping{Metric: ingest.Cosine}}, "--columns '*' --label label", 3},
		"an array":                {names("x_%d", 9), plain, "class", ingest.ReadOptions{}, "--columns '*' --label class", 9},
		"pixels":                  {names("pixel%d", 30), pixels, "label", ingest.ReadOptions{}, "--columns '*' --label label", 30},
		"counts":                  {names("word%d", 30), counts, "labels", ingest.ReadOptions{}, "--columns '*' --label labels --metric hellinger", 30},
	} {
		var text strings.Builder
		head := c.columns
		if c.label != "" {
			head = append(head, c.label)
		}
		fmt.Fprintln(&text, strings.Join(head, ","))
		for row := range 80 {
			for column := range c.columns {
				fmt.Fprint(&text, c.value(column, row), ",")
			}
			line := fmt.Sprint(row % 3)
			if c.label == "" {
				line = ""
			}
			fmt.Fprintln(&text, line)
		}
		path := filepath.Join(t.TempDir(), "rows.csv")
		rows := text.String()
		if c.label == "" {
			rows = strings.ReplaceAll(rows, ",\n", "\n")
		}
		if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		m, settings, err := ingest.Suggest(t.Context(), path, c.o)
		if words := ingest.Flags(settings); err != nil || words != c.want {
			t.Errorf("%s: %q, %v, want %q", what, words, err, c.want)
			continue
		}
		c.o.Mapping, c.o.LabelFiles = m, nil
		d, err := ingest.ReadAll(t.Context(), []string{path}, c.o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		want := c.vector
		if c.o.Mapping.Label == "c" {
			want = 3 // a, b and the column named label
		}
		if d.X.Cols != want {
			t.Errorf("%s: vectors of %d values, want %d", what, d.X.Cols, want)
		}
	}
}

// Numbers with a sign of percent or a currency are neither labels nor ids nor categories.
func TestNumbersWithUnitsAreNotSuggested(t *testing.T) {
	text := "id,a,b,share,price\n"
	for row := range 60 {
		text += fmt.Sprintf("x%d,%d,%d.5,%d%%,\"$%d,%03d.00\"\n", row, row*row%17, row*7%11, row%9, 1+row, row)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := ingest.ReadProfile(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := ingest.Flags(p.Suggested()); got != "--columns '*' --id id" {
		t.Errorf("suggested %s", got)
	}
	if got := ingest.DescribeLeft(p.Left); !strings.Contains(got, "share, price (numbers with a sign of percent or a currency: write them without)") {
		t.Error(got)
	}
}
