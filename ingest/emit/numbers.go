package emit

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Single numbers are read without table.NumberGetter, which would allocate for each event.

// integerAt returns an integer of any width; a uint64 as the int64 with the same bits.
func integerAt(a arrow.Array, i int) int64 {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Uint8:
		return int64(a.Value(i))
	case *array.Uint16:
		return int64(a.Value(i))
	case *array.Uint32:
		return int64(a.Value(i))
	}
	return int64(a.(*array.Uint64).Value(i))
}

// float32At returns a float of at most 32 bits.
func float32At(a arrow.Array, i int) float32 {
	if a, ok := a.(*array.Float32); ok {
		return a.Value(i)
	}
	return a.(*array.Float16).Value(i).Float32()
}
