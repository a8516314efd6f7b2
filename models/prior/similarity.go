package prior

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// Similarity is a similarity transform of d dimensions: it turns, may reflect, scales and
// shifts, T(p) = Scale (p - From) R + To.
type Similarity struct {
	Scale    float64
	Turn     vec.Matrix[float64] // R, d x d, orthogonal
	From, To []float64           // d
}

// Apply sets dst to T(p), both d, which may not overlap.
func (s Similarity) Apply(dst, p []float64) {
	copy(dst, s.To)
	for a, from := range s.From {
		vec.Axpy(s.Scale*(p[a]-from), s.Turn.Row(a), dst)
	}
}

// Rigid returns the transform without scaling that brings rows of from, m x d, closest to
// those of to. It reports false if there is none: no rows, or no numbers.
func Rigid(from, to vec.Matrix[float64]) (Similarity, bool) {
	s := fit(from, to, allRows(from), false)
	return s, s.Turn.Rows > 0
}

// Similar returns the transform, with scaling, that brings rows of from, m x d, closest to those
// of to. It reports false if there is none: no rows, or no numbers.
func Similar(from, to vec.Matrix[float64]) (Similarity, bool) {
	s := fit(from, to, allRows(from), true)
	return s, s.Turn.Rows > 0
}

// fit returns argmin_T sum |to_i - T(from_i)|^2 over some rows (Procrustes; Schönemann
// 1966, with scale Schönemann and Carroll 1970): with the centred matrices F and G,
//
//	F'G = U S V',  R = U V',  scale = tr S / |F|^2,                             (H18)
//
// and 1 for the scale if it is not free. Where F does not vary the scale is 0.
func fit(from, to vec.Matrix[float64], rows []int32, scaled bool) Similarity {
	d := from.Cols
	s := Similarity{Scale: 1, From: means(from, rows), To: means(to, rows)}
	cross := make([]float64, d*d)
	var square float64
	for _, i := range rows {
		f, g := from.Row(int(i)), to.Row(int(i))
		for a := range d {
			x := f[a] - s.From[a]
			square += x * x
			for b := range d {
				cross[a*d+b] += x * (g[b] - s.To[b])
			}
		}
	}
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
func means(m vec.Matrix[float64], rows []int32) []float64 {
	mean := make([]float64, m.Cols)
	for _, i := range rows {
		for k, v := range m.Row(int(i)) {
			mean[k] += v / float64(len(rows))
		}
	}
	return mean
}

// ApplyAll replaces the rows of m by their images.
func (s Similarity) ApplyAll(m vec.Matrix[float64]) {
	row := make([]float64, m.Cols)
	for i := range m.Rows {
		s.Apply(row, m.Row(i))
		copy(m.Row(i), row)
	}
}
