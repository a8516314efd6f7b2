package ingest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"pgregory.net/rapid"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/bridge"
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

// sparseArray returns a record with one column of the given type. values are its values in JSON.
func sparseArray(t rapid.TB, dt arrow.DataType, values string) arrow.Record {
	a, _, err := array.FromJSON(table.Heap, dt, strings.NewReader(values))
	if err != nil {
		t.Fatalf("%s: %v", values, err)
	}
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "terms", Type: dt, Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
}

// streamOf returns a record as an Arrow stream.
func streamOf(t rapid.TB, rec arrow.Record) []byte {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parquetOf returns a record as a Parquet file with the given number of rows per group.
func parquetOf(t rapid.TB, rec arrow.Record, group int64) []byte {
	var b bytes.Buffer
	batch, err := bridge.NewRecord(rec)
	if err != nil {
		t.Fatal(err)
	}
	tbl := array18.NewTableFromRecords(batch.Schema(), []arrow18.RecordBatch{batch})
	if err := pqarrow.WriteTable(tbl, &b, group, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shape is a form of sparse columns; row returns a row of it for JSON.
type shape struct {
	name string
	of   func(index, value arrow.DataType) arrow.DataType
	row  func(r drawnRow) any
	// sized is true if rows contain the length of their vectors.
	sized bool
}

// drawnRow is a row: its entries in the order of the column, and the full vector.
type drawnRow struct {
	index []int
	value []float64
	full  []float64
}

func entryStruct(index, value arrow.DataType) arrow.DataType {
	return arrow.StructOf(arrow.Field{Name: "value", Type: value, Nullable: true}, arrow.Field{Name: "index", Type: index, Nullable: true})
}

func pairsBy(index, value string) func(drawnRow) any {
	return func(r drawnRow) any {
		out := []map[string]any{}
		for p := range r.index {
			out = append(out, map[string]any{index: r.index[p], value: r.value[p]})
		}
		return out
	}
}

var shapes = []shape{
	{name: "list", of: func(i, v arrow.DataType) arrow.DataType { return arrow.ListOf(entryStruct(i, v)) }, row: pairsBy("index", "value")},
	{name: "large list", of: func(i, v arrow.DataType) arrow.DataType { return arrow.LargeListOf(entryStruct(i, v)) }, row: pairsBy("index", "value")},
	{name: "map", of: func(i, v arrow.DataType) arrow.DataType { return arrow.MapOf(i, v) }, row: pairsBy("key", "value")},
	{name: "lists", of: func(i, v arrow.DataType) arrow.DataType {
		return arrow.StructOf(arrow.Field{Name: "indices", Type: arrow.ListOf(i), Nullable: true}, arrow.Field{Name: "values", Type: arrow.ListOf(v), Nullable: true})
	}, row: func(r drawnRow) any { return map[string]any{"indices": r.index, "values": r.value} }},
	{name: "Spark", sized: true, of: func(i, v arrow.DataType) arrow.DataType {
		return arrow.StructOf(arrow.Field{Name: "type", Type: arrow.PrimitiveTypes.Int8}, arrow.Field{Name: "size", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
			arrow.Field{Name: "indices", Type: arrow.ListOf(i), Nullable: true}, arrow.Field{Name: "values", Type: arrow.ListOf(v), Nullable: true})
	}, row: func(r drawnRow) any {
		if len(r.index)%2 == 1 {
			return map[string]any{"type": 1, "size": nil, "indices": nil, "values": r.full}
		}
		return map[string]any{"type": 0, "size": len(r.full), "indices": r.index, "values": r.value}
	}},
}

// Each form, with any types, in Arrow and Parquet, in one file or in two of different lengths,
// equals the same matrix in Matrix Market's format, bit for bit.
func TestSparseShapesAreOneMatrix(t *testing.T) {
	dir := t.TempDir()
	whole := []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom(shapes).Draw(rt, "shape")
		index := rapid.SampledFrom(whole).Draw(rt, "index")
		value := rapid.SampledFrom(append(whole[2:5:5], arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64)).Draw(rt, "value")
		m, n := rapid.IntRange(1, 40).Draw(rt, "columns"), rapid.IntRange(1, 12).Draw(rt, "rows")
		values := rapid.Map(rapid.IntRange(0, 9), func(v int) float64 { return float64(v) })
		if arrow.IsFloating(value.ID()) {
			values = rapid.Map(rapid.Float32Range(-100, 100), func(v float32) float64 { return float64(v) })
		}
		var rows []any
		var entries []string
		for i := range n {
			r := drawnRow{index: rapid.SliceOfNDistinct(rapid.IntRange(0, m-1), 0, m, rapid.ID[int]).Draw(rt, "indices"), value: []float64{}, full: make([]float64, m)}
			if i == 0 && !slices.Contains(r.index, m-1) { // determines the length if nothing else does
				r.index = append(r.index, m-1)
			}
			for _, j := range r.index {
				r.full[j] = values.Draw(rt, "value")
				r.value = append(r.value, r.full[j])
				entries = append(entries, fmt.Sprintf("%d %d %v\n", i+1, j+1, r.full[j]))
			}
			rows = append(rows, s.row(r))
		}
		market := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n%s", n, m, len(entries), strings.Join(entries, ""))
		if err := os.WriteFile(filepath.Join(dir, "m.mtx"), []byte(market), 0o644); err != nil {
			rt.Fatal(err)
		}
		// A matrix of one column is filled, like all that are not wider than the limit.
		want, err := ingest.ReadAll(t.Context(), []string{filepath.Join(dir, "m.mtx")}, ingest.ReadOptions{Sparse: 1})
		if err != nil {
			rt.Fatal(err)
		}
		cut := rapid.IntRange(0, n).Draw(rt, "cut")
		group := rapid.Int64Range(1, 5).Draw(rt, "group")
		batch := rapid.IntRange(1, 7).Draw(rt, "batch")
		for _, format := range []string{"arrows", "parquet", "jsonl"} {
			if format == "jsonl" && s.name != "list" {
				continue
			}
			parts := [][]any{rows[:cut], rows[cut:]}
			if format == "jsonl" { // the type of empty lists alone is unknown
				parts = [][]any{rows}
			}
			var paths []string
			for k, part := range parts {
				text, err := json.Marshal(part)
				if err != nil {
					rt.Fatal(err)
				}
				if len(part) == 0 {
					continue
				}
				rec := sparseArray(rt, s.of(index, value), string(text))
				content := streamOf(rt, rec)
				if format == "parquet" {
					if s.name == "large list" { // the library cannot write them
						rec = sparseArray(rt, shapes[0].of(index, value), string(text))
					}
					content = parquetOf(rt, rec, group)
				}
				if format == "jsonl" {
					content = nil
					for _, row := range part {
						line, err := json.Marshal(map[string]any{"terms": row})
						if err != nil {
							rt.Fatal(err)
						}
						content = append(append(content, line...), '\n')
					}
				}
				path := filepath.Join(dir, fmt.Sprintf("%d.%s", k, format))
				if err := os.WriteFile(path, content, 0o644); err != nil {
					rt.Fatal(err)
				}
				paths = append(paths, path)
			}
			got, err := ingest.ReadAll(t.Context(), paths, ingest.ReadOptions{Sparse: 1, Options: ingest.Options{BatchRows: batch}})
			if err != nil {
				rt.Fatalf("%s of %s, %s: %v", format, s.name, rows, err)
			}
			if m == 1 {
				if got.Sparse != nil || !slices.Equal(got.X.Data, want.X.Data) {
					rt.Fatalf("%s of %s: %v, want %v", format, s.name, got.X.Data, want.X.Data)
				}
				continue
			}
			g, w := got.Sparse, want.Sparse
			if !reflect.DeepEqual(g.RawMatrix(), w.RawMatrix()) {
				rt.Fatalf("%s of %s: %+v, want %+v", format, s.name, g.RawMatrix(), w.RawMatrix())
			}
		}
	})
}

// oddShapes are inconsistent rows, with the expected error as key.
var oddShapes = map[string]struct {
	shape int
	rows  string
}{
	"the vector is of type 2, not 0 (sparse) or 1 (in full)":               {4, `[{"type": 2, "size": 3, "indices": [0], "values": [1]}]`},
	"the vector has 2 indices and 1 values":                                {4, `[{"type": 0, "size": 3, "indices": [0, 1], "values": [1]}]`},
	"the vector's size is -3":                                              {4, `[{"type": 0, "size": -3, "indices": [0], "values": [1]}]`},
	"index 3 of the vector is beyond its 3 elements":                       {4, `[{"type": 0, "size": 3, "indices": [3], "values": [1]}]`},
	"the vector has 2000000 elements, more than 1048576":                   {4, `[{"type": 0, "size": 2000000, "indices": [3], "values": [1]}]`},
	"the vector has 4 elements, 3 are expected":                            {4, `[{"type": 0, "size": 3, "indices": [0], "values": [1]}, {"type": 1, "values": [1, 2, 3, 4]}]`},
	"the vector has 1 indices and 0 values":                                {3, `[{"indices": [0]}]`},
	"the vector is null":                                                   {3, `[null]`},
	"element 1 of the vector is 1e+39":                                     {0, `[[{"index": 1, "value": 1e39}]]`},
	"an entry of the vector has no index":                                  {0, `[[{"value": 1}]]`},
	"the vectors are empty":                                                {0, `[[]]`},
	"index 2147483647 of the vector is too large; vectors have at most":    {2, `[[{"key": 2147483647, "value": 1}]]`},
	"index 5 comes twice in the vector; add its values, or keep one of th": {2, `[[{"key": 5, "value": 1}, {"key": 5, "value": 1}]]`},
}

// Inconsistent rows are errors, in Arrow and in Parquet.
func TestSparseColumnsThatLie(t *testing.T) {
	for want, c := range oddShapes {
		t.Run(want, func(t *testing.T) {
			rec := sparseArray(t, shapes[c.shape].of(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64), c.rows)
			for _, content := range [][]byte{streamOf(t, rec), parquetOf(t, rec, 10)} {
				path := filepath.Join(t.TempDir(), "x")
				if err := os.WriteFile(path, content, 0o644); err != nil {
					t.Fatal(err)
				}
				_, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Sparse: 1})
				if !table.IsBadInput(err) || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %s", err, want)
				}
			}
		})
	}
}

