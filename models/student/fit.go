package student

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/points"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
)

// Result is a learnt map.
type Result struct {
	*models.Result
	// Student is what else a snapshot keeps of it.
	Student *snapshot.Student
	// Settings are those of the fit with all defaults filled in.
	Settings Settings
}

// Fit learns a map of the rows of x (n x dim). Equal rows are one point.
//
// Everything but the timings is a function of x and the settings without
// Threads. Errors that lie in x match models.ErrBadInput: a value that is not
// finite (*models.RowError), fewer distinct rows than Neighbors + 1, or values so
// near the end of the number range that the map leaves it. If ctx ends, Fit
// returns its error soon. Progress may be nil.
func Fit(ctx context.Context, x vec.Matrix[float32], s Settings, progress models.Progress) (*Result, error) {
	return fit(ctx, x, s, progress)
}

// fit is Fit for either element type.
func fit[T vec.Float](ctx context.Context, x vec.Matrix[T], s Settings, progress models.Progress) (*Result, error) {
	s, err := s.WithDefaults()
	if err != nil {
		return nil, err
	}
	f, err := points.Begin(ctx, x, s.Common, progress)
	if err != nil {
		return nil, err
	}
	r, k := &f.Out.Report, s.Neighbors
	l := &Learner{Settings: s}
	err = f.Stage("graph", &r.Seconds.Graph, func() error {
		_, size := graph.Label(f.Out.Neighbors.First(k))
		r.Edges, r.Components = f.Out.Neighbors.N*k, len(size)
		l.Problem = NewProblem(f.Out.Neighbors, k, s.Scales)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err = f.Stage("coarse", &r.Seconds.Coarse, func() error { l.field(); return nil }); err != nil {
		return nil, err
	}
	var st *State
	err = f.Stage("spectral", &r.Seconds.Spectral, func() (err error) {
		st, err = Start(ctx, vec.Convert[float32](f.X), s.Dims, StartSettings{Seed: s.Seed, Threads: s.Threads, Sigma2: s.Sigma2})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf(points.Kind+": start: %w", err)
	}
	return maximise(ctx, f, l, st)
}

// maximise learns from st by the model of a learner that has its problem.
func maximise[T vec.Float](ctx context.Context, f *points.Fit[T], l *Learner, st *State) (*Result, error) {
	if err := l.model(); err != nil {
		return nil, err
	}
	r := &f.Out.Report
	learnt, err := l.Model.Learn(ctx, st, f.Parts("em"))
	r.Iterations, r.CGIterations, r.Pairs = learnt.Iterations, learnt.CGIterations, learnt.Pairs
	r.LoglikInitial, r.Loglik, r.Falls, r.Converged = learnt.LoglikInitial, learnt.Loglik, learnt.Falls, learnt.Converged
	if err != nil {
		return nil, fmt.Errorf(points.Kind+": %w", err)
	}
	if err := f.Publishable(st.Mu, st.Sigma2); err != nil {
		return nil, err
	}
	out := l.result(f.Out, st)
	f.Lap(&r.Seconds.EM)
	return out, nil
}
