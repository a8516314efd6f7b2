package saul

import (
	"context"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/points"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// PairsOf computes the constants of the likelihood from a graph and settings, as landmark.New does.
type PairsOf func(ctx context.Context, g *graph.Graph, s landmark.Settings) (*landmark.Pairs, error)

// Warm is the state of a map before Continue. With the zero value Continue is a fit.
type Warm struct {
	// State has the positions and variances of the points; nil means the start of Fit.
	State *State
	// Refit first learns from the start of Fit. It continues from State only if that result has a
	// lower likelihood than State. Near a given frame, the start is State in the scale of the start
	// of Fit.
	Refit bool
	// Anchor is the lambda of Model.Hold, in units of 1 over the median squared length scale of
	// similar pairs.
	Anchor float64
	// Parts are the components of the graph of the first Settings.Neighbors neighbours of all
	// points; nil means that Continue computes them.
	Parts *graph.Parts
	// Pairs, if not nil, computes the constants when all points are learnt.
	Pairs PairsOf
}

// Continue learns on from an existing map: Settings.Steps steps of EM from the state in from, for
// the distinct points x. The lists in nb have at least Settings.Neighbors neighbours each.
// Report.LoglikInitial is the likelihood of Warm.State, if set, with the constants of x; the result
// has no lower likelihood. If momentum lowers it, the steps are repeated without momentum, and
// Report.Falls counts them.
func Continue(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, from Warm, s Settings) (*Result, error) {
	s, err := s.WithDefaults()
	if err != nil {
		return nil, err
	}
	s.Neighbors = min(s.Neighbors, nb.N-1)
	out := &models.Result{Neighbors: nb, Report: models.Report{N: x.Rows, Unique: x.Rows, Dim: x.Cols, Dims: s.Dims, Neighbors: s.Neighbors}}
	f := &fitter[float32]{Fit: points.Resume(x, s.Common, out, nil), set: s.Options, warm: from}
	if from.State == nil {
		err = f.learn(ctx)
	} else {
		err = f.further(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &Result{Result: out, Settings: s}, nil
}

// further runs EM from Warm.State.
func (f *fitter[T]) further(ctx context.Context) error {
	g, p, err := f.constants(ctx)
	if err != nil {
		return err
	}
	before, m := f.before(g), f.model(p)
	f.Out.Report.LoglikInitial = m.LogLikelihood(before)
	st := before
	if f.warm.Refit {
		st, err = f.refit(ctx, g, m, before)
	} else {
		st, err = f.rising(ctx, m, before)
	}
	if err != nil {
		return err
	}
	f.Lap(&f.Out.Report.Seconds.EM)
	return f.finish(ctx, g, p, st)
}

// before returns Warm.State restricted to the learnt points.
func (f *fitter[T]) before(g *graph.Graph) *State {
	st := f.warm.State.Clone()
	if g.Keep != nil {
		st = &State{Mu: vec.Take(st.Mu, g.Keep)}
		for _, i := range g.Keep {
			st.Sigma2 = append(st.Sigma2, f.warm.State.Sigma2[i])
		}
	}
	for i, v := range st.Sigma2 {
		st.Sigma2[i] = max(v, f.leastSigma2)
	}
	if f.set.Shared {
		st.tie()
	}
	return st
}

// refit learns from the start of a fit. If that ends below the likelihood of the previous map, it
// continues from the previous map instead.
func (f *fitter[T]) refit(ctx context.Context, g *graph.Graph, m *Model, before *State) (*State, error) {
	r := &f.Out.Report
	st, near, err := f.start(ctx, g, m.pairs)
	if err != nil {
		return nil, err
	}
	if err := f.em(ctx, m, st, f.set.Momentum, near); err != nil {
		return nil, err
	}
	if !(r.Loglik < r.LoglikInitial) {
		return st, nil
	}
	r.Falls++
	return f.rising(ctx, m, before)
}

// rising runs steps from the previous map, held by the anchor, such that the likelihood does not
// fall.
func (f *fitter[T]) rising(ctx context.Context, m *Model, before *State) (*State, error) {
	r := &f.Out.Report
	if f.scale > 0 {
		m.Hold(before, f.warm.Anchor/f.scale)
	}
	momenta := []float64{f.set.Momentum, 0}
	if f.set.Momentum == 0 {
		momenta = momenta[1:]
	}
	for _, momentum := range momenta {
		st := before.Clone()
		m.Reset()
		if err := f.em(ctx, m, st, momentum, nil); err != nil {
			return nil, err
		}
		if !(r.Loglik < r.LoglikInitial) {
			return st, nil
		}
		r.Falls++
	}
	// The remaining gain is below rounding.
	r.Loglik = r.LoglikInitial
	return before, nil
}
