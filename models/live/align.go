package live

import (
	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// Align moves mu, rigidly, to where it fits an older map best. Rows of from are
// places of some points in the new frame, rows of to the same points' places in
// the old one. With the centred matrices F and T it finds the orthogonal R that
// minimises |F R - T|^2 (Procrustes; Schönemann 1966): F'T = U S V', R = U V',
// which may reflect, and replaces each row m of mu by (m - mean F) R + mean T.
// Nothing is scaled: distances in the map, and so sigma and the likelihood, stay.
func Align(mu, from, to vec.Matrix[float64]) {
	d := mu.Cols
	if from.Rows == 0 || d == 0 {
		return
	}
	meanF, meanT := columnMeans(from), columnMeans(to)
	cross := mat.NewDense(d, d, nil)
	for i := range from.Rows {
		f, t := from.Row(i), to.Row(i)
		for a := range d {
			for b := range d {
				cross.Set(a, b, cross.At(a, b)+(f[a]-meanF[a])*(t[b]-meanT[b]))
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(cross, mat.SVDFull) {
		return
	}
	var u, v, r mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	r.Mul(&u, v.T())
	row := make([]float64, d)
	for i := range mu.Rows {
		m := mu.Row(i)
		for a := range d {
			row[a] = m[a] - meanF[a]
		}
		for b := range d {
			sum := meanT[b]
			for a := range d {
				sum += row[a] * r.At(a, b)
			}
			m[b] = sum
		}
	}
}

func columnMeans(m vec.Matrix[float64]) []float64 {
	mean := make([]float64, m.Cols)
	for i := range m.Rows {
		for k, v := range m.Row(i) {
			mean[k] += v / float64(m.Rows)
		}
	}
	return mean
}
