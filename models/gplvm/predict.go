package gplvm

import "unfold/sparse/vec"

// Predictor returns the process given all rows that are observed, at theta and x:
// the predictions of the full model (eq 12), for noise with a variance of its own.
func (m *Model) Predictor(theta []float64, x vec.Matrix[float64], noise Gaussian) (*Active, error) {
	s := &Sparse{kernel: m.kernel, noise: noise, y: m.y, bias: m.mean, columns: len(m.patterns), threads: m.threads}
	a := &Active{s: s, theta: theta, x: x}
	for c := range m.patterns {
		p := &m.patterns[c]
		g := group{outputs: p.outputs, m: p.y}
		for i := range p.len(m.y.Rows) {
			g.rows, g.noise = append(g.rows, int32(p.row(i))), append(g.noise, noise.Variance)
		}
		a.groups = append(a.groups, g)
	}
	return a, a.update()
}
