package ep

import (
	"context"
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/optimize"
	"unfold/models/psi"
)

// Observed are the processes of a Hybrid's data at the optimal q(u) (S.33), in units of the data: by
// them a vector gets its uncertain input, and an input its vector. It is read-only and safe for
// concurrent use.
type Observed struct {
	Kernel psi.Kernel
	Z      vec.Matrix[float64] // m x q
	// Weights are those of the means, m x D: A^-1 Psi1' Y beta, A = Kuu + beta sum_n Psi2n. Spread is
	// Kuu^-1 - A^-1, m x m. Where values of the data are missing, A differs by columns, and Spread is
	// the mean over them: the variance of a single column is approximate then.
	Weights, Spread vec.Matrix[float64]
	// Precision is that of the noise, beta.
	Precision float64
	// inner is Weights Weights' - D Spread. products returns it for a subset of the columns.
	inner vec.Matrix[float64]
}

// Observed returns the processes of the data as they are.
func (h *Hybrid) Observed() (*Observed, error) {
	d := h.Data
	p, err := NewProcess(&d.Kernel, h.In, d.Z, h.Threads)
	if err != nil {
		return nil, err
	}
	if missing := holesOf(d.Y); missing != nil {
		return d.observed(p, missing)
	}
	n, m, outputs := d.Y.Rows, d.Z.Rows, d.Y.Cols
	tau := make([]float64, n)
	for i := range tau {
		tau[i] = d.Precision
	}
	a := vec.New[float64](m, m)
	p.Kernel.Second(a, tau, h.In, d.Z, h.Threads)
	if err := p.factorWith(a); err != nil {
		return nil, fmt.Errorf("the posterior of %d inducing inputs: %w", m, err)
	}
	spd.Invert(a, h.Threads)
	b := vec.New[float64](m, outputs)
	gemm.Implementation{Threads: h.Threads}.Dgemm(gonum.Trans, gonum.NoTrans, m, outputs, n, d.Precision, p.Psi.Data, m, d.Y.Data, outputs, 0, b.Data, outputs)
	o := &Observed{Kernel: d.Kernel.Clone(), Z: d.Z.Clone(), Weights: vec.New[float64](m, outputs), Spread: p.inverse.Clone(), Precision: d.Precision}
	p.mul(o.Weights, a, b)
	vec.Axpy(-1, a.Data, o.Spread.Data)
	o.Prepare()
	return o, nil
}

// Prepare must be called first if another package set the fields.
func (o *Observed) Prepare() {
	o.inner = vec.New[float64](o.Z.Rows, o.Z.Rows)
	o.products(o.inner, o.Weights)
}

// products sets dst to W W' - columns(W) Spread, for some columns W of the weights.
func (o *Observed) products(dst, w vec.Matrix[float64]) {
	m, d := w.Rows, w.Cols
	copy(dst.Data, o.Spread.Data)
	vec.Scale(-float64(d), dst.Data)
	gemm.Implementation{Threads: 1}.Dgemm(gonum.NoTrans, gonum.Trans, m, m, d, 1, w.Data, d, w.Data, d, 1, dst.Data, m)
}

// Inference finds the inputs of vectors. It serves one goroutine.
type Inference struct {
	o     *Observed
	in    psi.Inputs // 1 x q
	first vec.Matrix[float64]
	c     vec.Matrix[float64]
	g     *psi.Gradient
	x     []float64
	// inner is Observed.inner for the columns of the vector's observed elements.
	inner vec.Matrix[float64]
}

// Inference returns a new one.
func (o *Observed) Inference() *Inference {
	m, q := o.Z.Rows, o.Z.Cols
	return &Inference{o: o, in: psi.Inputs{Mu: vec.New[float64](1, q), S: vec.New[float64](1, q)}, first: vec.New[float64](1, m), c: vec.New[float64](1, m),
		g: psi.NewGradient(1, m, q), x: make([]float64, 2*q), inner: o.inner}
}

// Look sets the vector y (D elements) whose input is inferred. NaN elements are missing. The
// processes of the columns are independent, so the marginal bound is the bound without the missing
// columns.
func (f *Inference) Look(y []float64) {
	if slices.ContainsFunc(y, math.IsNaN) {
		f.lookAt(y)
		return
	}
	f.inner = f.o.inner
	for a := range f.c.Data {
		f.c.Data[a] = f.o.Precision * vec.Dot(f.o.Weights.Row(a), y)
	}
}

