package placing

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// Motion is a rigid motion of the map, x -> (x - from) turn + to. A stream may align a map with an
// earlier one while the model's own numbers stay in the frame of learning. The zero value is the
// identity.
type Motion struct {
	turn     *mat.Dense
	from, to []float64
}

// NewMotion returns the motion that maps the rows of a to the rows of b, which must be a rigid
// motion of a (Procrustes; Schönemann 1966).
func NewMotion(a, b vec.Matrix[float64]) Motion {
	if slices.Equal(a.Data, b.Data) {
		return Motion{}
	}
	d := a.Cols
	m := Motion{turn: mat.NewDense(d, d, nil), from: means(a), to: means(b)}
	cross := mat.NewDense(d, d, nil)
	for i := range a.Rows {
		for p := range d {
			for q := range d {
				cross.Set(p, q, cross.At(p, q)+(a.Row(i)[p]-m.from[p])*(b.Row(i)[q]-m.to[q]))
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(cross, mat.SVDFull) {
		panic("placing: the singular values of a small matrix did not converge")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	m.turn.Mul(&u, v.T())
	return m
}

func means(a vec.Matrix[float64]) []float64 {
	out := make([]float64, a.Cols)
	for i := range a.Rows {
		vec.Axpy(1/float64(a.Rows), a.Row(i), out)
	}
	return out
}

// Forth moves a point from the model's frame to the snapshot's.
func (m Motion) Forth(x []float64) {
	if m.turn == nil {
		return
	}
	old := slices.Clone(x)
	for q := range x {
		x[q] = m.to[q]
		for p, v := range old {
			x[q] += (v - m.from[p]) * m.turn.At(p, q)
		}
	}
}

// Back undoes Forth.
func (m Motion) Back(x []float64) {
	if m.turn == nil {
		return
	}
	old := slices.Clone(x)
	for p := range x {
		x[p] = m.from[p]
		for q, v := range old {
			x[p] += (v - m.to[q]) * m.turn.At(p, q)
		}
	}
}

// Turned returns a d x d covariance in the snapshot's frame: turn' cov turn.
func (m Motion) Turned(cov vec.Matrix[float64]) vec.Matrix[float64] {
	if m.turn == nil {
		return cov
	}
	var out mat.Dense
	out.Product(m.turn.T(), mat.NewDense(cov.Rows, cov.Cols, cov.Data), m.turn)
	return vec.Of(cov.Rows, cov.Cols, out.RawMatrix().Data)
}
