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

// parquetSink writes Parquet. The embedding is a variable list (fixed-size lists
// do not survive this library), and row groups are small (its lists take time
// quadratic in their rows).
type parquetSink struct {
	w     target
	shape shape
	// written is the schema as the library gets it.
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

// parquetSchema is a schema as the library is to write it.
func parquetSchema(s *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		f.Type = parquet.WrittenTimes(f.Type)
		fields[i] = f
	}
	m := s.Metadata()
	return arrow.NewSchema(fields, &m)
}

// parquetProperties are those of a file: compressed, with dictionaries but for numbers with a fraction, of
// which hardly two are equal.
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

// listLayout is a variable list: what Parquet can hold.
func listLayout(x vec.Matrix[float32]) []table.Column {
	return []table.Column{table.ListColumn(EmbeddingName, x)}
}

func (s *parquetSink) finish() (err error) {
	defer arrays.Recovered(&err)
	return s.out.Close()
}

// keepOpen hides Close from the Parquet writer, which would call it.
type keepOpen struct{ w target }

func (k keepOpen) Write(p []byte) (int, error) { return k.w.Write(p) }
