package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
	"unfold/models/fit"
)

// All of scipy's sparse formats give the same model, to the byte. It places rows of a numpy array
// like rows of the sparse matrix, with either metric.
func TestSparseFilesGiveOneModel(t *testing.T) {
	tier.Full(t, "it learns many maps")
	atTables(t)
	for _, metric := range []string{"euclidean", "cosine", "hellinger"} {
		t.Run(metric, func(t *testing.T) {
			var want, placed string
			for _, file := range []string{"words.npz", "words-csc.npz", "words-coo.npz", "words.mtx.gz"} {
				must(t, "-q", "fit", file, "--metric", metric, "--pca", "30", "--steps", "10", "-o", "m.unfold")
				if want == "" {
					want = contentsOf(t, "m.unfold")
				} else if contentsOf(t, "m.unfold") != want {
					t.Errorf("the model of %s is another than that of words.npz", file)
				}
			}
			for _, file := range []string{"words-full.npz:x", "words.npz", "words.mtx.gz"} {
				must(t, "-q", "embed", file, "-m", "m.unfold", "-o", "places.csv")
				if placed == "" {
					placed = contentsOf(t, "places.csv")
				} else if contentsOf(t, "places.csv") != placed {
					t.Errorf("the places of %s are others than those of the array", file)
				}
			}
		})
	}
}

// The report describes the projection of sparse rows. --dry-run and inspect describe the rows.
func TestSparseIsReported(t *testing.T) {
	atTables(t)
	must(t, "-q", "fit", "words.npz", "--metric", "cosine", "--steps", "10", "-o", "m.unfold", "--report", "r.json")
	var report struct {
		N, Dim, Unique  int
		Search          string
		Recall          float64 `json:"search_recall"`
		Sparse          *fit.Truncated
		Trustworthiness *float64
	}
	if err := json.Unmarshal([]byte(contentsOf(t, "r.json")), &report); err != nil {
		t.Fatal(err)
	}
	s := report.Sparse
	if report.N != 132 || report.Dim != 1125 || report.Search != "exact" || report.Recall != 1 || report.Trustworthiness == nil ||
		s == nil || s.Entries != 7476 || s.Components != 100 || !(s.Share > 0.9 && s.Share < 1) || s.Recall == nil || !(*s.Recall > 0.8) {
		t.Errorf("the report says\n%s", contentsOf(t, "r.json"))
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fit", "words.npz", "--dry-run"}, "vectors      1,125 values, sparse, with 56.6 values a row that are not 0, projected onto 100 principal components\n"},
		{[]string{"fit", "words.npz", "--dry-run"}, "\ntime         about "},
		{[]string{"inspect", "words.mtx.gz"}, "the rows are sparse, with 56.6 values a row that are not 0\n"},
		{[]string{"inspect", "m.unfold"}, "projection        100 principal components\n"},
		{[]string{"update", "m.unfold", "words-coo.npz", "-o", "next.unfold"}, "132 rows came"},
		{[]string{"score", "m.csv", "--data", "words.npz", "--metric", "cosine"}, "against the data"},
		{[]string{"clusters", "words.npz", "--metric", "cosine", "--min-size", "5"}, "132 points in 1,125 dimensions"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			if c.args[0] == "score" {
				must(t, "-q", "embed", "words.npz", "-m", "m.unfold", "-o", "m.csv")
			}
			if out := must(t, c.args...); !strings.Contains(out, c.want) {
				t.Errorf("it says\n%s\nexpected %s", out, c.want)
			}
		})
	}
}

// Flags that conflict with sparse rows are rejected before the rows are read.
func TestSparseFlags(t *testing.T) {
	atTables(t)
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no components", []string{"--pca", "none"}, exitBadInput, "pca is none, but sparse rows are learnt in components"},
		{"too many components", []string{"--pca", "2000"}, exitUsage, "2000 principal components of 1,125 values"},
		{"a metric that fills", []string{"--metric", "correlation"}, exitBadInput, "choose the metric cosine, hellinger or euclidean"},
		{"standardized", []string{"--standardize"}, exitBadInput, "cannot be standardized and stay sparse"},
		{"too little memory", []string{"--memory", "30MB"}, exitFailed, "give --memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := run(t, append([]string{"fit", "words.npz", "-o", "m.unfold"}, c.args...)...)
			if code != c.code || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d: %s, expected %d and %s", code, stderr, c.code, c.want)
			}
		})
	}
}

// A narrow sparse matrix gives the same model as its dense rows, to the byte, because projection
// gains nothing.
func TestNarrowMatrixIsFilled(t *testing.T) {
	atTables(t)
	var matrix, rows strings.Builder
	matrix.WriteString("%%MatrixMarket matrix coordinate integer general\n% 30 rows\n30 3 60\n")
	rows.WriteString("[")
	for i := range 30 {
		fmt.Fprintf(&matrix, "%d %d %d\n%d 3 %d\n", i+1, 1+i%2, i*i, i+1, 1+i)
		row := [3]int{2: 1 + i}
		row[i%2] = i * i
		fmt.Fprintf(&rows, "{\"vector\": [%d, %d, %d]},", row[0], row[1], row[2])
	}
	write(t, "narrow.mtx", matrix.String())
	write(t, "narrow.json", strings.TrimSuffix(rows.String(), ",")+"]")
	var models [2]string
	for i, file := range []string{"narrow.mtx", "narrow.json"} {
		if out := must(t, "fit", file, "--dry-run"); strings.Contains(out, "sparse") {
			t.Errorf("%s: it says\n%s", file, out)
		}
		must(t, "-q", "fit", file, "-o", "m.unfold", "--steps", "5")
		models[i] = contentsOf(t, "m.unfold")
	}
	if models[0] != models[1] {
		t.Error("the model of the matrix is another than that of its rows")
	}
}
