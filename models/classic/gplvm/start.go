package gplvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
	"unfold/models/pca"
	"unfold/models/student"
)

// The starts of learning.
const (
	// StartPCA starts at whitened principal components, with the default parameters of the kernel's
	// parts (3.2).
	StartPCA = "pca"
	// StartIsomap starts at an Isomap embedding, from distances along the data (7.2.3).
	StartIsomap = "isomap"
	// StartGraph starts at the map of package student.
	StartGraph = "graph"
)

// Starts lists the names of all starts, the default first.
func Starts() []string { return []string{StartPCA, StartIsomap, StartGraph} }

// kernelSteps is the number of iterations that fit the parameters to a start other than principal
// components before places move. The default parameters suit a map without detail, and learning
// with them would first spoil a detailed one.
const kernelSteps = 30

// Begin returns the named start of learning on a map of q dimensions. Missing values are replaced
// by the means.
func (m *Model) Begin(ctx context.Context, start string, q int, seed uint64) (*Point, error) {
	x, err := m.Places(ctx, start, q, seed)
	p := &Point{Theta: m.kernel.Start(), X: x}
	if err != nil || start == StartPCA || start == "" {
		return p, err
	}
	_, err = m.LearnKernel(ctx, p, optimize.Settings{Steps: kernelSteps, StepTolerance: 1e-3, ValueTolerance: 1e-3})
	return p, err
}

// Places returns the places of Begin without the parameters.
func (m *Model) Places(ctx context.Context, start string, q int, seed uint64) (x vec.Matrix[float64], err error) {
	switch start {
	case StartPCA, "":
		return m.PCA(q)
	case StartIsomap:
		x, err = pca.Isomap(ctx, m.single(), q, pca.IsomapSettings{Seed: seed, Threads: m.threads})
	case StartGraph:
		x, err = m.graph(ctx, q, seed)
	default:
		return x, checkStart(start)
	}
	if err != nil {
		return x, fmt.Errorf("start %s: %w", start, err)
	}
	unit(x)
	return x, nil
}

// checkStart returns an error for an unknown start.
func checkStart(start string) error {
	if start == "" || slices.Contains(Starts(), start) {
		return nil
	}
	return fmt.Errorf("unknown start %q: want one of %s", start, strings.Join(Starts(), ", "))
}

// single returns the centred rows in single precision.
func (m *Model) single() vec.Matrix[float32] {
	x := vec.New[float32](m.y.Rows, m.y.Cols)
	for i, v := range m.y.Data {
		x.Data[i] = float32(v)
	}
	return x
}

// graph returns the map of package student with its defaults.
func (m *Model) graph(ctx context.Context, q int, seed uint64) (vec.Matrix[float64], error) {
	x := vec.New[float64](m.y.Rows, q)
	s := student.Settings{Common: models.Common{Dims: q, Seed: seed, Threads: m.threads}}
	if few := m.y.Rows - 1; few < student.DefaultNeighbors {
		s.Neighbors = few
	}
	r, err := student.Fit(ctx, m.single(), s, nil)
	if err != nil {
		return x, err
	}
	for i, p := range r.Of {
		copy(x.Row(i), r.Mu.Row(int(p)))
	}
	return x, nil
}

// unit centres places and scales them such that the mean square of their coordinates is 1, as in
// the prior.
func unit(x vec.Matrix[float64]) {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		vec.Axpy(1/float64(x.Rows), x.Row(i), mean)
	}
	for i := range x.Rows {
		vec.Axpy(-1, mean, x.Row(i))
	}
	if square := vec.SquaredNorm(x.Data); square > 0 {
		vec.Scale(math.Sqrt(float64(len(x.Data))/square), x.Data)
	}
}

// LearnKernel maximises the likelihood over the parameters of p only, with optimize.LBFGS.
func (m *Model) LearnKernel(ctx context.Context, p *Point, s optimize.Settings) (optimize.Result, error) {
	all := m.Objective(p)
	v := p.free()
	grad := make([]float64, len(v))
	n := len(p.Theta)
	x := slices.Clone(v[:n])
	r, err := optimize.LBFGS(ctx, func(at, g []float64) (float64, error) {
		copy(v, at)
		if g == nil {
			return all(v, nil)
		}
		f, err := all(v, grad)
		copy(g, grad)
		return f, err
	}, x, s)
	kernel.Positive(p.Theta, x)
	if err != nil {
		return r, fmt.Errorf("learning the kernel: %w", err)
	}
	return r, nil
}
