package emit

import (
	"unfold/ingest/arrays"
	"unfold/ingest/bridge"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"unfold/internal/vec"
)

// parquetSink writes Parquet. The embedding is a variable list, the one kind of list that Parquet has.
type parquetSink struct {
	w     target
	shape shape
	out   *pqarrow.FileWriter
}

func (s *parquetSink) write(o *Output) (err error) {
	defer arrays.Recovered(&err)
	settled, err := s.shape.settle(o, input.Parquet, listLayout)
	if err != nil {
		return err
	}
	rec, err := bridge.NewRecord(settled)
	if err != nil {
		return err
	}
	if s.out == nil {
		props, err := parquetProperties(rec.Schema())
		if err != nil {
			return err
		}
		if s.out, err = pqarrow.NewFileWriter(rec.Schema(), keepOpen{s.w}, props, pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(table.Heap))); err != nil {
			return err
		}
	}
	return s.out.Write(rec)
}

// parquetProperties returns the properties of a file: compressed, and with dictionaries except for
// fractional numbers, which rarely repeat.
func parquetProperties(s *arrow.Schema) (*parquet.WriterProperties, error) {
	options := []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithAllocator(table.Heap)}
	columns, err := pqarrow.ToParquet(s, parquet.NewWriterProperties(options...), pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	for i := range columns.NumColumns() {
		if c := columns.Column(i); c.PhysicalType() == parquet.Types.Float || c.PhysicalType() == parquet.Types.Double {
			options = append(options, parquet.WithDictionaryPath(c.ColumnPath(), false))
		}
	}
	return parquet.NewWriterProperties(options...), nil
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
