package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/sparse"
)

// sparseColumns are the files with the rows of words.npz in a column of sparse vectors.
var sparseColumns = []string{"words-pyarrow.arrow", "words-pyarrow.parquet", "words-map.arrow", "words-map.parquet", "words-polars.arrow", "words-polars.parquet",
	"words-lists.parquet", "words-pandas.parquet", "words-pandas.jsonl.zst", "words-spark.parquet"}

// sameMatrix fails if two matrices are not equal bit for bit.
func sameMatrix(t testing.TB, got, want *sparse.Rows) {
	t.Helper()
	if got == nil {
		t.Fatal("the rows are filled")
	}
	if err := got.Own().Validate(); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.RawMatrix(), want.RawMatrix()) {
		t.Fatalf("%d x %d with %d values, want %d x %d with %d, or these in other places", got.N(), got.M(), got.NNZ(), want.N(), want.M(), want.NNZ())
	}
}

// Columns of sparse vectors from any writer contain the matrix that scipy wrote, together with the
// passed columns, both full and sparse.
func TestSparseColumnsAreTheMatrix(t *testing.T) {
	for _, m := range []ingest.Mapping{{}, {Metric: ingest.Cosine, Log1p: true}} {
		want := readFull(t, foreignTable("words.npz"), ingest.ReadOptions{Mapping: m, Sparse: 1}).Sparse
		m.ID, m.Label, m.Keep = "row", "row", []string{"terms"}
		for _, file := range sparseColumns {
			t.Run(fmt.Sprint(file, m.Metric), func(t *testing.T) {
				as := readFull(t, foreignTable(file), ingest.ReadOptions{Mapping: m, Sparse: 1, Options: ingest.Options{BatchRows: 17}})
				sameMatrix(t, as.Sparse, want)
				if as.Len() != 132 || as.ID.Text(131) != "131" || as.Label[130] != "130" || as.Kept[0].Len() != 132 {
					t.Errorf("%d rows, the last with id %s and label %s", as.Len(), as.ID.Text(131), as.Label[130])
				}
				sameRows(t, "in full", readFull(t, foreignTable(file), ingest.ReadOptions{Mapping: m}).X, filled(want))
			})
		}
	}
}

// Readers of files with sparse columns pass the conformance suite.
func TestSparseColumnReaders(t *testing.T) {
	for _, file := range sparseColumns {
		t.Run(file, func(t *testing.T) {
			ingesttest.TestReader(t, func(o ingest.Options) (table.Reader, error) { return ingest.Open(t.Context(), foreignTable(file), o) }, 132)
		})
	}
}

