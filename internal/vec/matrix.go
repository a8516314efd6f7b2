package vec

import (
	"fmt"
	"unsafe"
)

// Float is an element type: float32 for events, float64 for the model's own arithmetic and the
// reference fixtures.
type Float interface{ ~float32 | ~float64 }

// Matrix is a dense row-major matrix; element (i,j) is Data[i*Cols+j]. The
// zero value is an empty matrix. A Matrix is a view: copies share Data.
type Matrix[T Float] struct {
	Rows, Cols int
	Data       []T
}

// New returns a Rows x Cols matrix of zeros.
func New[T Float](rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Data: make([]T, rows*cols)}
}

// Of wraps data as a rows x cols matrix. It panics if the length does not fit.
func Of[T Float](rows, cols int, data []T) Matrix[T] {
	if len(data) != rows*cols {
		panic(fmt.Sprintf("vec: %d values for a %d x %d matrix", len(data), rows, cols))
	}
	return Matrix[T]{Rows: rows, Cols: cols, Data: data}
}

// Row returns row i as a slice that shares the matrix's memory.
func (m Matrix[T]) Row(i int) []T {
	return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols]
}

// Slice returns rows from..to (to excluded), sharing memory.
func (m Matrix[T]) Slice(from, to int) Matrix[T] {
	return Matrix[T]{Rows: to - from, Cols: m.Cols, Data: m.Data[from*m.Cols : to*m.Cols : to*m.Cols]}
}

// Clone returns a copy with its own memory.
func (m Matrix[T]) Clone() Matrix[T] {
	return Matrix[T]{Rows: m.Rows, Cols: m.Cols, Data: append([]T(nil), m.Data...)}
}

// Take returns a new matrix of the given rows, in that order.
func Take[T Float, I ~int | ~int32](m Matrix[T], rows []I) Matrix[T] {
	out := New[T](len(rows), m.Cols)
	for k, i := range rows {
		copy(out.Row(k), m.Row(int(i)))
	}
	return out
}

// Pick returns the elements of v at the given indices, in that order.
func Pick[T any, I ~int | ~int32 | ~uint32](v []T, at []I) []T {
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = v[i]
	}
	return out
}

// Convert returns a copy of m with elements of type U.
func Convert[U, T Float](m Matrix[T]) Matrix[U] {
	out := New[U](m.Rows, m.Cols)
	for i, v := range m.Data {
		out.Data[i] = U(v)
	}
	return out
}

// As returns m with elements of type U: m itself if it has that type, otherwise a copy.
func As[U, T Float](m Matrix[T]) Matrix[U] {
	if same, is := any(m).(Matrix[U]); is {
		return same
	}
	return Convert[U](m)
}

// SquaredDistance returns sum_k (a_k-b_k)^2, accumulated in float64 in index order, so that it is
// the same number everywhere. (The explicit conversion prevents compilers from fusing the product
// into the sum on some CPUs.)
func SquaredDistance[T Float](a, b []T) float64 {
	b = b[:len(a)]
	var s float64
	for k, v := range a {
		d := float64(v) - float64(b[k])
		s += float64(d * d)
	}
	return s
}

// RowsOf returns views of the rows of a matrix as arrays R of its number of columns, so that a row
// costs one bounds check and no multiplication. They share its memory.
func RowsOf[R interface{ [2]T | [3]T | [4]T }, T Float](m Matrix[T]) []R {
	if len(m.Data) == 0 {
		return nil
	}
	data := m.Data[:m.Rows*m.Cols]
	return unsafe.Slice((*R)(unsafe.Pointer(unsafe.SliceData(data))), m.Rows)
}
