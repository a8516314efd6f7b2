package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/bridge"
	"unfold/ingest/ingesttest"
)

// TestOneFrameInThreeFormats writes a frame with numbers, missing numbers, empty text and missing
// text as CSV, Parquet and Arrow. The vectors are equal where missing values are filled or dropped.
func TestOneFrameInThreeFormats(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "kind", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	rb := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	csv := "a,kind\n"
	for i := range 40 {
		kind := []string{"red", "", "blue", "red"}[i%4]
		number := fmt.Sprintf("%d.25", i*i)
		if i == 5 {
			rb.Field(0).AppendNull()
			number = ""
		} else {
			rb.Field(0).(*array.Float64Builder).Append(float64(i*i) + .25)
		}
		if i == 3 {
			rb.Field(1).AppendNull()
			kind = ""
		} else {
			rb.Field(1).(*array.StringBuilder).Append(kind)
		}
		csv += number + "," + kind + "\n"
	}
	rec := rb.NewRecord()
	as, err := bridge.NewRecord(rec)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := pqarrow.NewFileWriter(as.Schema(), &file, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(as)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{tempFile(t, "x.csv", []byte(csv)), tempFile(t, "x.parquet", file.Bytes()), tempFile(t, "x.arrows", ingesttest.Encode(schema, []arrow.Record{rec}))}
	for _, m := range []ingest.Mapping{{Fill: true}, {Drop: true}} {
		m.Columns = []ingest.ColumnSpec{{Name: "a"}, {Name: "kind"}}
		var want *ingest.Dataset
		for _, path := range paths {
			got, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: m})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if got.X.Rows != want.X.Rows || got.X.Cols != want.X.Cols || !slices.Equal(got.X.Data, want.X.Data) {
				t.Errorf("%+v: %s has %d x %d, the CSV file %d x %d, or other values", m, path, got.X.Rows, got.X.Cols, want.X.Rows, want.X.Cols)
			}
		}
		if want.X.Cols != 4 { // a, blue, red, other text
			t.Errorf("%+v: vectors of %d values, want 4", m, want.X.Cols)
		}
	}
}
