package labels

import (
	"math"

	"unfold/internal/vec"
	"unfold/models/ep"
	"unfold/models/psi"
)

// model is a classifier under training.
type model struct {
	*ep.Hybrid
	// variance are the squared scales, of which spread times is used.
	variance vec.Matrix[float64]
	spread   float64
}

// hybrid sets up inputs, labels, inducing inputs and the kernel to begin with.
func (e Events) hybrid(rows []int, old *Classifier, set Settings) *model {
	n, d := len(rows), e.Mu.Cols
	functions := len(e.Names)
	if functions == 2 {
		functions = 1
	}
	h := &model{Hybrid: &ep.Hybrid{Threads: set.Threads, In: psi.Inputs{Mu: vec.Take(e.Mu, rows), S: vec.New[float64](n, d)}},
		variance: vec.New[float64](n, d), spread: 1}
	c := &ep.Classes{Y: vec.New[float64](n, functions)}
	for i, row := range rows {
		for q := range d {
			h.variance.Row(i)[q] = e.Sigma[row] * e.Sigma[row]
		}
		for k := range functions {
			if c.Y.Row(i)[k] = -1; e.Class[row] == int32(k) {
				c.Y.Row(i)[k] = 1
			}
		}
	}
	if old != nil && old.Dims() == d {
		c.Kernel = old.joint.Kernel.Clone()
		h.spread = old.Spread
	} else {
		c.Kernel = psi.Kernel{Variance: firstVariance, Alpha: make([]float64, d)}
		width := lengthShare * extent(h.In.Mu)
		for q := range c.Kernel.Alpha {
			c.Kernel.Alpha[q] = 1 / (width * width)
		}
	}
	c.Z = centres(h.In.Mu, min(set.Inducing, n), set.Seed)
	h.Classes = c
	if !set.Certain {
		h.spreadBy(h.spread)
	}
	return h
}

// spreadBy takes factor times the variances.
func (h *model) spreadBy(factor float64) {
	h.spread = factor
	copy(h.In.S.Data, h.variance.Data)
	vec.Scale(factor, h.In.S.Data)
}

// extent is the root of the mean variance of the places, 1 if all are in one.
func extent(x vec.Matrix[float64]) float64 {
	mean, sum := make([]float64, x.Cols), 0.0
	for i := range x.Rows {
		vec.Axpy(1/float64(x.Rows), x.Row(i), mean)
	}
	for i := range x.Rows {
		sum += vec.SquaredDistance(x.Row(i), mean)
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum / float64(x.Rows))
}
