package kernel

import (
	"unfold/internal/par"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// strip is the number of rows of a matrix in one task.
const strip = 32

// Matrix writes K(X, X) to dst (n x n); x is n x q.
func (k *Kernel) Matrix(dst vec.Matrix[float64], theta []float64, x vec.Matrix[float64], threads int) {
	k.Lower(dst, theta, NewPoints(x), threads)
	spd.Mirror(dst, threads)
}

// Lower writes the lower triangle of K(X, X) to that of dst (n x n).
func (k *Kernel) Lower(dst vec.Matrix[float64], theta []float64, x *Points, threads int) {
	white := k.Variance(theta)
	par.Ranges(threads, x.Len(), strip, func(_, from, to int) {
		room := NewRoom(x)
		for i := from; i < to; i++ {
			row := dst.Row(i)[:i+1]
			k.CrossRow(row, theta, x.Rows.Row(i), x, room)
			row[i] += white
		}
	})
}

// Cross writes K(X, Z) to dst (n x m); x is n x q and z is m x q.
func (k *Kernel) Cross(dst vec.Matrix[float64], theta []float64, x, z vec.Matrix[float64], threads int) {
	points := NewPoints(z)
	par.Ranges(threads, x.Rows, strip, func(_, from, to int) {
		room := NewRoom(points)
		for i := from; i < to; i++ {
			k.CrossRow(dst.Row(i), theta, x.Row(i), points, room)
		}
	})
}

// Gradient adds the derivatives of F in theta and in X (n x q) for a symmetric W = dF/dK(X, X). dx
// may be empty.
func (k *Kernel) Gradient(dtheta []float64, dx, w vec.Matrix[float64], theta []float64, x vec.Matrix[float64], threads int) {
	// By symmetry the column of K for x_i contributes the same as its row.
	k.gradient(dtheta, dx, w, theta, x, NewPoints(x), 2, threads)
	k.diagonal(dtheta, w, theta)
}

// diagonal adds the derivatives in the noise parameters.
func (k *Kernel) diagonal(dtheta []float64, w vec.Matrix[float64], theta []float64) {
	trace := 0.0
	for i := range w.Rows {
		trace += w.Row(i)[i]
	}
	for c, part := range k.parts {
		if _, noise := part.(White); noise {
			from, to := k.from[c], k.from[c+1]
			part.GradientSelf(dtheta[from:to], nil, trace, theta[from:to], nil)
		}
	}
}

// GradientCross adds the derivatives of F in theta and in X (n x q) for fixed Z and W = dF/dK(X, Z)
// (n x m). dx may be empty.
func (k *Kernel) GradientCross(dtheta []float64, dx, w vec.Matrix[float64], theta []float64, x, z vec.Matrix[float64], threads int) {
	k.gradient(dtheta, dx, w, theta, x, NewPoints(z), 1, threads)
}

func (k *Kernel) gradient(dtheta []float64, dx, w vec.Matrix[float64], theta []float64, x vec.Matrix[float64], z *Points, times float64, threads int) {
	sums := vec.New[float64](par.Pieces(x.Rows, strip), k.Len())
	par.Ranges(threads, x.Rows, strip, func(piece, from, to int) {
		d, room := make([]float64, x.Cols), NewRoom(z)
		for i := from; i < to; i++ {
			clear(d)
			k.GradientRow(sums.Row(piece), d, w.Row(i), theta, x.Row(i), z, room)
			if dx.Rows > 0 {
				vec.Axpy(times, d, dx.Row(i))
			}
		}
	})
	for piece := range sums.Rows {
		vec.Axpy(1, sums.Row(piece), dtheta)
	}
}
