package ingesttest

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Zeros returns a stream of batches of zero vectors of dim elements, in the column "v", compressed
// to a tiny size.
func Zeros(batches, rows, dim int) []byte {
	dt := arrow.FixedSizeListOf(int32(dim), arrow.PrimitiveTypes.Float32)
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: dt}}, nil)
	b := array.NewFixedSizeListBuilder(memory.NewGoAllocator(), int32(dim), arrow.PrimitiveTypes.Float32)
	for range rows {
		b.Append(true)
		b.ValueBuilder().(*array.Float32Builder).AppendValues(make([]float32, dim), nil)
	}
	rec := array.NewRecord(schema, []arrow.Array{b.NewArray()}, int64(rows))
	return Encode(schema, slices.Repeat([]arrow.Record{rec}, batches), ipc.WithZstd())
}