// sparseSeeds returns small files with sparse columns.
func sparseSeeds(t testing.TB) map[string][]byte {
	seeds := map[string][]byte{}
	for _, name := range []string{"odd-sizes.parquet", "odd-entries.parquet"} {
		b, err := os.ReadFile(foreignTable(name))
		if err != nil {
			t.Fatal(err)
		}
		seeds[name] = b
	}
	for _, s := range shapes {
		rows := `[[{"index": 2, "key": 2, "value": 1}, {"index": 0, "key": 0, "value": 3}], [], null, [{"index": 1, "key": 1, "value": 4}]]`
		if s.name == "lists" || s.sized {
			rows = `[{"type": 0, "size": 3, "indices": [2, 0], "values": [1, 3]}, null, {"type": 0, "size": 3, "indices": [1], "values": [4]}]`
		}
		rec := sparseArray(t, s.of(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64), rows)
		if seeds[s.name+".arrows"] = streamOf(t, rec); s.name != "large list" {
			seeds[s.name+".parquet"] = parquetOf(t, rec, 2)
		}
	}
	return seeds
}

// readSparse reads every vector column in a file's schema, both sparse and full. Errors must be
// about the input.
func readSparse(t testing.TB, path string) (read bool) {
	names := []string{""}
	r, err := ingest.Open(t.Context(), path, ingest.Options{Memory: 64 << 20})
	if err == nil {
		names = r.Schema().Of(table.SparseVector)
		r.Close()
	}
	for _, name := range names {
		for _, bound := range []int{0, 1} {
			o := ingest.ReadOptions{Mapping: ingest.Mapping{Vector: name, Drop: true}, Sparse: bound, Options: ingest.Options{Memory: 64 << 20}}
			d, err := ingest.ReadAll(t.Context(), []string{path}, o)
			switch {
			case err == nil:
				if read = true; d.Sparse != nil && d.Sparse.Own().Validate() != nil {
					t.Fatal(d.Sparse.Own().Validate())
				}
			case !table.IsBadInput(err):
				t.Fatal(err)
			}
		}
	}
	return read
}

// A damaged file of sparse vectors leads to an error about the input, or to valid rows.
func TestSparseColumnsSurviveMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	path := filepath.Join(t.TempDir(), "x.bin")
	read, refused := 0, 0
	seeds := sparseSeeds(t)
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		for range 60 {
			if err := os.WriteFile(path, ingesttest.Mutate(seeds[name], rng), 0o644); err != nil {
				t.Fatal(err)
			}
			if readSparse(t, path) {
				read++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d read, %d refused", read, refused)
	if read == 0 || refused == 0 {
		t.Error("the damage does not separate good from bad")
	}
}

func FuzzSparseColumns(f *testing.F) {
	for _, b := range sparseSeeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "x.bin")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		readSparse(t, path)
	})
}
