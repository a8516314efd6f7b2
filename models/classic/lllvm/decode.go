package lllvm

import (
	"cmp"
	"slices"

	"unfold/internal/vec"
)

// Decode implements placing.Guest. It sets y to the mean prediction of the k nearest learnt points
// by their tangent maps (main text, section 4.2),
//
//	y = 1/k sum_i [y_i + C_i (x - x_i)],
//
// and returns the variance of one element of y,
//
//	1/(2 k gamma) + 1/k sum_i [(x - x_i)' Sigma_C,ii (x - x_i) + tr(C_i Sigma_x,ii C_i')/q]:
//
// which is the sum of the variances of the noise, of the linear maps and of the learnt positions.
func (w *guest) Decode(y, x []float64) (variance float64) {
	st, n, d := w.state, w.model.g.Len(), len(x)
	clear(y)
	near := w.closest(x)
	k := float64(len(near))
	step := make([]float64, d)
	for _, i := range near {
		subtract(step, x, st.MuX.Row(int(i)))
		vec.Axpy(1/k, w.model.y.Row(int(i)), y)
		for r, dr := range step {
			c := st.MuC.Row(r*n + int(i))
			vec.Axpy(dr/k, c, y)
			for s, ds := range step {
				variance += dr * ds * st.CovC.Block(r, s, int(i)) / k
				cov := st.CovX.Block(r, s, int(i))
				if r == s {
					cov -= 1 / (float64(n) * st.Alpha) // the map's centre, see Variances
				}
				variance += cov * vec.Dot(c, st.MuC.Row(s*n+int(i))) / k / float64(len(y))
			}
		}
	}
	return max(variance, 0) + 1/(2*k*st.Gamma)
}

// closest returns the k learnt points nearest to x on the map.
func (p *placer) closest(x []float64) []int32 {
	type at struct {
		i     int32
		dist2 float64
	}
	all := make([]at, p.state.MuX.Rows)
	for i := range all {
		all[i] = at{int32(i), vec.SquaredDistance(x, p.state.MuX.Row(i))}
	}
	slices.SortFunc(all, func(a, b at) int { return cmp.Or(cmp.Compare(a.dist2, b.dist2), cmp.Compare(a.i, b.i)) })
	out := make([]int32, p.k)
	for m := range out {
		out[m] = all[m].i
	}
	return out
}

// Spread implements models.Spreader: the posterior covariances of the learnt points,
// relative to the map's centre (Variances).
func (p *Placer) Spread() (mu vec.Matrix[float64], cov []vec.Matrix[float64]) {
	st, d, n := p.by.state, p.Dims(), p.by.model.g.Len()
	common := 1 / (float64(n) * st.Alpha)
	for i := range n {
		c := vec.New[float64](d, d)
		for r := range d {
			for s := range d {
				c.Row(r)[s] = st.CovX.Block(r, s, i)
			}
			c.Row(r)[r] -= common
		}
		cov = append(cov, p.Motion().Turned(c))
	}
	return p.Settled(), cov
}
