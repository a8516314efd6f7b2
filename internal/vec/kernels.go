package vec

// Dot returns sum_k a_k b_k, accumulated in float64 in index order. b must be
// at least as long as a.
func Dot[T Float](a, b []T) float64 {
	b = b[:len(a)]
	var s float64
	for k, v := range a {
		s += float64(float64(v) * float64(b[k]))
	}
	return s
}

// Axpy adds alpha x to y, element by element. y must be at least as long as x.
func Axpy[T Float](alpha T, x, y []T) {
	y = y[:len(x)]
	for k, v := range x {
		y[k] += T(alpha * v)
	}
}

// Scale multiplies x by alpha.
func Scale[T Float](alpha T, x []T) {
	for k := range x {
		x[k] *= alpha
	}
}

// SquaredNorm returns sum_k a_k^2, accumulated in float64 in index order.
func SquaredNorm[T Float](a []T) float64 {
	var s float64
	for _, v := range a {
		s += float64(float64(v) * float64(v))
	}
	return s
}

// Finite reports whether all values are finite numbers.
func Finite[T Float](values []T) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// Transpose returns the transpose of m.
func Transpose[T Float](m Matrix[T]) Matrix[T] {
	out := New[T](m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			out.Data[j*m.Rows+i] = v
		}
	}
	return out
}
