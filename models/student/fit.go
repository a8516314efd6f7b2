package student

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/points"
	"unfold/models/prior"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
)

// Result is a learnt map.
type Result struct {
	*models.Result
	// Student is the part of a snapshot that only this kind of map has.
	Student *snapshot.Student
	// Settings are the settings of the fit with all defaults filled in.
	Settings Settings
}

// Fit learns a map of the rows of x (n x dim). Equal rows become one point.
//
// The result is a function of x and of the settings without Threads, except for the timings. Errors
// that lie in x match models.ErrBadInput: a value that is not finite (*models.RowError), fewer
// distinct rows than models.LeastDistinct, or values so near the end of the number range that the
// map overflows. If ctx ends, Fit returns its error soon. Progress may be nil.
func Fit(ctx context.Context, x vec.Matrix[float32], s Settings, progress models.Progress) (*Result, error) {
	return fit(ctx, x, s, progress)
}

// fit is Fit for either element type.
func fit[T vec.Float](ctx context.Context, x vec.Matrix[T], s Settings, progress models.Progress) (*Result, error) {
	s, err := s.WithDefaults()
	if err != nil {
		return nil, err
	}
	if err := s.Prior.Check(x.Rows, s.Dims); err != nil {
		return nil, err
	}
	f, err := points.Begin(ctx, x, s.Common, s.SearchLists(x.Rows), progress)
	if err != nil {
		return nil, err
	}
	s.Neighbors = f.Neighbors // fewer if there are few points
	if s.Labels, err = s.pointLabels(f.Out, x.Rows); err != nil {
		return nil, err
	}
	if r := f.Out.Report.Search; s.Given != nil && !r.Distances {
		near := *s.Given
		near.Dist = nil // so the distances are computed from the rows
		s.Given = &near
	}
	r, k := &f.Out.Report, s.Neighbors
	l := &Learner{Settings: s}
	err = f.Stage("graph", &r.Seconds.Graph, func() error {
		_, size := graph.Label(f.Out.Neighbors.First(k))
		r.Edges, r.Components = f.Out.Neighbors.N*k, len(size)
		l.order = newOrder(f.Out.Neighbors, k)
		l.Problem, l.further = problem(f.X, f.Out.Neighbors, k, s, 0, l.order)
		f.Out.Neighbors = f.Out.Neighbors.First(min(s.Lists, f.Out.Neighbors.K))
		if s.Aside != nil {
			f.Out.Bandwidth2 = reaches(f.Out.Neighbors, k) // before the lists are moved aside
			f.Out.Neighbors = s.Aside(f.Out.Neighbors)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var st *State
	var frame vec.Matrix[float64]
	err = f.Stage("spectral", &r.Seconds.Spectral, func() (err error) {
		st, frame, err = l.start(ctx, prior.Points{
			X: vec.As[float32](f.X), Neighbors: f.Out.Neighbors, Unique: f.Out.Unique, Distance: s.Distance, Paths: s.Paths, Seed: s.Seed, Threads: s.Threads,
		}, f.Parts("sample"))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf(points.Kind+": start: %w", err)
	}
	// The field comes last, since the start needs memory, too.
	if err = f.Stage("coarse", &r.Seconds.Coarse, func() error { l.field(); return nil }); err != nil {
		return nil, err
	}
	return maximise(ctx, f, l, st, frame)
}

// Begin returns the start state of a fit of the points p and sets the model's prior. The learner
// must have been made of the same points.
func (l *Learner) Begin(ctx context.Context, p prior.Points) (*State, error) {
	st, frame, err := l.start(ctx, p, nil)
	if err == nil {
		l.Model.SetPrior(prior.New(frame), l.Settings.Prior.Schedule)
	}
	return st, err
}

// start returns the start state of learning and the frame of the prior, which has no rows if there
// is no prior. If learning starts from the map of a sample, its progress is reported to progress,
// unless that is nil.
func (l *Learner) start(ctx context.Context, p prior.Points, progress func(done, total int)) (st *State, frame vec.Matrix[float64], err error) {
	s := &l.Settings
	named := *s
	s.Sigma2 = s.variance(l.Problem.N())
	if m := s.SampleOf(p.Neighbors.N); m > 0 {
		frame, start, err := named.learnSample(ctx, p, m, progress)
		return uniform(start, s.Sigma2), frame, err
	}
	if frame, s.Prior.Frame, err = s.Prior.Places(ctx, p, s.Dims); err != nil {
		return nil, frame, err
	}
	switch s.Prior.Frame {
	case prior.None:
		st, err = Start(ctx, p.X, s.Dims, StartSettings{Seed: s.Seed, Threads: s.Threads, Sigma2: s.Sigma2})
		return st, frame, err
	case prior.PCA:
		return uniform(frame.Clone(), s.Sigma2), frame, nil
	}
	return uniform(prior.Start(frame, p.Neighbors, points.Spread), s.Sigma2), frame, nil
}

// maximise learns from st with the model of a learner that has its problem. The frame is the centre
// of the prior. State, frame and result are in the order of the input points.
func maximise[T vec.Float](ctx context.Context, f *points.Fit[T], l *Learner, st *State, frame vec.Matrix[float64]) (*Result, error) {
	if err := l.model(); err != nil {
		return nil, err
	}
	st = &State{Mu: takeRows(st.Mu, l.order), Sigma2: take(st.Sigma2, l.order)}
	near := prior.New(takeRows(frame, l.order))
	near.Threads = l.Settings.Threads
	l.Model.SetPrior(near, l.Settings.Prior.Schedule)
	r := &f.Out.Report
	learnt, err := l.Model.Learn(ctx, st, f.Parts("em"))
	r.Iterations, r.CGIterations, r.Pairs = learnt.Iterations, learnt.CGIterations, learnt.Pairs
	r.LoglikInitial, r.Loglik, r.LogPrior = learnt.LoglikInitial, learnt.Loglik, learnt.LogPrior
	r.Falls, r.Converged = learnt.Falls, learnt.Converged
	if err != nil {
		return nil, fmt.Errorf(points.Kind+": %w", err)
	}
	if l.Settings.Prior.Frame == prior.Given {
		near.Lay(st.Mu)
	}
	out := l.result(f.Out, st)
	if err := f.Publishable(out.Mu, out.Sigma2); err != nil {
		return nil, err
	}
	f.Lap(&r.Seconds.EM)
	return out, nil
}
