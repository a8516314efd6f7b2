package emit

import (
	"unfold/ingest/arrays"
	"unfold/ingest/input"
	"unfold/ingest/parquet"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/internal/vec"

	format "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// parquetSink writes Parquet. The embedding is a variable list, because this library cannot read
// fixed-size lists back. Row groups are small, because the library's time for lists is quadratic in
// their rows.
type parquetSink struct {
	w     target
	shape shape
	// written is the schema passed to the library.
	written *arrow.Schema
	out     *pqarrow.FileWriter
}

func (s *parquetSink) write(o *Output) (err error) {
	defer arrays.Recovered(&err)
	rec, err := s.shape.settle(o, input.Parquet, listLayout)
	if err != nil {
		return err
	}
	if s.out == nil {
		s.written = parquetSchema(s.shape.schema)
		props, err := parquetProperties(s.written)
		if err != nil {
			return err
		}
		if s.out, err = pqarrow.NewFileWriter(s.written, keepOpen{s.w}, props, pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(table.Heap))); err != nil {
			return err
		}
	}
	arrs := make([]arrow.Array, rec.NumCols())
	for i := range arrs {
		arrs[i] = parquet.Retyped(rec.Column(i), s.written.Field(i).Type)
	}
	return s.out.Write(array.NewRecord(s.written, arrs, rec.NumRows()))
}

// parquetSchema returns the form of a schema that the library writes.
func parquetSchema(s *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		f.Type = parquet.WrittenTimes(f.Type)
		fields[i] = f
	}
	m := s.Metadata()
	return arrow.NewSchema(fields, &m)
}

// parquetProperties returns a file's properties: compression, and dictionaries except for
// floating-point columns, whose values rarely repeat.
func parquetProperties(s *arrow.Schema) (*format.WriterProperties, error) {
	options := []format.WriterProperty{format.WithCompression(compress.Codecs.Snappy), format.WithAllocator(table.Heap)}
	columns, err := pqarrow.ToParquet(s, format.NewWriterProperties(options...), pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	for i := range columns.NumColumns() {
		if c := columns.Column(i); c.PhysicalType() == format.Types.Float || c.PhysicalType() == format.Types.Double {
			options = append(options, format.WithDictionaryPath(c.ColumnPath(), false))
		}
	}
	return format.NewWriterProperties(options...), nil
}

// listLayout returns the places as a variable list, which Parquet can store.
func listLayout(x vec.Matrix[float32]) []table.Column {
	return []table.Column{table.ListColumn(EmbeddingName, x)}
}

func (s *parquetSink) finish() (err error) {
	defer arrays.Recovered(&err)
	return s.out.Close()
}

// keepOpen hides Close from the Parquet writer, which would otherwise close the target.
type keepOpen struct{ w target }

func (k keepOpen) Write(p []byte) (int, error) { return k.w.Write(p) }
