package ingest

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// typed is a Reader whose columns have types that its Schema only names.
type typed interface{ arrowSchema() *arrow.Schema }

// NoRows returns a reader's columns without rows: what a source without rows holds. The
// columns of a format without types, such as text, have the plainest of their kind.
func NoRows(r Reader) (*Table, error) {
	if r, ok := r.(typed); ok {
		return recordTable(Origin{}, array.NewRecordBuilder(goHeap, r.arrowSchema()).NewRecord()), nil
	}
	plainest := map[Kind]arrow.DataType{
		Other: arrow.Null, Number: arrow.PrimitiveTypes.Float64, Bool: arrow.FixedWidthTypes.Boolean,
		Text: arrow.BinaryTypes.String, Vector: arrow.ListOf(arrow.PrimitiveTypes.Float32),
	}
	var cols []Column
	for _, f := range r.Schema() {
		cols = append(cols, newColumn(f.Name, array.MakeArrayOfNull(goHeap, plainest[f.Kind], 0)))
	}
	return NewTable(Origin{}, cols...)
}
