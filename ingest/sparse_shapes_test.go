package ingest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	"unfold/ingest/bridge"
	"unfold/ingest/table"
)

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
