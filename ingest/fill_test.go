package ingest_test

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
)

// Missing values are filled with the mean of the others, in units of the vector, so they are 0 in
// standardized columns. Complete rows are unchanged.
func TestFillIsTheMean(t *testing.T) {
	for _, standardize := range []bool{false, true} {
		m := ingest.Mapping{Fill: true, Standardize: standardize}
		d, err := mapped(t, "holes.csv", "a,b,c", m)
		if err != nil {
			t.Fatal(err)
		}
		m.Fill, m.Drop = false, true
		whole, err := mapped(t, "holes.csv", "a,b,c", m)
		if err != nil {
			t.Fatal(err)
		}
		if d.X.Rows != 96 || whole.X.Rows+whole.Dropped != 96 || whole.Dropped != 22 {
			t.Fatalf("%d rows, and without holes %d and %d", d.X.Rows, whole.X.Rows, whole.Dropped)
		}
		if len(d.Holes) != 2 || d.Holes[0] != (ingest.Hole{Column: "a", Rows: 14}) || d.Holes[1] != (ingest.Hole{Column: "b", Rows: 9}) {
			t.Errorf("holes %v", d.Holes)
		}
		for k, hole := range []func(i int) bool{func(i int) bool { return i%7 == 2 }, func(i int) bool { return i%11 == 4 }} {
			sum, n, filled := 0.0, 0, math.NaN()
			for i := range d.X.Rows {
				if v := float64(d.X.Row(i)[k]); hole(i) {
					filled = v
				} else {
					sum, n = sum+v, n+1
				}
			}
			if mean := sum / float64(n); math.Abs(filled-mean) > 1e-6 || standardize && filled != 0 {
				t.Errorf("standardize %v: column %d is filled with %v, its mean is %v", standardize, k, filled, mean)
			}
		}
	}
}

// Missing categories are filled with their shares, a cyclic column with its mean, and a list with
// the means of its elements.
func TestFillOfEveryKind(t *testing.T) {
	path := tempFile(t, "x.jsonl", []byte(`{"c": "u", "at": "2024-01-01 06:00", "v": [1, 2]}
{"c": "w", "at": "2024-01-01 12:00", "v": [3, null]}
{"c": "u", "at": null, "v": [2, 4]}
{"c": null, "at": "2024-01-02 06:00", "v": [6, 6]}
`))
	read := func(m ingest.Mapping) *ingest.Dataset {
		m.Fill = true
		d, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: m})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := read(ingest.Mapping{Columns: parse(t, "c:weight=3,at:cyclic=24h")})
	near(t, d.X.Row(3)[:3], 2, 1, 0)
	near(t, d.X.Row(2)[3:], -1./3, 2./3)
	near(t, read(ingest.Mapping{Vector: "v"}).X.Row(1), 3, 4)
	if _, err := mapped(t, "holes.csv", "a,b", ingest.Mapping{}); err == nil || !strings.Contains(err.Error(), "the value is missing") {
		t.Errorf("without a wish for it: error %v", err)
	}
}

func near(t *testing.T, got []float32, want ...float64) {
	t.Helper()
	for k := range want {
		if len(got) != len(want) || math.Abs(float64(got[k])-want[k]) > 1e-6 {
			t.Errorf("%v, expected %v", got, want)
			return
		}
	}
}

// Dropped rows drop their labels, too. Errors name the rows of the file.
func TestDropKeepsLabelsAndRows(t *testing.T) {
	labels := tempFile(t, "labels.csv", []byte("label\n"+strings.Repeat("p\nq\n", 48)))
	d, err := ingest.ReadAll(context.Background(), []string{filepath.Join(tables, "holes.csv")}, ingest.ReadOptions{
		Mapping: ingest.Mapping{Columns: parse(t, "a"), Drop: true}, LabelFiles: []string{labels}})
	if err != nil {
		t.Fatal(err)
	}
	// Rows 2, 9, 16, ... have no value in a.
	if len(d.Label) != 82 || d.Label[1] != "q" || d.Label[2] != "q" || d.Label[3] != "p" {
		t.Errorf("%d labels: %v", len(d.Label), d.Label[:5])
	}
	path := tempFile(t, "bad.csv", []byte("a,b\n1,2\n,3\n4,1e300\n5,6\n7,8\n"))
	_, err = ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Columns: parse(t, "a,b"), Drop: true}})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), `row 3 (line 4), column "b": the value is 1e+300`) {
		t.Errorf("error %v", err)
	}
	none := tempFile(t, "none.csv", []byte("a,b\n1,\n,3\n"))
	_, err = ingest.ReadAll(context.Background(), []string{none}, ingest.ReadOptions{Mapping: ingest.Mapping{Columns: parse(t, "a,b"), Drop: true}})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), "there are no rows without a missing value") {
		t.Errorf("error %v", err)
	}
}
