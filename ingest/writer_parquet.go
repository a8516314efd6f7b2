package ingest

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"unfold/sparse/vec"
)

// parquetSink writes Parquet. The embedding is a variable list (fixed-size lists
// do not survive this library), and row groups are small (its lists take time
// quadratic in their rows).
type parquetSink struct {
	w      target
	schema *arrow.Schema
	out    *pqarrow.FileWriter
}

func (s *parquetSink) write(o *Output) (err error) {
	defer recovered(&err)
	rec, err := settle(o, listLayout, &s.schema)
	if err != nil {
		return err
	}
	if s.out == nil {
		props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithAllocator(goHeap))
		if s.out, err = pqarrow.NewFileWriter(s.schema, keepOpen{s.w}, props, pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(goHeap))); err != nil {
			return err
		}
	}
	return s.out.Write(rec)
}

// listLayout is a variable list: what Parquet can hold.
func listLayout(x vec.Matrix[float32]) []Column { return []Column{listColumn(EmbeddingName, x)} }

func (s *parquetSink) finish() (err error) {
	defer recovered(&err)
	return s.out.Close()
}

// keepOpen hides Close from the Parquet writer, which would call it.
type keepOpen struct{ w target }

func (k keepOpen) Write(p []byte) (int, error) { return k.w.Write(p) }
