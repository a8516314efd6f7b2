package spectral

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// piece is the number of rows of one task; sums are formed piece by piece.
const piece = 4096

// basis does the arithmetic of tall matrices with few columns.
type basis struct{ threads int }

// gram returns A'B.
func (b *basis) gram(x, y vec.Matrix[float64]) *mat.Dense {
	size := x.Cols * y.Cols
	part := make([]float64, par.Pieces(x.Rows, piece)*size)
	par.Ranges(b.threads, x.Rows, piece, func(t, from, to int) {
		sum := part[t*size : (t+1)*size]
		for i := from; i < to; i++ {
			yi := y.Row(i)
			for c, v := range x.Row(i) {
				row := sum[c*len(yi) : (c+1)*len(yi)]
				for k, u := range yi {
					row[k] += v * u
				}
			}
		}
	})
	total := make([]float64, size)
	for t := 0; t < len(part); t += size {
		for k, v := range part[t : t+size] {
			total[k] += v
		}
	}
	return mat.NewDense(x.Cols, y.Cols, total)
}

// combine returns X C.
func (b *basis) combine(x vec.Matrix[float64], c mat.Matrix) vec.Matrix[float64] {
	rows, cols := c.Dims()
	flat := make([]float64, 0, rows*cols)
	for i := range rows {
		for j := range cols {
			flat = append(flat, c.At(i, j))
		}
	}
	out := vec.New[float64](x.Rows, cols)
	par.Ranges(b.threads, x.Rows, piece, func(_, from, to int) {
		for i := from; i < to; i++ {
			o := out.Row(i)
			for k, v := range x.Row(i) {
				for j, u := range flat[k*cols : (k+1)*cols] {
					o[j] += v * u
				}
			}
		}
	})
	return out
}

// remove takes the part in the span of the orthonormal x out of y.
func (b *basis) remove(y, x vec.Matrix[float64]) {
	part := b.combine(x, b.gram(x, y))
	for k, v := range part.Data {
		y.Data[k] -= v
	}
}

// join returns the columns of x and y side by side.
func (b *basis) join(x, y vec.Matrix[float64]) vec.Matrix[float64] {
	out := vec.New[float64](x.Rows, x.Cols+y.Cols)
	for i := range x.Rows {
		copy(out.Row(i), x.Row(i))
		copy(out.Row(i)[x.Cols:], y.Row(i))
	}
	return out
}

// scale makes the columns of x unit vectors; zero columns stay.
func (b *basis) scale(x vec.Matrix[float64]) {
	factor := make([]float64, x.Cols)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			factor[c] += v * v
		}
	}
	for c, v := range factor {
		if v > 0 {
			factor[c] = 1 / math.Sqrt(v)
		}
	}
	for i := range x.Rows {
		row := x.Row(i)
		for c, f := range factor {
			row[c] *= f
		}
	}
}

// orthonormal returns an orthonormal basis of the span of x, without the
// directions that are lost in rounding: two passes of X V Lambda^(-1/2) with
// X'X = V Lambda V'.
func (b *basis) orthonormal(x vec.Matrix[float64]) vec.Matrix[float64] {
	for range 2 {
		g := b.gram(x, x)
		s := mat.NewSymDense(x.Cols, nil)
		for i := range x.Cols {
			for j := i; j < x.Cols; j++ {
				s.SetSym(i, j, g.At(i, j))
			}
		}
		var e mat.EigenSym
		if !e.Factorize(s, true) {
			return vec.New[float64](x.Rows, 0)
		}
		values := e.Values(nil)
		var v mat.Dense
		e.VectorsTo(&v)
		first := 0 // eigenvalues ascend
		for first < len(values) && !(values[first] > 1e-13*values[len(values)-1]) {
			first++
		}
		if first == len(values) {
			return vec.New[float64](x.Rows, 0)
		}
		keep := mat.DenseCopyOf(v.Slice(0, x.Cols, first, x.Cols))
		for i := range x.Cols {
			for j := range len(values) - first {
				keep.Set(i, j, keep.At(i, j)/math.Sqrt(values[first+j]))
			}
		}
		x = b.combine(x, keep)
	}
	return x
}
