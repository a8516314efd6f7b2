package ingest

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// ipcSink writes Arrow IPC files and streams, uncompressed.
type ipcSink struct {
	w      io.Writer
	stream bool
	schema *arrow.Schema
	out    interface {
		Write(arrow.Record) error
		Close() error
	}
}

func (s *ipcSink) write(o *Output) error {
	rec, err := settle(o, fixedLayout, &s.schema)
	if err != nil {
		return err
	}
	if s.out == nil {
		options := []ipc.Option{ipc.WithSchema(s.schema), ipc.WithAllocator(goHeap)}
		if s.stream {
			s.out = ipc.NewWriter(s.w, options...)
		} else if s.out, err = ipc.NewFileWriter(s.w.(io.WriteSeeker), options...); err != nil {
			return err
		}
	}
	return s.out.Write(rec)
}

func (s *ipcSink) finish() error { return s.out.Close() }

// settle brings an output, its places laid out as said, into the
// schema that the first one set: dictionaries become plain values (a file has room for
// one dictionary a column, and batches of a stream have different ones), every column
// may hold nulls, and numbers that were inferred narrower are widened.
func settle(o *Output, places layout, schema **arrow.Schema) (arrow.Record, error) {
	t, err := o.table(places)
	if err != nil {
		return nil, err
	}
	cols := t.Columns()
	arrs := make([]arrow.Array, len(cols))
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		arrs[i] = plainValues(c.arr)
		fields[i] = arrow.Field{Name: c.Name(), Type: arrs[i].DataType(), Nullable: true, Metadata: c.field.Metadata}
	}
	if *schema == nil {
		*schema = arrow.NewSchema(fields, o.metadata())
	}
	if len(fields) != (*schema).NumFields() {
		return nil, fmt.Errorf("the columns change between batches: %s, before %s", describe(arrow.NewSchema(fields, nil)), describe(*schema))
	}
	for i, want := range (*schema).Fields() {
		if fields[i].Name != want.Name {
			return nil, fmt.Errorf("the columns change between batches: %q is %q now", want.Name, fields[i].Name)
		}
		if arrow.TypeEqual(fields[i].Type, want.Type) {
			continue
		}
		switch {
		case want.Type.ID() == arrow.FLOAT64 && numberGetter(arrs[i]) != nil:
			arrs[i] = toFloat64(arrs[i])
		case want.Type.ID() == arrow.STRING:
			arrs[i] = toString(arrs[i])
		default:
			return nil, fmt.Errorf("column %q changes its type between batches, from %s to %s", want.Name, typeName(want.Type), typeName(fields[i].Type))
		}
	}
	for i := range arrs {
		var err error
		if arrs[i], err = tight(arrs[i]); err != nil {
			return nil, fmt.Errorf("column %q: %w", cols[i].Name(), err)
		}
	}
	return array.NewRecord(*schema, arrs, int64(t.Len())), nil
}
