package arrays

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Retyped is an array in the same memory, of a type of the same layout.
func Retyped(a arrow.Array, dt arrow.DataType) arrow.Array {
	if arrow.TypeEqual(a.DataType(), dt) {
		return a
	}
	return array.MakeFromData(retypedData(a.Data(), dt))
}

func retypedData(d arrow.ArrayData, dt arrow.DataType) arrow.ArrayData {
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		switch dt := dt.(type) {
		case *arrow.StructType:
			children[i] = retypedData(c, dt.Field(i).Type)
		case arrow.ListLikeType:
			children[i] = retypedData(c, dt.Elem())
		default:
			children[i] = c
		}
	}
	return array.NewData(dt, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}