// lookAt is Look for a vector with missing elements.
func (f *Inference) lookAt(y []float64) {
	var observed []int
	for c, v := range y {
		if v == v {
			observed = append(observed, c)
		}
	}
	m := f.o.Z.Rows
	w := vec.New[float64](m, len(observed))
	for a := range m {
		sum := 0.0
		for k, c := range observed {
			w.Row(a)[k] = f.o.Weights.Row(a)[c]
			sum += w.Row(a)[k] * y[c]
		}
		f.c.Data[a] = f.o.Precision * sum
	}
	f.inner = vec.New[float64](m, m)
	if len(observed) > 0 {
		f.o.products(f.inner, w)
	}
}

// Bound returns the vector's contribution to the bound if its input is N(mu, diag s), except for
// constant terms:
//
//	-beta/2 E|y - f|^2 - KL = beta Psi1 W y - beta/2 tr(Psi2 (W W' - D Spread)) - KL + ...
func (f *Inference) Bound(mu, s []float64) float64 {
	copy(f.in.Mu.Data, mu)
	copy(f.in.S.Data, s)
	return f.value(nil)
}

func (f *Inference) value(g *psi.Gradient) float64 {
	k, o := &f.o.Kernel, f.o
	k.First(f.first, f.in, o.Z, 1)
	var trace [1]float64
	k.Traces(trace[:], f.inner, f.in, o.Z, 1)
	if g != nil {
		k.FirstGradient(g, f.c, f.in, o.Z, 1)
		k.SecondGradient(g, []float64{-o.Precision / 2}, f.inner, f.in, o.Z, 1)
	}
	return vec.Dot(f.first.Data, f.c.Data) - o.Precision/2*trace[0] - Divergence(f.in, g)
}

// Of the search for an input.
const (
	inferSteps     = 60
	inferTolerance = 1e-4
)

// Infer moves an input, N(mu, diag s), to where the bound is largest for the vector, from where it is.
func (f *Inference) Infer(ctx context.Context, mu, s []float64) error {
	q := len(mu)
	copy(f.x, mu)
	for i, v := range s {
		f.x[q+i] = math.Log(v)
	}
	set := func(x []float64) {
		copy(f.in.Mu.Data, x)
		for i, v := range x[q:] {
			f.in.S.Data[i] = math.Exp(v)
		}
	}
	bound := func(x, grad []float64) (float64, error) {
		set(x)
		if grad == nil {
			return f.finite(f.value(nil)), nil
		}
		clear(f.g.Mu.Data)
		clear(f.g.S.Data)
		v := f.value(f.g)
		for i := range q {
			grad[i], grad[q+i] = -f.g.Mu.Data[i], -f.g.S.Data[i]*f.in.S.Data[i]
		}
		return f.finite(v), nil
	}
	if _, err := optimize.Minimize(ctx, bound, f.x, optimize.Settings{Steps: inferSteps, StepTolerance: inferTolerance, ValueTolerance: math.MaxFloat64}); err != nil {
		return err
	}
	set(f.x)
	copy(mu, f.in.Mu.Data)
	copy(s, f.in.S.Data)
	return nil
}

// finite is minus the bound; a point out of range is infinitely bad.
func (*Inference) finite(bound float64) float64 {
	if math.IsNaN(bound) {
		return math.Inf(1)
	}
	return -bound
}

// Decode writes the mean of the data at the certain input x to y, and returns the variance of its
// elements, without noise.
func (f *Inference) Decode(y, x []float64) (variance float64) {
	copy(f.in.Mu.Data, x)
	clear(f.in.S.Data)
	o, k := f.o, f.first.Data
	o.Kernel.First(f.first, f.in, o.Z, 1)
	clear(y)
	variance = o.Kernel.Variance
	for a, v := range k {
		vec.Axpy(v, o.Weights.Row(a), y)
		variance -= v * vec.Dot(o.Spread.Row(a), k)
	}
	return max(variance, 0)
}
