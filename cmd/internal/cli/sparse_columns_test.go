package cli

import (
	"strings"
	"testing"
)

// All writers and forms of a sparse column give the same model, to the byte. It places their rows
// like the rows of scipy's matrix.
func TestSparseColumnsGiveOneModel(t *testing.T) {
	atTables(t)
	var want, placed string
	for _, file := range []string{"words-pyarrow.arrow", "words-pyarrow.parquet", "words-map.arrow", "words-map.parquet", "words-polars.arrow", "words-polars.parquet",
		"words-lists.parquet", "words-pandas.parquet", "words-pandas.jsonl.zst", "words-spark.parquet"} {
		must(t, "-q", "fit", file, "--metric", "cosine", "--pca", "30", "--steps", "10", "-o", "m.unfold")
		if want == "" {
			want = contentsOf(t, "m.unfold")
		} else if contentsOf(t, "m.unfold") != want {
			t.Errorf("the model of %s is another than that of the first", file)
		}
		must(t, "-q", "embed", file, "-m", "m.unfold", "-o", "places.csv")
		if placed == "" {
			placed = contentsOf(t, "places.csv")
		} else if contentsOf(t, "places.csv") != placed {
			t.Errorf("the places of %s are others than those of the first", file)
		}
	}
	must(t, "-q", "embed", "words.npz", "-m", "m.unfold", "--vector", "vector", "-o", "places.csv")
	if contentsOf(t, "places.csv") != placed {
		t.Error("the places of scipy's matrix are others")
	}
}

// The commands describe a sparse column, and accept it like a matrix.
func TestSparseColumnsAreReported(t *testing.T) {
	atTables(t)
	must(t, "-q", "fit", "words-spark.parquet", "--id", "row", "--metric", "cosine", "--steps", "10", "-o", "m.unfold", "--map", "map.parquet")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fit", "words-pandas.parquet", "--dry-run"}, "vectors      1,125 values, sparse, with 56.6 values a row that are not 0, projected onto 100 principal components\n"},
		{[]string{"inspect", "words-spark.parquet"}, "fit takes the vectors in \"terms\"\nthe rows are sparse, with 56.6 values a row that are not 0\nthe vectors in \"terms\" have 1,125 values, of which 95 % are 0\n"},
		{[]string{"inspect", "words-map.arrow", "--json"}, `"width":1125,"entries":7476`},
		{[]string{"inspect", "odd-entries.parquet"}, "fit takes one column of vectors: --vector nothing, or --vector hole"},
		{[]string{"inspect", "odd-entries.parquet"}, `row 2, column "twice": index 3 comes twice in the vector`},
		{[]string{"inspect", "odd-entries.parquet", "--json"}, `index -2 of the vector is below 0; indices count from 0"`},
		{[]string{"inspect", "m.unfold"}, `1,125 values, from the column "terms"`},
		{[]string{"update", "m.unfold", "words-map.arrow", "-o", "next.unfold"}, "132 rows came"},
		{[]string{"score", "map.parquet", "--data", "words-lists.parquet", "--metric", "cosine"}, "against the data"},
		{[]string{"clusters", "words-polars.arrow", "--metric", "cosine", "--min-size", "5"}, "132 points in 1,125 dimensions"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			if out := must(t, c.args...); !strings.Contains(out, c.want) {
				t.Errorf("it says\n%s\nexpected %s", out, c.want)
			}
		})
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"embed", "odd-sizes.parquet"}, `row 1, column "terms": the vector has 5 elements, 1125 are expected`},
		{[]string{"embed", "odd-entries.parquet", "--vector", "far"}, `row 2, column "far": index 1099511627776 of the vector is beyond its 1125 elements`},
		{[]string{"embed", "odd-entries.parquet", "--vector", "other"}, `column "other": there is no such column; the columns are nothing, hole`},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			m := "n.unfold"
			must(t, "-q", "fit", "words-spark.parquet", "--steps", "2", "-o", m)
			code, _, stderr := run(t, append(c.args, "-m", m, "-o", "places.csv")...)
			if code != exitBadInput || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d: %s, expected %s", code, stderr, c.want)
			}
		})
	}
}
