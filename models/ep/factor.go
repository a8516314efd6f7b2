package ep

import (
	"math"

	"unfold/internal/vec"
)

// leastPivot is the least share of a pivot that a rank-one change may leave.
const leastPivot = 1e-8

// forward solves L x = x in place. The rows of u are those of L'.
func forward(u vec.Matrix[float64], x []float64) {
	for k := range x {
		row := u.Row(k)
		v := x[k] / row[k]
		x[k] = v
		rest, y := row[k+1:], x[k+1:]
		y = y[:len(rest)]
		for i, l := range rest {
			y[i] -= v * l
		}
	}
}

// backward solves L' x = x in place.
func backward(u vec.Matrix[float64], x []float64) {
	for k := len(x) - 1; k >= 0; k-- {
		row := u.Row(k)
		x[k] = (x[k] - vec.Dot(row[k+1:], x[k+1:])) / row[k]
	}
}

// rankOne updates the factor L of M to that of M + c x x', and reduced = L^-1 b to that of b + e x.
// w = L^-1 x is given (Gill, Golub, Murray and Saunders, "Methods for modifying matrix
// factorizations", Mathematics of Computation 28, 1974). The new factor is L K with K K' = I + c w
// w',
//
//	K_kk = sqrt(a_k/a_k-1),  K_jk = w_j b_k,  b_k = c w_k/(a_k-1 K_kk),  a_k = 1 + c sum_j<=k w_j^2.
//
// x is overwritten.
func rankOne(u vec.Matrix[float64], c, e float64, w, x, reduced []float64) {
	a, sum := 1.0, 0.0
	for k, v := range w {
		next := a + c*v*v
		d := math.Sqrt(next / a)
		b := c * v / (a * d)
		a = next
		g := (reduced[k] + (e-sum)*v) / d
		reduced[k] = g
		sum += b * g
		row := u.Row(k)
		row[k] *= d
		rest, y := row[k+1:], x[k+1:]
		y = y[:len(rest)]
		for i, l := range rest {
			t := y[i] - v*l // x minus its part along the columns up to k
			y[i] = t
			rest[i] = d*l + b*t
		}
	}
}
