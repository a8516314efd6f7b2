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

// PairsOf makes the constants of the likelihood of a graph's points by settings, as
// landmark.New does.
type PairsOf func(ctx context.Context, g *graph.Graph, s landmark.Settings) (*landmark.Pairs, error)

// Warm is what is there of a map before it is continued. The zero
// value is nothing: then Continue is a fit.
type Warm struct {
	// State holds the places and variances of the points; nil means the start of Fit.
	State *State
	// Refit learns from the start of Fit all the same, and goes on from State only if
	// that ends with a lower likelihood than State has. Near a frame that is given, the start is State in
	// the scale of that of Fit.
	Refit bool
	// Anchor is lambda of Model.Hold, in units of 1 over the median squared length scale
	// of similar pairs.
	Anchor float64
	// Parts are those of the first Settings.Neighbors neighbours, all of the points; nil
	// means that they are found.
	Parts *graph.Parts
	// Pairs, if not nil, makes the constants where all points are learnt.
	Pairs PairsOf
}

// Continue goes on with a map: Settings.Steps of EM from what is
// there, for the distinct points x, whose lists nb hold at least Settings.Neighbors.
// Report.LoglikInitial is that of Warm.State, if there is one, by the constants of x; the
// result has no lower likelihood. Where momentum would have it fall the steps are taken
// again without, which Report.Falls says.
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

// further goes on from Warm.State.
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

// before is Warm.State of the points that are learnt.
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

// refit learns from the start of a fit, or, where that ends lower than the map before
// is, from this.
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

// rising takes steps from the map before, held by the anchor, such that the likelihood
// does not fall.
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
	// Nothing is left to gain but rounding.
	r.Loglik = r.LoglikInitial
	return before, nil
}
