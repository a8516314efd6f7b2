package table

import (
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// TimeColumn makes a column of times in UTC with a resolution of milliseconds.
func TimeColumn(name string, values []time.Time) Column {
	at := make([]int64, len(values))
	for i, t := range values {
		at[i] = t.UnixMilli()
	}
	return fixedColumn(name, &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, len(at), arrow.Int64Traits.CastToBytes(at))
}

// TextListColumn makes a column of lists of text.
func TextListColumn(name string, values [][]string) Column {
	b := array.NewStringBuilder(Heap)
	offsets := lengths(values)
	for _, v := range values {
		b.AppendValues(v, nil)
	}
	return listColumn(name, offsets, b.NewArray())
}

// Int64ListColumn makes a column of lists of integers.
func Int64ListColumn(name string, values [][]int64) Column {
	b := array.NewInt64Builder(Heap)
	offsets := lengths(values)
	for _, v := range values {
		b.AppendValues(v, nil)
	}
	return listColumn(name, offsets, b.NewArray())
}

// lengths returns the offsets of consecutive lists.
func lengths[T any](values [][]T) []int32 {
	offsets := make([]int32, 1, len(values)+1)
	for _, v := range values {
		offsets = append(offsets, offsets[len(offsets)-1]+int32(len(v)))
	}
	return offsets
}

func listColumn(name string, offsets []int32, child arrow.Array) Column {
	data := array.NewData(arrow.ListOfNonNullable(child.DataType()), len(offsets)-1,
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}, []arrow.ArrayData{child.Data()}, 0, 0)
	return NewColumn(name, array.MakeFromData(data))
}
