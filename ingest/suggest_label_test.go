package ingest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
)

// publicTable is the head of a public table, and its label as its documentation has it: what is to be
// predicted, or names the groups. Columns are "NAME=KIND": f and i are numbers, b booleans, id numbers
// of rows, t3 text of 3 values, d3 dates of 3 values.
type publicTable struct {
	Table, Of, Label string
	Rows             int
	Columns          []string
}

func publicTables(t *testing.T) (out []publicTable) {
	t.Helper()
	text, err := os.ReadFile("testdata/labels.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var p publicTable
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// text returns a table with such columns.
func (p publicTable) text(r *rand.Rand) string {
	lines := make([][]string, p.Rows+1)
	for _, column := range p.Columns {
		at := strings.LastIndexByte(column, '=')
		kind, values := column[at+1:], 1
		if n, err := strconv.Atoi(kind[1:]); err == nil {
			kind, values = kind[:1], min(n, p.Rows)
		}
		lines[0] = append(lines[0], `"`+column[:at]+`"`)
		for row := range p.Rows {
			value := map[string]any{"f": r.NormFloat64(), "i": r.IntN(100), "b": row%2 == 0, "id": row,
				"t": fmt.Sprintf("v%d", row%values), "d": fmt.Sprintf("2020-01-%02d", 1+row%values)}[kind]
			lines[row+1] = append(lines[row+1], fmt.Sprint(value))
		}
	}
	var out strings.Builder
	for _, l := range lines {
		fmt.Fprintln(&out, strings.Join(l, ","))
	}
	return out.String()
}

// The label is guessed as the documentation of public tables has it, and none where a table has none.
// The guess is said, with the flags that use the column instead.
func TestLabelsOfPublicTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 61))
	tables := publicTables(t)
	var wrong []string
	for _, p := range tables {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, []byte(p.text(r)), 0o600); err != nil {
			t.Fatal(err)
		}
		m, settings, err := ingest.Suggest(t.Context(), path, ingest.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", p.Table, err)
			continue
		}
		if m.Label != p.Label {
			wrong = append(wrong, fmt.Sprintf("%s of %s: %q, not %q", p.Table, p.Of, m.Label, p.Label))
		}
		why := ""
		for _, s := range settings {
			why += s.Why
		}
		if (m.Label != "") != strings.Contains(why, "to have it there: --columns '") {
			t.Errorf("%s: the label %q, with the note %q", p.Table, m.Label, why)
		}
		for _, c := range m.Columns {
			if c.Name == m.Label {
				t.Errorf("%s: the label %q is in the vectors, too", p.Table, m.Label)
			}
		}
	}
	if 10*len(wrong) > len(tables) {
		t.Errorf("%d of %d labels are wrong:\n%s", len(wrong), len(tables), strings.Join(wrong, "\n"))
	}
	t.Logf("%d of %d labels are not the documentation's: %s", len(wrong), len(tables), strings.Join(wrong, "; "))
}

// Sentences are no ids.
func TestFreeTextIsNoID(t *testing.T) {
	var text strings.Builder
	fmt.Fprintln(&text, "review,serial,a,b")
	for i := range 40 {
		fmt.Fprintf(&text, "the %d. film is good,s%d,%d,%d\n", i, i, i*i%7, i%5)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "*"}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []ingest.Left{{"review", "free text, whose words NAME:tokens=64 takes"}, {"serial", "an id: text, every value once"}}
	if fmt.Sprint(d.Left) != fmt.Sprint(want) {
		t.Errorf("left out: %v, want %v", d.Left, want)
	}
}

// A table whose rows are all alike is named for that, not for having no vectors.
func TestRowsThatAreAllAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("a,b\n"+strings.Repeat("1,x\n", 30)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := ingest.Suggest(t.Context(), path, ingest.ReadOptions{})
	const want = "nothing in it tells rows apart: columns a, b are the same in all 30 rows; a map needs columns whose values differ"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// Rows of 0 and 1 have no means, so a gap is not to be filled with one.
func TestGapsUnderHamming(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("a,b\nx,1\ny,\nx,0\ny,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := ingest.Mapping{Metric: ingest.Hamming, Columns: []ingest.ColumnSpec{{Name: "a"}, {Name: "b"}}}
	_, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: m})
	if err == nil || !strings.Contains(err.Error(), `row 2 (line 3), column "b": the value is missing`) || strings.Contains(err.Error(), "mean") || !strings.Contains(err.Error(), "missing drop") {
		t.Errorf("error %v", err)
	}
}

// No label is guessed for rows that have labels: a column of categories stays in the vectors.
func TestCategoriesOfLabelledRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	var text strings.Builder
	fmt.Fprintln(&text, "age,fare,sex,survived")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,%d,%s,%d\n", i*7%11, i*5%13, []string{"f", "m"}[i%2], i*3%7%2)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	by := func(s ingest.Selection) ingest.ReadOptions {
		return ingest.ReadOptions{Mapping: ingest.Mapping{Selection: s}}
	}
	for what, c := range map[string]struct {
		o     ingest.ReadOptions
		flags string
	}{
		"no label is named":   {by(ingest.Selection{}), "--columns '*' --label sex"},
		"a label is named":    {by(ingest.Selection{Label: "survived"}), "--columns '*,sex' --standardize"},
		"labels of a file":    {ingest.ReadOptions{LabelFiles: []string{"y.npy"}}, "--columns '*,sex' --standardize"},
		"the category passes": {by(ingest.Selection{Keep: []string{"sex"}}), "--columns '*'"},
		"the category labels": {by(ingest.Selection{Label: "sex"}), "--columns '*'"},
	} {
		_, settings, err := ingest.Suggest(t.Context(), path, c.o)
		if flags := ingest.Flags(settings); err != nil || flags != c.flags {
			t.Errorf("%s: %q, %v, want %q", what, flags, err, c.flags)
		}
	}
}

// With --missing error, missing values are errors.
func TestGapsThatAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("a,b\n"+strings.Repeat("1,2\n3,\n2,5\n", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	for strict, flags := range map[bool]string{false: "--columns '*' --missing mean", true: "--columns '*'"} {
		m, settings, err := ingest.Suggest(t.Context(), path, ingest.ReadOptions{Mapping: ingest.Mapping{Strict: strict}})
		if got := ingest.Flags(settings); err != nil || got != flags || m.Fill == strict {
			t.Errorf("strict %v: %q, filled %v, %v, want %q", strict, got, m.Fill, err, flags)
		}
	}
}
