package emit

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"unfold/ingest/arrays"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// EncodeTable writes a table as a message. Equal values give equal bytes. A column type that
// Arrow's writer does not support is an error.
func EncodeTable(t *table.Table) ([]byte, error) {
	var b bytes.Buffer
	if err := WriteTables(&b, func(yield func(*table.Table, error) bool) { yield(t, nil) }); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// WriteTables writes one or more tables with the same columns as the batches of an Arrow stream. It
// keeps only one of them in memory.
func WriteTables(to io.Writer, tables iter.Seq2[*table.Table, error]) (err error) {
	// The types of passed columns come from untrusted input, and Arrow's writer may panic on them.
	defer arrays.Recovered(&err)
	var w *ipc.Writer
	for t, err := range tables {
		if err != nil {
			return err
		}
		rec := t.Record()
		schema := rec.Schema()
		arrs := make([]arrow.Array, schema.NumFields())
		for i := range arrs {
			if arrs[i], err = table.Tight(rec.Column(i)); err != nil {
				return fmt.Errorf("column %q: %w", schema.Field(i).Name, err)
			}
		}
		if w == nil {
			w = ipc.NewWriter(to, ipc.WithSchema(schema), ipc.WithAllocator(table.Heap))
		}
		if err := w.Write(array.NewRecord(schema, arrs, rec.NumRows())); err != nil {
			return err
		}
	}
	return w.Close()
}

// EncodeMessage writes placed events as a message with the columns id, the kept
// ones, embedding (fixed_size_list<float32>[d]), sigma, novelty_local,
// novelty_global (float32), class (utf8) and class_probability (float32) if there are
// classes, cluster (int64), cluster_probability and cluster_outlier (float32) if there are
// clusters, and, unless Version is 0, map_epoch (uint32) and
// model_version (uint64). The schema's metadata holds the map's id under MapIDKey. The
// same output gives the same bytes.
func EncodeMessage(o *Output) ([]byte, error) {
	t, err := o.table(fixedLayout)
	if err != nil {
		return nil, err
	}
	if m := o.metadata(); m != nil {
		rec := t.Record()
		t = table.OfRecord(t.Origin, array.NewRecord(arrow.NewSchema(rec.Schema().Fields(), m), rec.Columns(), rec.NumRows()))
	}
	return EncodeTable(t)
}
