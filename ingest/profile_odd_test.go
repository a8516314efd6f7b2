package ingest_test

import (
	"slices"
	"testing"

	"unfold/ingest"
	"unfold/ingest/csv"
)

// A column of numbers and one word is described as such, although its values are distinct like ids.
func TestProfileNamesTheWordAmongNumbers(t *testing.T) {
	content := "a,b\n"
	for _, v := range []string{"0.5", "1.5", "n.7", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5", "8.5", "9.5", "0.25"} {
		content += v + "," + v[2:] + ".5\n"
	}
	r := openText(t, content, csv.Options{})
	defer r.Close()
	p, err := ingest.ReadProfile(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (ingest.Left{Column: "a", Why: `11 of 12 values are numbers, "n.7" is not`}); !slices.Contains(p.Left, want) {
		t.Errorf("left out: %v, want %v", p.Left, want)
	}
}
