package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// scoresOf returns the report of a fit of rows in four groups.
func scoresOf(t *testing.T, flags ...string) (r report) {
	t.Helper()
	must(t, append([]string{"-q", "fit", "rows.csv", "--columns", "a,b,c", "--label", "group", "--steps", "5", "-o", "m.unfold", "--report", "r.json"}, flags...)...)
	text, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	decode(t, string(text), &r)
	return r
}

// A report scores a sample of many rows and marks that. Each estimate is within four standard
// errors of the exact figure.
func TestReportScores(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows strings.Builder
	rows.WriteString("a,b,c,group\n")
	r := rand.New(rand.NewPCG(1, 7))
	const n = 2500
	for i := range n {
		fmt.Fprintf(&rows, "%.4f,%.4f,%.4f,%d\n", float64(i%4)+r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), i%4)
	}
	write(t, "rows.csv", rows.String())

	some, all := scoresOf(t), scoresOf(t, "--report-exact")
	if some.RankedRows != mostRanked || some.LabelledRows != n || some.Errors == nil {
		t.Fatalf("by default: %d ranked, %d labelled, errors %v", some.RankedRows, some.LabelledRows, some.Errors)
	}
	if all.RankedRows != n || all.LabelledRows != n || all.Errors != nil {
		t.Fatalf("exactly: %d ranked, %d labelled, errors %v", all.RankedRows, all.LabelledRows, all.Errors)
	}
	if *some.LOO1 != *all.LOO1 || some.Errors.LOO1 != nil {
		t.Errorf("accuracies %v and %v of the same rows", *some.LOO1, *all.LOO1)
	}
	for name, c := range map[string][3]*float64{
		"trustworthiness": {some.Trustworthiness, all.Trustworthiness, some.Errors.Trustworthiness},
		"continuity":      {some.Continuity, all.Continuity, some.Errors.Continuity},
	} {
		if off, e := math.Abs(*c[0]-*c[1]), *c[2]; !(e > 0 && e < 0.05) || off > 4*e {
			t.Errorf("%s of a sample is %g, of all rows %g, its standard error %g", name, *c[0], *c[1], e)
		}
	}
}

// The sample for ranking is smaller if there are more rows.
func TestRankedRows(t *testing.T) {
	f := &fitRun{fitCmd: &fitCmd{}}
	for n, want := range map[int]int{500: 1000, 20_000: 1000, 70_000: 285, 1_000_000: 100, 10_000_000: 100} {
		if got := f.ranked(n); got != want {
			t.Errorf("of %d rows %d are ranked, want %d", n, got, want)
		}
	}
	f.Exact = true
	if f.ranked(70_000) >= 0 || f.classified() >= 0 {
		t.Error("a sample where all rows are asked for")
	}
}
