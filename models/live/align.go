package live

import (
	"unfold/internal/vec"
	"unfold/models/prior"
)

// Align moves mu, rigidly, to where it fits an older map best: prior.Rigid. Rows of from
// are places of some points in the new frame, rows of to the same points' places in the
// old one. Nothing is scaled: distances in the map, and so sigma and the likelihood, stay.
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
