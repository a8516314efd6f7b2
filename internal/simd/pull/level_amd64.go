//go:build amd64 && !noasm

package pull

import "unfold/internal/simd"

// planeAt is Rows in the plane with the given instruction set.
func planeAt(l simd.Level, p *Pairs[float32, uint8], st *State[[2]float64], c float64, w []float32, grad [][2]float64, sum []float64, from, to int) {
	if l < simd.AVX2 || !hold(p, st, w, grad, sum, from, to) {
		p.plane(st, c, w, grad, sum, from, to)
		return
	}
	planeAVX2(&p.Start[0], &p.Index[0], &p.Length[0], &p.Number[0], &p.Weight[0], &st.Mu[0], &st.Sigma2[0], &w[0], &grad[0], &sum[0], from, to, st.Half, c)
}

// spaceAt is Rows in space with the given instruction set.
func spaceAt(l simd.Level, p *Pairs[float32, uint8], st *State[[3]float64], c float64, w []float32, grad [][3]float64, sum []float64, from, to int) {
	if l < simd.AVX2 || !hold(p, st, w, grad, sum, from, to) {
		p.space(st, c, w, grad, sum, from, to)
		return
	}
	spaceAVX2(&p.Start[0], &p.Index[0], &p.Length[0], &p.Number[0], &p.Weight[0], &st.Mu[0], &st.Sigma2[0], &w[0], &grad[0], &sum[0], from, to, st.Half, c)
}

// hold panics if a slice is too short for rows from..to. It reports whether there is anything to
// do.
func hold[P Place](p *Pairs[float32, uint8], st *State[P], w []float32, grad []P, sum []float64, from, to int) bool {
	if from >= to || len(p.Index) == 0 {
		return false
	}
	edges := p.Start[to]
	_, _, _, _ = p.Index[:edges], p.Length[:edges], p.Number[:edges], w[:edges]
	_, _, _, _ = st.Mu[:to], st.Sigma2[:to], grad[:to], sum[:to]
	return true
}
