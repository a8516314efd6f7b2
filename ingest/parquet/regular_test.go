package parquet

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"pgregory.net/rapid"

	"unfold/ingest/input"
)

// numbers are the types that are read as regular columns.
var numbers = []arrow.DataType{arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Float16}

// drawnFile is a Parquet file with a text column and columns of numbers and of vectors. It is
// regular if no vector lacks a number, and all vectors but empty ones and nulls have one length.
type drawnFile struct {
	bytes   []byte
	regular bool
}

func appendNumber(b array.Builder, v float32) {
	switch b := b.(type) {
	case *array.Float32Builder:
		b.Append(v)
	case *array.Float64Builder:
		b.Append(float64(v))
	case *array.Float16Builder:
		b.Append(float16.New(v))
	}
}

// drawFile draws a file: its page sizes, versions, encodings, compression and row groups, and in half
// of the files few rows that are null, have another length or lack a number.
func drawFile(t *rapid.T, dir string) drawnFile {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	nullable := rapid.Bool().Draw(t, "nullable")
	elem := func(dt arrow.DataType) arrow.DataType {
		return arrow.ListOfField(arrow.Field{Name: "element", Type: dt, Nullable: nullable})
	}
	fields := []arrow.Field{{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true}}
	for _, dt := range numbers {
		fields = append(fields, arrow.Field{Name: "v" + dt.Name(), Type: elem(dt), Nullable: nullable}, arrow.Field{Name: "x" + dt.Name(), Type: dt, Nullable: nullable})
	}
	schema := arrow.NewSchema(fields, nil)
	props := []parquet.WriterProperty{
		parquet.WithDataPageSize(int64(rapid.IntRange(100, 3000).Draw(t, "page"))),
		parquet.WithBatchSize(int64(rapid.IntRange(1, 300).Draw(t, "values"))),
		parquet.WithDataPageVersion(rapid.SampledFrom([]parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}).Draw(t, "version")),
		parquet.WithDictionaryDefault(rapid.Bool().Draw(t, "dictionary")),
		parquet.WithDictionaryPageSizeLimit(int64(rapid.IntRange(64, 4000).Draw(t, "limit"))),
		parquet.WithCompression(rapid.SampledFrom([]compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Zstd, compress.Codecs.Gzip, compress.Codecs.Lz4Raw}).Draw(t, "codec")),
	}
	for _, f := range fields[1:] {
		path := f.Name
		if f.Name[0] == 'v' {
			path += ".list.element"
		}
		if rapid.Bool().Draw(t, "split") {
			props = append(props, parquet.WithEncodingFor(path, parquet.Encodings.ByteStreamSplit))
		}
	}
	path := filepath.Join(dir, "written")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(props...), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	dim, odd, distinct := rapid.IntRange(1, 20).Draw(t, "dim"), rapid.Bool().Draw(t, "odd"), rapid.IntRange(1, 300).Draw(t, "distinct")
	out := drawnFile{regular: true}
	often := rapid.SampledFrom([]int{2, 60}).Draw(t, "often")
	unusual := func() bool { return odd && rng.IntN(often) == 0 }
	rare := func() bool {
		is := odd && rng.IntN(900) == 0
		out.regular = out.regular && !is
		return is
	}
	number := func(b array.Builder, isNull bool) {
		if isNull {
			b.AppendNull()
		} else {
			appendNumber(b, float32(rng.IntN(distinct))/8)
		}
	}
	for range rapid.IntRange(1, 3).Draw(t, "groups") {
		rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for range rapid.IntRange(1, 50).Draw(t, "rows") {
			rb.Field(0).(*array.StringBuilder).Append(fmt.Sprint(rng.IntN(distinct)))
			for i := 1; i < len(fields); i += 2 {
				number(rb.Field(i+1), nullable && unusual())
				list, n := rb.Field(i).(*array.ListBuilder), dim
				if unusual() {
					n = 0
				} else if rare() {
					n = rng.IntN(dim + 2)
				}
				if nullable && unusual() {
					list.AppendNull()
					continue
				}
				list.Append(true)
				for range n {
					number(list.ValueBuilder(), nullable && rare())
				}
			}
		}
		if err := w.Write(rb.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.bytes, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return out
}

// openBytes opens a file with the given bytes.
func openBytes(t *rapid.T, dir string, b []byte, batch int) (*reader, error) {
	path := filepath.Join(dir, "x.parquet")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := input.Open(context.Background(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(in, batch, 1<<28)
	if err != nil {
		in.Close()
		return nil, err
	}
	return r.(*reader), nil
}

// contents returns the tables of a file as text, and the error that ends them. With library, the
// library reads all columns.
func contents(t *rapid.T, dir string, b []byte, batch int, library bool) (tables []string, err error) {
	r, err := openBytes(t, dir, b, batch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for _, c := range r.columns {
		if library {
			c.library = true
		}
	}
	for {
		table, err := r.Next(context.Background())
		if err == io.EOF {
			return tables, nil
		}
		if err != nil {
			return tables, err
		}
		tables = append(tables, fmt.Sprint(table.Record().Schema(), table.Record().Columns()))
	}
}

// reason returns an error without its row.
func reason(err error) string {
	return regexp.MustCompile(`row \d+, `).ReplaceAllString(fmt.Sprint(err), "")
}

// Files have the same values, and damaged ones the same errors, whether regular columns are decoded
// here or by the library. There are two exceptions, where the values are those of the undamaged file:
// the library also refuses page headers for fields that are not needed here, such as statistics, and
// it opens the next page before it returns the last row of a page.
func TestRegularColumnsAreThoseOfTheLibrary(t *testing.T) {
	dir := t.TempDir()
	kept, damaged := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		file, batch := drawFile(t, dir), rapid.IntRange(1, 100).Draw(t, "batch")
		whole, err := contents(t, dir, file.bytes, batch, true)
		if err != nil {
			t.Fatal(err)
		}
		same := func(b []byte) error {
			want, wantErr := contents(t, dir, b, batch, true)
			got, err := contents(t, dir, b, batch, false)
			if err == nil && wantErr != nil {
				want = whole
			} else if reason(err) != reason(wantErr) {
				t.Fatalf("error %v, want %v", err, wantErr)
			}
			if err != nil && len(got) > len(want) {
				want = whole[:len(got)]
			}
			if !slices.Equal(got, want) {
				t.Fatalf("the tables are\n%s\nwant\n%s", got, want)
			}
			return wantErr
		}
		if err := same(file.bytes); err != nil {
			t.Fatal(err)
		}
		r, err := openBytes(t, dir, file.bytes, batch)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if file.regular {
			for i, a := range r.readRegular(min(r.rows, r.batch)) {
				if (a == nil) != (i == 0) {
					t.Fatalf("column %d of a regular file: decoded here %v", i, a != nil)
				}
			}
		}
		for range 2 {
			b := append([]byte(nil), file.bytes...)
			b[rapid.IntRange(4, len(b)-9).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
			if same(b) == nil {
				kept++
			} else {
				damaged++
			}
		}
	})
	t.Logf("of the damaged files %d were read and %d were refused", kept, damaged)
}
