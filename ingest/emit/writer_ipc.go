package emit

import (
	"fmt"
	"io"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// ipcSink writes Arrow IPC files and streams, uncompressed.
type ipcSink struct {
	w      io.Writer
	stream bool
	shape  shape
	out    interface {
		Write(arrow.Record) error
		Close() error
	}
}

func (s *ipcSink) write(o *Output) error {
	rec, err := s.shape.settle(o, input.ArrowFile, fixedLayout)
	if err != nil {
		return err
	}
	if s.out == nil {
		options := []ipc.Option{ipc.WithSchema(s.shape.schema), ipc.WithAllocator(table.Heap)}
		if s.stream {
			s.out = ipc.NewWriter(s.w, options...)
		} else if s.out, err = ipc.NewFileWriter(s.w.(io.WriteSeeker), options...); err != nil {
			return err
		}
	}
	return s.out.Write(rec)
}

func (s *ipcSink) finish() error { return s.out.Close() }

// shape is the schema of a file's first output, to which all later outputs are converted.
type shape struct {
	schema *arrow.Schema
	// nullability keeps the nullability of passed-through columns.
	nullability bool
}

// settle converts an output, with its places in the given layout, to the first output's schema.
// Columns are converted to types that the format holds. A dictionary becomes its values, because a
// file can have only one dictionary per column and the batches of a stream have different ones.
// Numbers with a narrower inferred type are widened.
func (s *shape) settle(o *Output, format input.Format, places layout) (arrow.Record, error) {
	t, err := o.table(places)
	if err != nil {
		return nil, err
	}
	cols := t.Columns()
	arrs := make([]arrow.Array, len(cols))
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		if arrs[i], err = stored(format, c); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name(), err)
		}
		fields[i] = arrow.Field{Name: c.Name(), Type: arrs[i].DataType(), Nullable: true}
		if holdsMetadata(format) {
			fields[i].Metadata = c.ArrowField().Metadata
		}
	}
	if s.nullability {
		for _, c := range o.passing() {
			i := t.Schema().Index(c.Name())
			fields[i].Nullable = c.ArrowField().Nullable || arrs[i].NullN() > 0 // perhaps the value of a dictionary
		}
	}
	return s.record(fields, arrs, o)
}

// stored returns a column in the type that the format holds, in its own memory.
func stored(format input.Format, c table.Column) (arrow.Array, error) {
	h, err := heldIn(format, c.Array().DataType())
	if err != nil {
		return nil, err
	}
	a, err := table.Tight(c.Array())
	if err != nil {
		return nil, err
	}
	return turned(a, h.as)
}

// record makes the schema from the fields of the first output, and converts the arrays of later
// ones to it.
func (s *shape) record(fields []arrow.Field, arrs []arrow.Array, o *Output) (arrow.Record, error) {
	schema := &s.schema
	if *schema == nil {
		*schema = arrow.NewSchema(fields, o.metadata())
	}
	if len(fields) != (*schema).NumFields() {
		return nil, fmt.Errorf("the columns change between batches: %s, before %s", table.Describe(arrow.NewSchema(fields, nil)), table.Describe(*schema))
	}
	for i, want := range (*schema).Fields() {
		if fields[i].Name != want.Name {
			return nil, fmt.Errorf("the columns change between batches: %q is %q now", want.Name, fields[i].Name)
		}
		if !want.Nullable && arrs[i].NullN() > 0 {
			return nil, fmt.Errorf("column %q holds nulls, and its field says that it never does; correct the field, or do not keep the column", want.Name)
		}
		if arrow.TypeEqual(fields[i].Type, want.Type) {
			continue
		}
		switch {
		case want.Type.ID() == arrow.FLOAT64 && table.NumberGetter(arrs[i]) != nil:
			arrs[i] = table.ToFloat64(arrs[i])
		case want.Type.ID() == arrow.STRING:
			arrs[i] = table.ToString(arrs[i])
		default:
			return nil, fmt.Errorf("column %q changes its type between batches, from %s to %s", want.Name, table.TypeName(want.Type), table.TypeName(fields[i].Type))
		}
	}
	return array.NewRecord(*schema, arrs, int64(o.Len())), nil
}
