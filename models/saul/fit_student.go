package saul

import (
	"context"
	"fmt"
	"math"

	"unfold/coarse/farfield"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// heavy takes the points, whose neighbours are known, through the stages of the
// model with heavy tails (package student): the edges to the k nearest, the pair
// sums, the start at the principal components, and EM.
func (f *fitter[T]) heavy(ctx context.Context) error {
	o, r := f.out, &f.out.Report
	k := f.s.Neighbors
	f.progress("graph", 0, 1)
	_, size := graph.Label(o.Neighbors.First(k))
	r.Edges, r.Components = o.Neighbors.N*k, len(size)
	h := &Heavy{Problem: student.NewProblem(o.Neighbors, k, f.s.scales()), Settings: f.s}
	f.progress("graph", 1, 1)
	f.lap(&r.Seconds.Graph)

	f.progress("coarse", 0, 1)
	h.field()
	f.progress("coarse", 1, 1)
	f.lap(&r.Seconds.Coarse)

	f.progress("spectral", 0, 1)
	st, err := student.Start(ctx, vec.Convert[float32](f.x), f.s.Dims, student.StartSettings{
		Seed: f.s.Seed, Threads: f.s.Threads, Sigma2: f.s.Sigma2,
	})
	if err != nil {
		return fmt.Errorf("lvm: start: %w", err)
	}
	f.progress("spectral", 1, 1)
	f.lap(&r.Seconds.Spectral)

	if err := h.model(); err != nil {
		return err
	}
	f.s = h.Settings
	o.Settings = f.s
	learnt, err := h.Model.Learn(ctx, st, func(done, total int) { f.progress("em", done, total) })
	r.Iterations, r.CGIterations, r.Pairs = learnt.Iterations, learnt.CGIterations, learnt.Pairs
	r.LoglikInitial, r.Loglik, r.Falls, r.Converged = learnt.LoglikInitial, learnt.Loglik, learnt.Falls, learnt.Converged
	if err != nil {
		return fmt.Errorf("lvm: %w", err)
	}
	if err := f.publishable(st.Mu, st.Sigma2); err != nil {
		return err
	}
	o.Mu, o.Sigma2, o.Bandwidth2 = st.Mu, st.Sigma2, reaches(o.Neighbors, k)
	o.Student = h.Describe(st)
	f.lap(&r.Seconds.EM)
	return nil
}

// reaches are the squared distances to the k-th neighbours.
func reaches(nb *knn.Neighbors, k int) []float64 {
	out := make([]float64, nb.N)
	for i := range out {
		_, dist2 := nb.Row(i)
		out[i] = dist2[k-1]
	}
	return out
}

// CellTheta returns the accuracy of cells in a map of n points: Theta, or its
// default. Dims must be set.
func (s Settings) CellTheta(n int) float64 {
	if s.Theta != 0 {
		return s.Theta
	}
	return s.defaultTheta(n)
}

// defaultTheta returns the accuracy of cells in a map of n points.
func (s Settings) defaultTheta(n int) float64 {
	theta := farfield.DefaultTheta(s.Dims)
	if s.Thorough || n < fewPoints {
		theta *= finerTheta
	}
	return theta
}

// scales are the settings' in the words of package student.
func (s Settings) scales() student.Scales {
	if s.Scales == UnitScales {
		return student.Unit
	}
	return student.Native
}

// clip are the bounds between which scales keeps squared scales.
func (s Settings) clip() [2]float64 {
	sc := s.scales()
	return [2]float64{sc.Delta2(0, 1), sc.Delta2(math.MaxFloat64, 1)}
}

// student are the settings in the words of that package.
func (s Settings) student(kind Coarse) student.Settings {
	out := student.Settings{
		Tail: s.Tail, Weight: s.Weight, Momentum: s.Momentum, NoMomentum: s.NoMomentum, Tolerance: s.Tolerance,
		Sigma: student.Sigma(s.Sigma), Steps: s.Steps, Gain: max(s.Gain, 0), Threads: s.Threads,
	}
	out.Single = kind == CoarseMap
	if s.Thorough {
		out.Sweeps = -1
	}
	return out
}

// field makes the pair sums of a kind.
func (s Settings) field(kind Coarse, delta2 []float64) farfield.Field {
	switch kind {
	case CoarseAll:
		return farfield.NewAll(delta2, s.Dims)
	case CoarseMap:
		return farfield.NewCells(delta2, s.Dims, farfield.CellSettings{Theta: s.Theta})
	case CoarseAnchors:
		return farfield.NewAnchors(delta2, s.Dims, farfield.AnchorSettings{Seed: s.Seed})
	}
	return farfield.NewShared(delta2, s.Dims, farfield.SharedSettings{Seed: s.Seed})
}

// errors2 returns the squared standard errors of the points' places, each by its
// edges sent and received as those of an event (standardError2).
func errors2(p *student.Problem, st *student.State, tail float64, threads int) []float64 {
	out := make([]float64, p.N())
	par.Ranges(threads, p.N(), rowPiece, func(_, from, to int) {
		var edges []student.Edge
		for i := from; i < to; i++ {
			edges = edges[:0]
			for q := p.Similar.Start[i]; q < p.Similar.Start[i+1]; q++ {
				j := int(p.Similar.Index[q])
				edges = append(edges, student.Edge{Mu: st.Mu.Row(j), Sigma2: st.Sigma2[j], Delta2: p.Delta2[q], S: p.Similar.Data[q]})
			}
			out[i] = standardError2(st.Mu.Row(i), edges, st.Sigma2[i], tail)
		}
	})
	return out
}
