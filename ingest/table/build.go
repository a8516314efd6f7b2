package table

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/internal/vec"
)

// NewColumn names an array.
func NewColumn(name string, a arrow.Array) Column {
	return Column{arrow.Field{Name: name, Type: a.DataType(), Nullable: a.NullN() > 0}, a}
}

// fixedColumn makes a column of fixed-width values that shares the memory of raw.
func fixedColumn(name string, dt arrow.DataType, n int, raw []byte) Column {
	return NewColumn(name, FixedArray(dt, n, raw))
}

func FixedArray(dt arrow.DataType, n int, raw []byte) arrow.Array {
	data := array.NewData(dt, n, []*memory.Buffer{nil, memory.NewBufferBytes(raw)}, nil, 0, 0)
	return array.MakeFromData(data)
}

// StringColumn makes a text column.
func StringColumn(name string, values []string) Column {
	b := array.NewStringBuilder(Heap)
	b.AppendValues(values, nil)
	return NewColumn(name, b.NewArray())
}

// Int64Column makes a column of integers that shares the memory of values.
func Int64Column(name string, values []int64) Column {
	return fixedColumn(name, arrow.PrimitiveTypes.Int64, len(values), arrow.Int64Traits.CastToBytes(values))
}

// Float64Column makes a column of numbers that shares the memory of values.
func Float64Column(name string, values []float64) Column {
	return fixedColumn(name, arrow.PrimitiveTypes.Float64, len(values), arrow.Float64Traits.CastToBytes(values))
}

// Float32Column makes a column of numbers that shares the memory of values.
func Float32Column(name string, values []float32) Column {
	return fixedColumn(name, arrow.PrimitiveTypes.Float32, len(values), arrow.Float32Traits.CastToBytes(values))
}

// BoolColumn makes a column of booleans.
func BoolColumn(name string, values []bool) Column {
	b := array.NewBooleanBuilder(Heap)
	b.AppendValues(values, nil)
	return NewColumn(name, b.NewArray())
}

// Uint32Column makes a column of integers that shares the memory of values.
func Uint32Column(name string, values []uint32) Column {
	return fixedColumn(name, arrow.PrimitiveTypes.Uint32, len(values), arrow.Uint32Traits.CastToBytes(values))
}

// Uint64Column makes a column of integers that shares the memory of values.
func Uint64Column(name string, values []uint64) Column {
	return fixedColumn(name, arrow.PrimitiveTypes.Uint64, len(values), arrow.Uint64Traits.CastToBytes(values))
}

// VectorColumn makes a fixed_size_list<float32>[x.Cols] column of the rows of x and shares its
// memory. x.Cols must be positive.
func VectorColumn(name string, x vec.Matrix[float32]) Column {
	child := FixedArray(arrow.PrimitiveTypes.Float32, len(x.Data), arrow.Float32Traits.CastToBytes(x.Data))
	return NewColumn(name, FixedList(x.Rows, x.Cols, child))
}

// FixedList groups a flat array into n lists of d elements.
func FixedList(n, d int, child arrow.Array) arrow.Array {
	dt := arrow.FixedSizeListOfNonNullable(int32(d), child.DataType())
	data := array.NewData(dt, n, []*memory.Buffer{nil}, []arrow.ArrayData{child.Data()}, 0, 0)
	return array.MakeFromData(data)
}

// ListColumn is VectorColumn with lists of variable length, which Parquet supports.
func ListColumn(name string, x vec.Matrix[float32]) Column {
	offsets := make([]int32, x.Rows+1)
	for i := range offsets {
		offsets[i] = int32(i * x.Cols)
	}
	child := FixedArray(arrow.PrimitiveTypes.Float32, len(x.Data), arrow.Float32Traits.CastToBytes(x.Data))
	return listColumn(name, offsets, child)
}

// Heap allocates all columns on the garbage-collected heap.
var Heap = memory.NewGoAllocator()
