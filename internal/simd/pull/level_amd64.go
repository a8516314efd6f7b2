//go:build amd64 && !noasm

package pull

import "unfold/internal/simd"

// rowsAt is Rows at a level of instructions.
func rowsAt(l simd.Level, p *Pairs[float32, uint8], st *State, c float64, w []float32, grad [][2]float64, sum []float64, from, to int) {
	if l < simd.AVX2 || from >= to || len(p.Index) == 0 {
		p.rows(st, c, w, grad, sum, from, to)
		return
	}
	edges := p.Start[to]
	_, _, _, _ = p.Index[:edges], p.Length[:edges], p.Number[:edges], w[:edges]
	_, _, _, _ = st.Mu[:to], st.Sigma2[:to], grad[:to], sum[:to]
	rowsAVX2(&p.Start[0], &p.Index[0], &p.Length[0], &p.Number[0], &p.Weight[0], &st.Mu[0], &st.Sigma2[0], &w[0], &grad[0], &sum[0], from, to, st.Half, c)
}
