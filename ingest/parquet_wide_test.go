package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/bridge"
)

// wideFile returns a Parquet file of two rows with an index of its pages.
func wideFile(t testing.TB, columns int) []byte {
	fields := make([]arrow.Field, columns)
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.PrimitiveTypes.Float32}
	}
	rb := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	for i, b := range rb.Fields() {
		b.(*array.Float32Builder).AppendValues([]float32{float32(i), -float32(i)}, nil)
	}
	rec, err := bridge.NewRecord(rb.NewRecord())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(rec.Schema(), &out, parquet.NewWriterProperties(parquet.WithPageIndexEnabled(true), parquet.WithDictionaryDefault(false)), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestWideParquetTakesLinearMemory reads files of many columns and few rows, for example of gene
// expressions. Buffers of all columns at once, and a search in all columns for each, took more than a
// gigabyte for 20,000 columns.
func TestWideParquetTakesLinearMemory(t *testing.T) {
	read := func(columns int) (allocated, held uint64) {
		path := tempFile(t, "wide.parquet", wideFile(t, columns))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := ingest.Open(context.Background(), path, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		got, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if last := got.At(columns - 1); last.Text(1) != fmt.Sprint(1-columns) {
			t.Errorf("the last of %d columns has %s", columns, last.Text(1))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if _, err := r.Next(context.Background()); err != io.EOF {
			t.Errorf("after the last row: %v", err)
		}
		return after.TotalAlloc - before.TotalAlloc, after.HeapAlloc - before.HeapAlloc
	}
	few, _ := read(600)
	many, held := read(6000)
	if many > 12*few {
		t.Errorf("ten times the columns allocate %d MiB, %.1f times as much", many>>20, float64(many)/float64(few))
	}
	if each := held / 6000; each > 512 {
		t.Errorf("%d bytes a column are held after its last row", each)
	}
}
