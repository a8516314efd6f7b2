package prior

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// Similarity is a similarity transform of d dimensions: rotation or reflection, scaling and shift,
// T(p) = Scale (p - From) R + To.
type Similarity struct {
	Scale    float64
	Turn     vec.Matrix[float64] // R, d x d, orthogonal
	From, To []float64           // d
}

// Apply sets dst to T(p). Both have d elements and must not overlap.
func (s Similarity) Apply(dst, p []float64) {
	copy(dst, s.To)
	for a, from := range s.From {
		vec.Axpy(s.Scale*(p[a]-from), s.Turn.Row(a), dst)
	}
}

// Rigid returns the transform without scaling that brings the rows of from, m x d, closest to those
// of to. It reports false if there is none, because there are no rows or values are not finite.
func Rigid(from, to vec.Matrix[float64]) (Similarity, bool) {
	s := fit(from, to, allRows(from), false, 0)
	return s, s.Turn.Rows > 0
}

// Similar returns the transform, with scaling, that brings the rows of from, m x d, closest to
// those of to. It reports false if there is none, because there are no rows or values are not
// finite.
func Similar(from, to vec.Matrix[float64]) (Similarity, bool) {
	s := fit(from, to, allRows(from), true, 0)
	return s, s.Turn.Rows > 0
}

// fit returns argmin_T sum |to_i - T(from_i)|^2 over the given rows (Procrustes; Schönemann 1966,
// with scale Schönemann and Carroll 1970). With the centred matrices F and G
//
//	F'G = U S V',  R = U V',  scale = tr S / |F|^2,                             (H18)
//
// The scale is 1 if it is not free, and 0 if F does not vary.
func fit(from, to vec.Matrix[float64], rows []int32, scaled bool, threads int) Similarity {
	d := from.Cols
	s := Similarity{Scale: 1, From: means(from, rows, threads), To: means(to, rows, threads)}
	sums := summed(len(rows), d*d+1, threads, func(sum []float64, first, last int) { // F'G and |F|^2
		for _, i := range rows[first:last] {
			f, g := from.Row(int(i)), to.Row(int(i))
			for a, origin := range s.From {
				x := f[a] - origin
				sum[d*d] += x * x
				for b, origin := range s.To {
					sum[a*d+b] += x * (g[b] - origin)
				}
			}
		}
	})
	cross, square := sums[:d*d], sums[d*d]
	var svd mat.SVD
	if len(rows) == 0 || !vec.Finite(cross) || !svd.Factorize(mat.NewDense(d, d, cross), mat.SVDFull) {
		return Similarity{}
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	s.Turn = vec.New[float64](d, d)
	mat.NewDense(d, d, s.Turn.Data).Mul(&u, v.T())
	if scaled {
		s.Scale = 0
		for _, v := range svd.Values(nil) {
			s.Scale += v / math.Max(square, math.SmallestNonzeroFloat64)
		}
	}
	return s
}

// allRows lists the rows of m.
func allRows(m vec.Matrix[float64]) []int32 {
	rows := make([]int32, m.Rows)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// means of the columns over some rows.
func means(m vec.Matrix[float64], rows []int32, threads int) []float64 {
	mean := summed(len(rows), m.Cols, threads, func(sum []float64, first, last int) {
		for _, i := range rows[first:last] {
			for k, v := range m.Row(int(i)) {
				sum[k] += v
			}
		}
	})
	for k := range mean {
		mean[k] /= float64(len(rows))
	}
	return mean
}

// piece is the number of rows of one task.
const piece = 8192

// summed returns count sums over n rows; add adds the contribution of a range of rows. Ranges are
// added in order, so that the result does not depend on the number of threads.
func summed(n, count, threads int, add func(sum []float64, first, last int)) []float64 {
	all := make([]float64, max(1, par.Pieces(n, piece))*count)
	par.Ranges(threads, n, piece, func(t, first, last int) { add(all[t*count:(t+1)*count], first, last) })
	for t := count; t < len(all); t += count {
		vec.Axpy(1, all[t:t+count], all[:count])
	}
	return all[:count]
}

// ApplyAll replaces the rows of m by their images.
func (s Similarity) ApplyAll(m vec.Matrix[float64]) {
	row := make([]float64, m.Cols)
	for i := range m.Rows {
		s.Apply(row, m.Row(i))
		copy(m.Row(i), row)
	}
}
