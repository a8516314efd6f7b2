package live

import (
	"unfold/internal/vec"
	"unfold/models/prior"
)

// Align moves mu rigidly onto an older map (prior.Rigid). Rows of from are the places of some
// points in the new frame, rows of to the places of the same points in the old one. There is no
// scaling, so distances, sigma and the likelihood do not change.
func Align(mu, from, to vec.Matrix[float64]) {
	if t, ok := prior.Rigid(from, to); ok {
		t.ApplyAll(mu)
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
