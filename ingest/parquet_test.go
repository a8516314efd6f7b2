package ingest_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/bridge"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// parquetFile returns a file like those of other programs: many types, nulls, several row groups,
// with the given properties. It also returns the same records as an Arrow stream.
func parquetFile(t testing.TB, rows []int, props ...parquet.WriterProperty) (file, stream []byte) {
	var fields []arrow.Field
	for _, dt := range []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us,
		arrow.ListOf(arrow.PrimitiveTypes.Float64), arrow.ListOf(arrow.PrimitiveTypes.Int32),
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}),
	} {
		fields = append(fields, arrow.Field{Name: dt.String(), Type: dt, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	var b bytes.Buffer
	written, err := bridge.NewSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(written, &b, parquet.NewWriterProperties(props...), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	var records []arrow.Record
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range rows {
		rb := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for _, c := range rb.Fields() {
			for range n {
				ingesttest.Append(c, rng, true)
			}
		}
		rec := rb.NewRecord()
		batch, err := bridge.NewRecord(rec)
		if err == nil {
			err = w.Write(batch)
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), ingesttest.Encode(schema, records)
}

func tempFile(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// readFile reads a file to its end and reads every value.
func readFile(path string, opts ingest.Options) (rows int, schema table.Schema, err error) {
	r, err := ingest.Open(context.Background(), path, opts)
	if err != nil {
		return 0, nil, err
	}
	defer r.Close()
	for {
		tables, err := r.Next(context.Background())
		if err == io.EOF {
			return rows, r.Schema(), nil
		}
		if err != nil {
			return rows, nil, err
		}
		ingesttest.Touch(tables)
		rows += tables.Len()
	}
}

var parquetVariants = map[string][]parquet.WriterProperty{
	"plain":       {parquet.WithDictionaryDefault(false)},
	"dictionary":  {parquet.WithDictionaryDefault(true)},
	"snappy":      {parquet.WithCompression(compress.Codecs.Snappy)},
	"gzip":        {parquet.WithCompression(compress.Codecs.Gzip)},
	"zstd":        {parquet.WithCompression(compress.Codecs.Zstd)},
	"brotli":      {parquet.WithCompression(compress.Codecs.Brotli)},
	"LZ4_RAW":     {parquet.WithCompression(compress.Codecs.Lz4Raw)},
	"version 2":   {parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Snappy)},
	"small pages": {parquet.WithDataPageSize(64), parquet.WithBatchSize(8), parquet.WithDictionaryDefault(false)},
}

func TestParquetVariants(t *testing.T) {
	for name, props := range parquetVariants {
		file, stream := parquetFile(t, []int{50, 1, 300}, props...)
		want := readTable(t, tempFile(t, "x.arrows", stream), ingest.Options{})
		got := readTable(t, tempFile(t, "x.parquet", file), ingest.Options{BatchRows: 64})
		// The struct's field and every other column are present.
		if len(got.Columns()) != len(want.Columns()) {
			t.Errorf("%s: columns %s", name, got.Schema())
		}
		for _, c := range got.Columns() {
			w, ok := want.Column(c.Name())
			if !ok {
				t.Fatalf("%s: there was no column %q", name, c.Name())
			}
			ingesttest.EqualColumns(t, name, c, w)
		}
	}
}

// readTable reads a whole file as one table.
func readTable(t testing.TB, path string, opts ingest.Options) *table.Table {
	t.Helper()
	r, err := ingest.Open(context.Background(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*table.Table
	for {
		tables, err := r.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tables)
	}
	tables, err := table.ConcatTables(all...)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// A damaged Parquet file leads to an error or to values that can be read safely. A panic in one of
// the library's goroutines would end this test process.
func TestParquetSurvivesMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	files := map[string][]byte{}
	for name, props := range parquetVariants {
		files[name], _ = parquetFile(t, []int{20, 30}, props...)
	}
	survives(t, files, "x.parquet", 60, func(b []byte) []byte { return mutateParquet(b, rng) })
}

// mutateParquet damages pages, their headers or the footer. It keeps the magic numbers and the
// footer's length, because damage there would end every attempt early.
func mutateParquet(b []byte, rng *rand.Rand) []byte {
	out := append([]byte(nil), b...)
	footer := len(b) - 8 - int(uint32(b[len(b)-8])|uint32(b[len(b)-7])<<8|uint32(b[len(b)-6])<<16)
	for range 1 + rng.IntN(3) {
		at := 4 + rng.IntN(footer-4)
		if rng.IntN(2) == 0 {
			at = footer + rng.IntN(len(b)-8-footer)
		}
		switch rng.IntN(3) {
		case 0:
			out[at] ^= 1 << rng.IntN(8)
		case 1:
			out[at] = byte(rng.Int())
		case 2:
			out[at] = []byte{0, 0x7f, 0x80, 0xff}[rng.IntN(4)]
		}
	}
	return out
}

func TestParquetTruncated(t *testing.T) {
	b, _ := parquetFile(t, []int{40}, parquetVariants["snappy"]...)
	for n := 4; n < len(b); n += 97 {
		_, _, err := readFile(tempFile(t, "x.parquet", b[:n]), ingest.Options{})
		if !table.IsBadInput(err) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
		}
	}
}
