package table

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/internal/vec"
)

// A vector column is a list of any kind whose elements are numbers. This file converts its rows to
// float32 or float64.

// listOf returns the list array inside a column, without extension types, or nil. If the column's
// kind is Vector, it is a list of numbers.
func listOf(a arrow.Array) array.ListLike {
	l, _ := storage(a).(array.ListLike)
	return l
}

// VectorDim returns the length of the column's vectors: the fixed size, or that of the first row
// that is not null. It returns false if there is no such row.
func VectorDim(c Column) (int, bool) {
	l := listOf(c.arr)
	if f, ok := l.(*array.FixedSizeList); ok {
		return int(f.DataType().(*arrow.FixedSizeListType).Len()), true
	}
	for i := range c.Len() {
		if !l.IsNull(i) {
			from, to := l.ValueOffsets(i)
			return int(to - from), true
		}
	}
	return 0, false
}

// WholeNumbers reports whether a column contains lists of integers.
func WholeNumbers(c Column) bool {
	l := listOf(c.arr)
	return l != nil && arrow.IsInteger(l.ListValues().DataType().ID())
}

// CopyVectors writes the n x dim vectors of c to dst. Every row must be non-null, of length dim,
// and contain finite numbers. If missing is true, NaN and nulls are allowed and become NaN. o is
// the origin of row 0. Sparse vectors become dense.
func CopyVectors[T vec.Float](dst []T, dim int, c Column, o Origin, missing bool) error {
	if c.Kind() == SparseVector {
		return copySparse(dst, dim, c, o, missing)
	}
	l := listOf(c.arr)
	values := l.ListValues()
	read := readerOf[T](values)
	for i := range c.Len() {
		if l.IsNull(i) {
			return o.BadAt(i, c.Name(), "the vector is null").Suggest("drop such rows (missing drop)")
		}
		from, to := l.ValueOffsets(i)
		if got := int(to - from); got != dim {
			return dimChange(o, i, c, got, dim)
		}
		row := dst[i*dim : (i+1)*dim]
		read(row, int(from))
		if err := finite(row, values, int(from), i, c.Name(), o, missing); err != nil {
			return err
		}
	}
	return nil
}

func dimChange(o Origin, i int, c Column, got, want int) *Error {
	return o.BadAt(i, c.Name(), "the vector has %d elements, %d are expected", got, want).
		Suggest("every vector of a map has one length")
}

// finite returns an error for nulls, NaN, infinities and numbers beyond float32 in a row. If
// missing is true, nulls become NaN.
func finite[T vec.Float](row []T, values arrow.Array, from, i int, name string, o Origin, missing bool) error {
	if values.NullN() > 0 {
		for k := range row {
			if values.IsNull(from+k) && missing {
				row[k] = T(math.NaN())
			} else if values.IsNull(from + k) {
				return o.BadAt(i, name, "element %d of the vector is null", k).Suggest("drop such rows (missing drop), or fill them (missing mean)")
			}
		}
	}
	for k, v := range row {
		// w-w is 0 for every finite w and NaN otherwise.
		if w := float32(v); w-w != 0 && !(missing && v != v) {
			if get := NumberGetter(values); get != nil {
				return NotFinite(o.BadAt(i, name, "element %d of the vector is %v", k, get(from+k)))
			}
			return NotFinite(o.BadAt(i, name, "element %d of the vector is %v", k, v))
		}
	}
	return nil
}

func NotFinite(e *Error) *Error {
	return e.Suggest("values must be finite numbers in the range of float32; drop or fill such rows")
}

// readerOf returns a function that copies the elements from `from` on.
func readerOf[T vec.Float](values arrow.Array) func(dst []T, from int) {
	switch a := values.(type) {
	case *array.Float32:
		if _, same := any(T(0)).(float32); same {
			v := any(a.Float32Values()).([]T)
			return func(dst []T, from int) { copy(dst, v[from:]) }
		}
		return convert[T](a.Float32Values())
	case *array.Float64:
		return convert[T](a.Float64Values())
	case *array.Uint8:
		return convert[T](a.Uint8Values())
	case *array.Int8:
		return convert[T](a.Int8Values())
	case *array.Uint16:
		return convert[T](a.Uint16Values())
	case *array.Int16:
		return convert[T](a.Int16Values())
	case *array.Uint32:
		return convert[T](a.Uint32Values())
	case *array.Int32:
		return convert[T](a.Int32Values())
	case *array.Uint64:
		return convert[T](a.Uint64Values())
	case *array.Int64:
		return convert[T](a.Int64Values())
	}
	// float16, and any other type of NumberGetter.
	get := NumberGetter(values)
	return func(dst []T, from int) {
		for k := range dst {
			dst[k] = T(get(from + k))
		}
	}
}

func convert[T vec.Float, U interface {
	~float32 | ~float64 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}](v []U) func(dst []T, from int) {
	return func(dst []T, from int) {
		for k, x := range v[from : from+len(dst)] {
			dst[k] = T(x)
		}
	}
}

// Finite32 reports whether v is finite as a float32.
func Finite32(v float64) bool { return v-v == 0 && math.Abs(v) <= math.MaxFloat32 }
