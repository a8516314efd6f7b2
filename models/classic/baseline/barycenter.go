package baseline

import (
	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// ridge is the amount added to the diagonal of a local Gram matrix, as a share of its trace.
const ridge = 1e-3

// barycenter computes the weights of neighbours, for one goroutine.
type barycenter struct {
	gram    *mat.SymDense
	weights *mat.VecDense
	ones    *mat.VecDense
	diff    vec.Matrix[float64]
}

// newBarycenter serves k neighbours of dim elements.
func newBarycenter(k, dim int) *barycenter {
	b := &barycenter{gram: mat.NewSymDense(k, nil), weights: mat.NewVecDense(k, nil), ones: mat.NewVecDense(k, nil), diff: vec.New[float64](k, dim)}
	for i := range k {
		b.ones.SetVec(i, 1)
	}
	return b
}

// of returns the weights, summing to 1, that best reconstruct x from k rows of points (Roweis and
// Saul, Science 290, 2000). They solve G w = 1, scaled, with G_ij = (x - x_i)'(x - x_j) and a ridge
// of 1e-3 tr G. The weights are equal if all points coincide with x. The result is valid until the
// next call.
func (b *barycenter) of(x []float64, points vec.Matrix[float64], near []int32) []float64 {
	trace, sum := 0.0, 0.0
	for i, j := range near {
		for c, v := range points.Row(int(j)) {
			b.diff.Row(i)[c] = x[c] - v
		}
		trace += vec.SquaredNorm(b.diff.Row(i))
	}
	w := b.weights.RawVector().Data
	for i := range near {
		for j := range i + 1 {
			b.gram.SetSym(i, j, vec.Dot(b.diff.Row(i), b.diff.Row(j)))
		}
		b.gram.SetSym(i, i, b.gram.At(i, i)+ridge*trace)
		w[i] = 1
	}
	var chol mat.Cholesky
	if trace > 0 && chol.Factorize(b.gram) {
		// The error reports a bad condition number, which the ridge makes harmless here.
		_ = chol.SolveVecTo(b.weights, b.ones)
	}
	for _, v := range w {
		sum += v
	}
	vec.Scale(1/sum, w)
	return w
}
