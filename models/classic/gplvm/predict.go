package gplvm

import (
	"slices"

	"unfold/internal/vec"
)

// Predictor returns the process given all observed rows at theta and x. It makes the predictions of
// the full model (eq 12), for noise with its own variance.
func (m *Model) Predictor(theta []float64, x vec.Matrix[float64], noise Gaussian) (*Active, error) {
	all := make([]int32, m.y.Rows)
	for i := range all {
		all[i] = int32(i)
	}
	return m.predictor(theta, x, noise, all)
}

// predictor is Predictor given only some rows, ascending: an active set.
func (m *Model) predictor(theta []float64, x vec.Matrix[float64], noise Gaussian, active []int32) (*Active, error) {
	s := &Sparse{kernel: m.kernel, noise: noise, y: m.y, bias: m.mean, columns: len(m.patterns), threads: m.threads}
	a := &Active{s: s, theta: theta, x: x}
	if len(active) < x.Rows {
		a.x = vec.Take(x, active)
	}
	for c := range m.patterns {
		p := &m.patterns[c]
		g := group{outputs: p.outputs}
		var rows []int32 // rows of the pattern
		for i := range p.len(m.y.Rows) {
			if r, ok := slices.BinarySearch(active, int32(p.row(i))); ok {
				g.rows, g.noise, rows = append(g.rows, int32(r)), append(g.noise, noise.Variance), append(rows, int32(i))
			}
		}
		g.m = vec.Take(p.y, rows)
		a.groups = append(a.groups, g)
	}
	return a, a.update()
}
