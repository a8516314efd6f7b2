package score

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// distances computes squared distances, or the corresponding values of another distance, from some
// rows to all rows. For few columns it computes them directly. Otherwise it uses matrix products of
// the centred rows, |a|^2 + |b|^2 - 2ab in float64. Differences at the level of rounding are set to
// 0, so that equal rows are at distance 0 and tie.
type distances[T vec.Float] struct {
	d    distance.Distance
	x    vec.Matrix[T]
	mean []float64
	norm []float64 // |x_i - mean|^2
}

// distanceBlock is the number of rows in a block. With the 32 rows of a task, the product stays
// below the size at which gonum starts goroutines.
const distanceBlock = 192

// fewColumns is the maximum number of columns for the direct computation. rounding is the
// difference, relative to |a|^2 + |b|^2, that counts as 0 otherwise.
const (
	fewColumns = 16
	rounding   = 1e-13
)

func newDistances[T vec.Float](by distance.Distance, x vec.Matrix[T], threads int) *distances[T] {
	d := &distances[T]{d: by, x: x, mean: make([]float64, x.Cols), norm: make([]float64, x.Rows)}
	if d.direct() {
		return d
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			d.mean[j] += float64(v) / float64(x.Rows)
		}
	}
	par.Ranges(threads, x.Rows, 1024, func(_, from, to int) {
		row := make([]float64, x.Cols)
		for i := from; i < to; i++ {
			d.centred(row, i)
			d.norm[i] = vec.SquaredNorm(row)
		}
	})
	return d
}

// direct reports whether pairs are computed one by one, as they always are for distances other than
// the Euclidean.
func (d *distances[T]) direct() bool {
	return d.x.Cols <= fewColumns || d.d != distance.Euclidean
}

// centred sets out to row i minus the mean.
func (d *distances[T]) centred(out []float64, i int) {
	for j, v := range d.x.Row(i) {
		out[j] = float64(v) - d.mean[j]
	}
}

// blockWork is the memory that from needs.
type blockWork struct{ out, queries, block, dots []float64 }

// from returns the squared distances of the given rows to all rows, in the memory
// of w.
func (d *distances[T]) from(rows []int, w *blockWork) []float64 {
	n, dim := d.x.Rows, d.x.Cols
	w.out = room(w.out, len(rows)*n)
	if d.direct() {
		for m, i := range rows {
			own, out := d.x.Row(i), w.out[m*n:(m+1)*n]
			for j := range out {
				out[j] = distance.Between(d.d, own, d.x.Row(j))
			}
		}
		return w.out
	}
	w.queries, w.block, w.dots = room(w.queries, len(rows)*dim), room(w.block, distanceBlock*dim), room(w.dots, len(rows)*distanceBlock)
	q := blas64.General{Rows: len(rows), Cols: dim, Stride: dim, Data: w.queries}
	for m, i := range rows {
		d.centred(q.Data[m*dim:(m+1)*dim], i)
	}
	for first := 0; first < n; first += distanceBlock {
		wide := min(distanceBlock, n-first)
		for b := range wide {
			d.centred(w.block[b*dim:(b+1)*dim], first+b)
		}
		c := blas64.General{Rows: len(rows), Cols: wide, Stride: wide, Data: w.dots[:len(rows)*wide]}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, q, blas64.General{Rows: wide, Cols: dim, Stride: dim, Data: w.block[:wide*dim]}, 0, c)
		for m, i := range rows {
			dst := w.out[m*n+first : m*n+first+wide]
			for b, dot := range c.Data[m*wide : (m+1)*wide] {
				sum := d.norm[i] + d.norm[first+b]
				if dst[b] = sum - 2*dot; dst[b] < rounding*sum {
					dst[b] = 0
				}
			}
		}
	}
	return w.out
}

// room returns a slice of n values, in the memory of s if it is large enough.
func room[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}
