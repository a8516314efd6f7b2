package ingest

import (
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Typed is implemented by a Reader whose columns have exact Arrow types.
type Typed interface{ ArrowSchema() *arrow.Schema }

// NoRows returns a table with a reader's columns and without rows. Columns of a format without
// exact types, such as text, have the simplest type of their kind.
func NoRows(r table.Reader) (*table.Table, error) {
	switch r := r.(type) {
	case *Whole:
		return NoRows(r.r)
	case *partition:
		t, err := NoRows(r.Reader)
		if err != nil {
			return nil, err
		}
		return t.Beside(r.columns(0)...), nil
	}
	if r, ok := r.(Typed); ok {
		return table.OfRecord(table.Origin{}, array.NewRecordBuilder(table.Heap, r.ArrowSchema()).NewRecord()), nil
	}
	plainest := map[table.Kind]arrow.DataType{
		table.Other: arrow.Null, table.Number: arrow.PrimitiveTypes.Float64, table.Bool: arrow.FixedWidthTypes.Boolean,
		table.Text: arrow.BinaryTypes.String, table.Vector: arrow.ListOf(arrow.PrimitiveTypes.Float32), table.Time: arrow.FixedWidthTypes.Timestamp_us,
		table.SparseVector: arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float32),
	}
	var cols []table.Column
	for _, f := range r.Schema() {
		cols = append(cols, table.NewColumn(f.Name, array.MakeArrayOfNull(table.Heap, plainest[f.Kind], 0)))
	}
	return table.NewTable(table.Origin{}, cols...)
}
