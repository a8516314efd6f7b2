package lllvm

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/sparse/vec"
)

// rigid is a motion of the map, x -> (x - from) turn + to: a stream may lay a map on an
// earlier one, while the posterior stays in the frame that it was learnt in.
type rigid struct {
	turn     *mat.Dense // nil: there is none
	from, to []float64
}

// newRigid finds the motion that takes the rows of a to those of b, of which one was
// made of the other by a motion (Procrustes; Schönemann 1966).
func newRigid(a, b vec.Matrix[float64]) rigid {
	if slices.Equal(a.Data, b.Data) {
		return rigid{}
	}
	d := a.Cols
	r := rigid{turn: mat.NewDense(d, d, nil), from: means(a), to: means(b)}
	cross := mat.NewDense(d, d, nil)
	for i := range a.Rows {
		for p := range d {
			for q := range d {
				cross.Set(p, q, cross.At(p, q)+(a.Row(i)[p]-r.from[p])*(b.Row(i)[q]-r.to[q]))
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(cross, mat.SVDFull) {
		panic("lllvm: the singular values of a small matrix did not converge")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	r.turn.Mul(&u, v.T())
	return r
}

func means(a vec.Matrix[float64]) []float64 {
	out := make([]float64, a.Cols)
	for i := range a.Rows {
		vec.Axpy(1/float64(a.Rows), a.Row(i), out)
	}
	return out
}

// forth moves a point of the model's frame into the snapshot's.
func (r rigid) forth(x []float64) {
	if r.turn == nil {
		return
	}
	old := slices.Clone(x)
	for q := range x {
		x[q] = r.to[q]
		for p, v := range old {
			x[q] += (v - r.from[p]) * r.turn.At(p, q)
		}
	}
}

// back undoes forth.
func (r rigid) back(x []float64) {
	if r.turn == nil {
		return
	}
	old := slices.Clone(x)
	for p := range x {
		x[p] = r.from[p]
		for q, v := range old {
			x[p] += (v - r.to[q]) * r.turn.At(p, q)
		}
	}
}

// turned returns a covariance as it is after forth: turn' cov turn.
func (r rigid) turned(cov vec.Matrix[float64]) vec.Matrix[float64] {
	if r.turn == nil {
		return cov
	}
	c := mat.NewDense(cov.Rows, cov.Cols, cov.Data)
	var out mat.Dense
	out.Product(r.turn.T(), c, r.turn)
	return vec.Of(cov.Rows, cov.Cols, out.RawMatrix().Data)
}