// The profile of a sparse column equals that of the matrix, except for rows that cannot be read.
func TestSparseColumnProfile(t *testing.T) {
	profile := func(file string) *ingest.Profile {
		r, err := ingest.Open(t.Context(), foreignTable(file), ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		p, err := ingest.ReadProfile(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := profile("words.npz")
	for _, file := range sparseColumns {
		t.Run(file, func(t *testing.T) {
			got := profile(file)
			g, w := got.Columns[1], want.Columns[0]
			if got.Vector != "terms" || *got.Entries != *want.Entries || g.Width != 1125 || g.Min != w.Min || g.Max != w.Max || g.Missing != 0 || g.Problem != nil {
				t.Errorf("%+v of %d values, want %+v of %d", g, *got.Entries, w, *want.Entries)
			}
		})
	}
	for _, c := range profile("odd-entries.parquet").Columns {
		missing, problem := c.Name == "nothing" || c.Name == "hole" || c.Name == "absent", slices.Contains([]string{"absent", "twice", "below", "far"}, c.Name)
		if (c.Missing == 1) != missing || (c.Problem != nil) != problem {
			t.Errorf("column %q: %d missing, problem %v", c.Name, c.Missing, c.Problem)
		}
	}
}

// Errors of a sparse row name the row, the index and what to do.
func TestSparseColumnsRefuse(t *testing.T) {
	for _, c := range []struct {
		name, file string
		mapping    ingest.Mapping
		want       string
	}{
		{"no vector", "odd-entries.parquet", ingest.Mapping{Vector: "nothing"}, `row 2, column "nothing": the vector is null; drop such rows, or write an empty one`},
		{"no value", "odd-entries.parquet", ingest.Mapping{Vector: "hole"}, `row 2, column "hole": element 0 of the vector is null`},
		{"no entry", "odd-entries.parquet", ingest.Mapping{Vector: "absent"}, `row 2, column "absent": an entry of the vector has no index; drop such entries`},
		{"twice", "odd-entries.parquet", ingest.Mapping{Vector: "twice"}, `row 2, column "twice": index 3 comes twice in the vector; add its values`},
		{"below 0", "odd-entries.parquet", ingest.Mapping{Vector: "below"}, `row 2, column "below": index -2 of the vector is below 0; indices count from 0`},
		{"too far", "odd-entries.parquet", ingest.Mapping{Vector: "far"}, `row 2, column "far": index 1099511627776 of the vector is too large; vectors have at most 1048576 elements`},
		{"other names", "odd-entries.parquet", ingest.Mapping{Vector: "other"}, `its type is list<struct<at: int64, weight: float64>>, which is not read; sparse vectors are list<struct<index, value>>`},
		{"other names alone", "others.parquet", ingest.Mapping{}, `there is no vector column; name the columns to use`},
		{"a column that is not read", "others.parquet", ingest.Mapping{}, `column "other" of type list<struct<at: int64, weight: float64>> is not read: sparse vectors are list<struct<index, value>>`},
		{"several", "odd-entries.parquet", ingest.Mapping{}, "there are 6 vector columns; name one of: nothing, hole"},
		{"sizes", "odd-sizes.parquet", ingest.Mapping{}, `row 2, column "terms": the vector has 6 elements, 5 are expected`},
		{"a metric that fills", "words-pandas.parquet", ingest.Mapping{Metric: ingest.Correlation}, "cannot be compared by the metric correlation and stay sparse"},
		{"standardized", "words-pandas.parquet", ingest.Mapping{Standardize: true}, "cannot be standardized and stay sparse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ingest.ReadAll(t.Context(), []string{foreignTable(c.file)}, ingest.ReadOptions{Mapping: c.mapping, Sparse: 1})
			if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, expected %s", err, c.want)
			}
		})
	}
	d := readFull(t, foreignTable("odd-entries.parquet"), ingest.ReadOptions{Mapping: ingest.Mapping{Vector: "nothing", Drop: true}, Sparse: 1})
	if d.Sparse.N() != 2 || d.Dropped != 1 || d.Sparse.NNZ() != 1 {
		t.Errorf("%d rows with %d values, %d dropped", d.Sparse.N(), d.Sparse.NNZ(), d.Dropped)
	}
	d = readFull(t, foreignTable("odd-entries.parquet"), ingest.ReadOptions{Mapping: ingest.Mapping{Vector: "hole", Fill: true}})
	if d.X.Rows != 3 || d.Holes[0].Rows != 1 {
		t.Errorf("%d rows, holes %v", d.X.Rows, d.Holes)
	}
}

// A message may contain sparse vectors of any form. An index beyond the model's vectors is an error
// with the message and the index.
func TestSparseColumnsInMessages(t *testing.T) {
	want := readFull(t, foreignTable("words.npz"), ingest.ReadOptions{})
	e := readFull(t, foreignTable("words-pandas.parquet"), ingest.ReadOptions{}).Encoder
	for _, file := range sparseColumns {
		t.Run(file, func(t *testing.T) {
			r, err := ingest.Open(t.Context(), foreignTable(file), ingest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			first, err := r.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			message, err := arrowfmt.DecodeMessage(streamOf(t, first.Slice(3, 9).Record()), ingesttest.Here(), arrowfmt.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := e.Encode(message)
			if err != nil {
				t.Fatal(err)
			}
			sameRows(t, "the message", b.X, want.X.Slice(3, 9))
		})
	}
	narrow := sparseArray(t, arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float32), `[[{"key": 0, "value": 1}], [{"key": 1125, "value": 1}]]`)
	message, err := arrowfmt.DecodeMessage(streamOf(t, narrow), ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = e.Encode(message); err == nil || !strings.Contains(err.Error(), `topic events, partition 3, offset 41: row 2, column "terms": index 1125 of the vector is beyond its 1125 elements`) {
		t.Error(err)
	}
}

// A list of numbers is the default vector, even if there are sparse vectors.
func TestListsComeBeforeSparseColumns(t *testing.T) {
	rec := sparseArray(t, arrow.StructOf(arrow.Field{Name: "v", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32)},
		arrow.Field{Name: "counts", Type: arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float32)}), `[{"v": [1, 2], "counts": [{"key": 4, "value": 1}]}]`)
	path := filepath.Join(t.TempDir(), "x.arrows")
	if err := os.WriteFile(path, streamOf(t, rec), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, width := range map[string]int{"": 2, "terms.v": 2, "terms.counts": 5} {
		d := readFull(t, path, ingest.ReadOptions{Mapping: ingest.Mapping{Vector: name}})
		if d.X.Cols != width {
			t.Errorf("%q gives vectors of %d elements, want %d", name, d.X.Cols, width)
		}
	}
}
