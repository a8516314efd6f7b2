package ep

import (
	"context"
	"math"
	"sync"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/optimize"
	"unfold/models/psi"
)

// Hybrid is a Gaussian process classifier and a GP-LVM, a discriminative and a generative model,
// that share their uncertain inputs (Andrade-Pacheco et al. 2014). With only one of them it is a
// classifier or a sparse GP-LVM. Learn moves all parameters that are not fixed.
type Hybrid struct {
	In      psi.Inputs // q(X), n x q
	Data    *Data      // nil: none
	Classes *Classes   // nil: none
	Threads int
}

// Data are n x D values, NaN where missing; every column has an observed value. Each column is a
// Gaussian process of the inputs; the noise precision is the same for all.
type Data struct {
	Kernel    psi.Kernel
	Z         vec.Matrix[float64] // m x q
	Y         vec.Matrix[float64]
	Precision float64
}

// Classes are n x C labels, 1, -1, or NaN if unknown. Each column is a probit classifier of the
// inputs.
type Classes struct {
	Kernel psi.Kernel
	Z      vec.Matrix[float64] // m x q
	Y      vec.Matrix[float64]
	// Sites are the sites of each column, nil at first.
	Sites []*Sites
}

// LearnSettings are the settings of Learn; the zero value works.
type LearnSettings struct {
	// Rounds is the number of alternations of sweeps and gradient steps; 0 means 10. A last round
	// of sweeps follows.
	Rounds int
	// Steps is the number of iterations of scaled conjugate gradients per round, with fixed sites;
	// 0 means 10.
	Steps int
	// Sweeps is the largest number of sweeps per round; 0 means 5.
	Sweeps int
	// FixInputs keeps the inputs fixed; their divergence from the prior is then irrelevant.
	FixInputs bool
	// Observe, if not nil, is called before every round with its number, and at the end.
	Observe func(round int)
}

func (s LearnSettings) withDefaults() LearnSettings {
	for _, v := range []struct {
		at   *int
		when int
	}{{&s.Rounds, 10}, {&s.Steps, 10}, {&s.Sweeps, 5}} {
		if *v.at == 0 {
			*v.at = v.when
		}
	}
	return s
}

// LearnResult is the report of Learn.
type LearnResult struct {
	// Bound is the collapsed L_H after the sweeps of each round and at the end.
	Bound []float64
	// Negative counts skipped site visits, Gradients evaluations of the gradient.
	Negative, Gradients int
}

// Learn alternates warm-started sweeps over the sites with gradient steps on the bound.
func (h *Hybrid) Learn(ctx context.Context, set LearnSettings) (r LearnResult, err error) {
	set = set.withDefaults()
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if set.Observe != nil {
			set.Observe(round)
		}
		negative, err := h.sweep(set.Sweeps)
		r.Negative += negative
		if err != nil {
			return r, err
		}
		v, err := h.bound(nil, set)
		if err != nil {
			return r, err
		}
		r.Bound = append(r.Bound, v)
		if round == set.Rounds {
			return r, nil
		}
		steps, err := h.ascend(ctx, set)
		r.Gradients += steps.Gradients
		if err != nil {
			return r, err
		}
	}
}

// Sparse returns expectation propagation for every column of the classes. It starts from the
// column's sites and shares them.
func (h *Hybrid) Sparse() ([]*Sparse, error) {
	c := h.Classes
	p, err := NewProcess(&c.Kernel, h.In, c.Z, h.Threads)
	if err != nil {
		return nil, err
	}
	out := make([]*Sparse, c.Y.Cols)
	for j := range out {
		y := make([]float64, c.Y.Rows)
		for i := range y {
			y[i] = c.Y.Row(i)[j]
		}
		if out[j], err = NewSparse(Probit{}, p, y); err != nil {
			return nil, err
		}
		if c.Sites != nil {
			if err := out[j].Warm(c.Sites[j]); err != nil {
				return nil, err
			}
		}
	}
	c.Sites = make([]*Sites, len(out))
	for j, s := range out {
		c.Sites[j] = s.Sites
	}
	return out, nil
}

// sweep sweeps over the sites of all classes concurrently.
func (h *Hybrid) sweep(sweeps int) (negative int, err error) {
	if h.Classes == nil {
		return 0, nil
	}
	all, err := h.Sparse()
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	par.Do(h.Threads, len(all), func(j int) {
		r, failed := all[j].Run(Settings{Sweeps: sweeps})
		mu.Lock()
		defer mu.Unlock()
		negative += r.Negative
		if failed != nil {
			err = failed
		}
	})
	return negative, err
}

// bound returns the collapsed L_H at the present sites and adds its derivatives to g.
func (h *Hybrid) bound(g *slopes, set LearnSettings) (sum float64, err error) {
	var ofData, ofClasses *psi.Gradient
	if g != nil {
		ofData, ofClasses = g.data, g.classes
	}
	if h.Data != nil {
		v, err := h.data(ofData, g)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	if h.Classes != nil {
		p, err := NewProcess(&h.Classes.Kernel, h.In, h.Classes.Z, h.Threads)
		if err != nil {
			return 0, err
		}
		for _, s := range h.Classes.Sites {
			v, err := p.Collapsed(s.Tau, vec.Of(len(s.Nu), 1, s.Nu), ofClasses, nil)
			if err != nil {
				return 0, err
			}
			sum += v + s.logNormalizer()
		}
	}
	if !set.FixInputs {
		shared := ofData
		if h.Data == nil {
			shared = ofClasses
		}
		sum -= Divergence(h.In, shared)
	}
	return sum, nil
}

// data returns the bound of the GP-LVM without the divergence.
func (h *Hybrid) data(g *psi.Gradient, all *slopes) (float64, error) {
	d := h.Data
	if !(d.Precision > 0) || math.IsInf(d.Precision, 0) {
		// If a long step reduced a precision to 0, the bound would omit the site with its data and
		// seem to rise.
		return math.NaN(), nil
	}
	p, err := NewProcess(&d.Kernel, h.In, d.Z, h.Threads)
	if err != nil {
		return 0, err
	}
	if missing := holesOf(d.Y); missing != nil {
		var precision *float64
		if all != nil {
			precision = &all.precision
		}
		return d.observedBound(p, missing, g, precision)
	}
	tau, nu := make([]float64, d.Y.Rows), d.Y.Clone()
	for i := range tau {
		tau[i] = d.Precision
	}
	vec.Scale(d.Precision, nu.Data)
	var dtau []float64
	if all != nil {
		dtau = make([]float64, len(tau))
	}
	v, err := p.Collapsed(tau, nu, g, dtau)
	for _, s := range dtau {
		all.precision += s
	}
	return v, err
}

// ascend takes gradient steps.
func (h *Hybrid) ascend(ctx context.Context, set LearnSettings) (optimize.Result, error) {
	g := h.newSlopes()
	free := h.free(g, set)
	x := make([]float64, free.len())
	free.get(x)
	f := func(x, grad []float64) (float64, error) {
		free.set(x)
		g.clear()
		var at *slopes
		if grad != nil {
			at = g
		}
		v, err := h.bound(at, set)
		if err != nil || math.IsNaN(v) {
			return math.Inf(1), nil // out of bounds, so the optimiser takes a shorter step
		}
		if grad != nil {
			free.slopes(grad)
			vec.Scale(-1, grad)
		}
		return -v, nil
	}
	r, err := optimize.Minimize(ctx, f, x, optimize.Settings{Steps: set.Steps})
	free.set(x)
	return r, err
}
