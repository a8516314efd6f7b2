package saul

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/coarse/landmark"
	"unfold/internal/quantile"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/points"
	"unfold/models/prior"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/spectral"
)

// Result is a learnt map.
type Result struct {
	*models.Result
	// Settings are the settings of the fit with all defaults filled in.
	Settings Settings
}

// Fit fits a map to the rows of x (n x dim). Equal rows become one point.
//
// Everything but the timings is a function of x and the settings without
// Threads. Errors that lie in x match models.ErrBadInput: a value that is not
// finite (*models.RowError), fewer distinct rows than models.LeastDistinct, or values so
// near the end of the number range that the map leaves it. If ctx ends, Fit
// returns its error soon. Progress may be nil.
func Fit(ctx context.Context, x vec.Matrix[float32], s Settings, progress models.Progress) (*Result, error) {
	return fit(ctx, x, s, nil, progress)
}

// fitter is the state that the stages of one fit share.
type fitter[T vec.Float] struct {
	*points.Fit[T]
	set    Options
	choose func(landmark.Group) []int32 // landmarks, if given
	warm   Warm                         // state of the map that Continue starts from
	learnt vec.Matrix[T]                // of the points the ones that are learnt
	// scale is the median delta^2; leastDelta2 and leastSigma2 are lower bounds of the squared
	// scales.
	scale, leastDelta2, leastSigma2 float64
}

// fit implements Fit for either element type. Tests can pass their own choice of landmarks.
func fit[T vec.Float](ctx context.Context, x vec.Matrix[T], s Settings, choose func(landmark.Group) []int32, progress models.Progress) (*Result, error) {
	s, err := s.WithDefaults()
	if err != nil {
		return nil, err
	}
	if err := s.Prior.Check(x.Rows, s.Dims); err != nil {
		return nil, err
	}
	begun, err := points.Begin(ctx, x, s.Common, s.Lists, progress)
	if err != nil {
		return nil, err
	}
	s.Neighbors = begun.Neighbors // fewer, of few points
	f := &fitter[T]{Fit: begun, set: s.Options, choose: choose}
	if err := f.learn(ctx); err != nil {
		return nil, err
	}
	s.Prior.Frame, s.Prior.Given = f.set.Prior.Frame, vec.Matrix[float64]{}
	return &Result{Result: f.Out, Settings: s}, nil
}

// learn runs the stages of the fit on the distinct points.
func (f *fitter[T]) learn(ctx context.Context) error {
	g, p, err := f.constants(ctx)
	if err != nil {
		return err
	}
	st, near, err := f.start(ctx, g, p)
	if err != nil {
		return err
	}
	m := f.model(p)
	f.Out.Report.LoglikInitial = m.LogLikelihood(st)
	if err := f.em(ctx, m, st, f.set.Momentum, near); err != nil {
		return err
	}
	if f.set.Prior.Frame == prior.Given {
		near.Lay(st.Mu)
	}
	f.Lap(&f.Out.Report.Seconds.EM)
	return f.finish(ctx, g, p, st)
}

// frame returns the coordinate frame that the settings name and the starting positions in it, both
// for the learnt points. Each column of the starting positions has the root mean square spread.
// Both have no rows if the settings name no frame.
func (f *fitter[T]) frame(ctx context.Context, g *graph.Graph, spread float64) (frame, mu vec.Matrix[float64], err error) {
	s := &f.set.Prior
	if s.Frame == prior.Auto {
		s.Frame = prior.None
	}
	p := prior.Points{X: vec.Convert[float32](f.X), Neighbors: f.Out.Neighbors, Unique: f.Out.Unique, Paths: f.Paths, Seed: f.Seed, Threads: f.Threads}
	frame, _, err = s.Places(ctx, p, f.Dims)
	if err != nil || frame.Rows == 0 {
		return frame, mu, err
	}
	if f.warm.State != nil && s.Frame == prior.Given {
		mu = f.warm.State.Mu.Clone() // of free points, too
		prior.Scale(mu, spread)
	} else {
		mu = prior.Start(frame, f.Out.Neighbors, spread)
	}
	if g.Keep != nil {
		frame, mu = vec.Take(frame, g.Keep), vec.Take(mu, g.Keep)
	}
	return frame, mu, nil
}

// model returns the likelihood model of the points' constants.
func (f *fitter[T]) model(p *landmark.Pairs) *Model {
	return NewModel(p, f.Dims, ModelSettings{Tolerance: f.set.Tolerance, Floor: f.leastSigma2, Shared: f.set.Shared, Threads: f.Threads})
}

// constants builds the neighbourhood graph and, from it, the constants of the likelihood.
func (f *fitter[T]) constants(ctx context.Context) (g *graph.Graph, p *landmark.Pairs, err error) {
	r := &f.Out.Report
	err = f.Stage("graph", &r.Seconds.Graph, func() error {
		if g, err = f.graph(ctx); err != nil {
			return fmt.Errorf(points.Kind+": neighbourhood graph: %w", err)
		}
		r.Edges, r.Components, r.Bridges = g.Edges(), g.Components, bridges(g, f.Out.Unique)
		f.learnt = f.X
		if g.Keep != nil {
			f.learnt = vec.Take(f.X, g.Keep)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = f.Stage("coarse", &r.Seconds.Coarse, func() error {
		level := f.set.Level.Resolve(g.N)
		f.scale = medianScale(g)
		f.leastDelta2 = f.set.Floor * f.scale
		f.leastSigma2 = f.set.Floor * f.leastDelta2
		settings := landmark.Settings{Level: level, Seed: f.Seed, Choose: f.choose, Paths: f.Paths, Floor: f.leastDelta2, Threads: f.Threads}
		if f.warm.Pairs != nil && g.Keep == nil {
			p, err = f.warm.Pairs(ctx, g, settings)
		} else {
			p, err = landmark.New(ctx, f.learnt, g, settings)
		}
		if err != nil {
			return fmt.Errorf(points.Kind+": coarse-graining: %w", err)
		}
		if i := slices.IndexFunc(p.Bandwidth2, func(v float64) bool { return !(v >= snapshot.Least) }); i >= 0 {
			return models.BadInputf(points.Kind+": point %d has the squared length scale %g, which no model file can hold: all neighbours are at distance 0; give distances above 0", i, p.Bandwidth2[i])
		}
		r.Level, r.Landmarks, r.Pairs = level, len(p.Landmarks), p.Count
		return nil
	})
	return g, p, err
}

// bridges returns the edges that join components. unique has the row of each point; nil: point i
// is row i.
func bridges(g *graph.Graph, unique []int32) (out []models.Bridge) {
	row := func(point int32) int {
		if unique == nil {
			return int(point)
		}
		return int(unique[point])
	}
	for _, e := range g.Bridges { // of all points: a part of them needs no bridge
		out = append(out, models.Bridge{Row: row(e.I), Other: row(e.J), Distance: math.Sqrt(e.Dist2)})
	}
	return out
}

// graph makes the neighbourhood graph, of parts that are known if they are.
func (f *fitter[T]) graph(ctx context.Context) (g *graph.Graph, err error) {
	nb := f.Out.Neighbors
	switch {
	case f.Out.Report.Search.Method == auto.Exact || f.warm.Parts != nil:
	case f.repairs():
		if nb, err = knn.Joined(ctx, f.X, nb, knn.Settings{Threads: f.Threads, Distance: f.Distance}); err != nil {
			return nil, err
		}
	default:
		nb = nb.Completed(f.Threads) // a point that is in a list is near its owner, too
	}
	nb = nb.First(f.Neighbors)
	set := graph.Settings{Core: f.set.Core, Components: f.set.Components, Paths: f.Paths, Threads: f.Threads}
	if f.warm.Parts != nil {
		return graph.Join(ctx, f.X, nb, *f.warm.Parts, set)
	}
	return graph.Build(ctx, f.X, nb, set)
}

// repairs reports whether near points that given lists miss may be looked for in the rows: if the
// distances that are given with them are those of the rows. Other distances are known from the lists
// alone, and lists without distances may be by what the rows do not show.
func (f *fitter[T]) repairs() bool {
	return f.Given != nil && f.Given.Dist != nil && !f.Out.Report.Search.Distances
}

// start returns the initial state of EM and the prior around the frame; the prior is nil without a
// frame. With a frame, positions start in it at the scale that eigenvectors would have, and no
// eigenvectors are computed.
func (f *fitter[T]) start(ctx context.Context, g *graph.Graph, p *landmark.Pairs) (st *State, near *prior.Prior, err error) {
	err = f.Stage("spectral", &f.Out.Report.Seconds.Spectral, func() error {
		framed, mean := spread(p, f.Dims, f.leastSigma2)
		frame, mu, err := f.frame(ctx, g, math.Sqrt(mean))
		if err != nil || frame.Rows > 0 {
			framed.Mu = mu
			st, near = framed, prior.New(frame)
			return err
		}
		st, err = Start(ctx, p, f.Dims, StartSettings{Floor: f.leastSigma2, Spectral: spectral.Settings{Seed: f.Seed, Threads: f.Threads}})
		if err == nil && p.Count == 0 {
			err = f.components(ctx, p, st)
		}
		if err != nil {
			return fmt.Errorf(points.Kind+": start: %w", err)
		}
		return nil
	})
	if err == nil && f.set.Shared {
		st.tie()
	}
	return st, near, err
}

// components sets the starting positions to the principal components of the learnt points, in the
// scale of the start. It is used where there are no dissimilar pairs: then every point is a
// neighbour of every other, all eigenvalues are equal, and eigenvectors put most points in one
// position.
func (f *fitter[T]) components(ctx context.Context, p *landmark.Pairs, st *State) error {
	mu, err := points.Components(ctx, vec.Convert[float32](f.learnt), f.Dims, f.Seed, f.Threads)
	if err != nil {
		return err
	}
	var mean, square float64
	for _, v := range st.Sigma2 {
		mean += v / float64(p.N)
	}
	for _, v := range mu.Data {
		square += v * v / float64(len(mu.Data))
	}
	for k, v := range mu.Data {
		st.Mu.Data[k] = v * math.Sqrt(mean/square)
	}
	return nil
}

// em maximises the likelihood from st; Report.LoglikInitial is the likelihood of st. Without
// dissimilar pairs (n hardly exceeds k) the only maximum puts all points in one position. The map
// is then the start, the principal components.
func (f *fitter[T]) em(ctx context.Context, m *Model, st *State, momentum float64, near *prior.Prior) error {
	r := &f.Out.Report
	steps, progress := max(f.Steps, 0), f.Parts("em")
	if m.pairs.Count == 0 {
		steps = 0
	}
	still := newPlateau(f.set.Gain)
	for step := range steps {
		progress(step, steps)
		m.SetPrior(near, f.kappa(prior.Ramp(step, prior.Phases(steps))))
		res, err := m.Step(ctx, st, momentum)
		r.CGIterations += res.Iterations
		if err != nil {
			return fmt.Errorf(points.Kind+": EM step %d of %d: %w", step+1, steps, err)
		}
		r.Iterations++
		if rise := m.Rise(); still.reached(rise, r.LoglikInitial+rise) {
			r.Converged = true
			break
		}
	}
	progress(steps, steps)
	m.SetPrior(near, f.kappa(1))
	r.Loglik, r.LogPrior = m.LogLikelihood(st), m.LogPrior(st)
	return f.Publishable(st.Mu, st.Sigma2)
}

// kappa returns the weight of the prior when the share ramp of its decay is over.
func (f *fitter[T]) kappa(ramp float64) float64 {
	if f.scale == 0 {
		return 0
	}
	return f.set.Prior.Schedule.At(ramp) / f.scale
}

// finish writes the positions of the learnt points into the result and places the other points by
// their nearest learnt points.
func (f *fitter[T]) finish(ctx context.Context, g *graph.Graph, p *landmark.Pairs, st *State) error {
	o := f.Out
	if g.Keep == nil {
		o.Mu, o.Sigma2, o.Bandwidth2 = st.Mu, st.Sigma2, p.Bandwidth2
		return nil
	}
	n := f.X.Rows
	o.Mu, o.Sigma2, o.Bandwidth2 = vec.New[float64](n, f.Dims), make([]float64, n), make([]float64, n)
	o.Unlearnt = make([]bool, n)
	for i := range o.Unlearnt {
		o.Unlearnt[i] = true
	}
	for q, i := range g.Keep {
		copy(o.Mu.Row(int(i)), st.Mu.Row(q))
		o.Sigma2[i], o.Bandwidth2[i], o.Unlearnt[i] = st.Sigma2[q], p.Bandwidth2[q], false
	}
	return f.placeRest(ctx, g.Keep, p, st)
}

// placeRest places the points that were not learnt as events are placed: by the rule of Placer,
// with the learnt points as references.
func (f *fitter[T]) placeRest(ctx context.Context, keep []int32, c *landmark.Pairs, st *State) error {
	o := f.Out
	var rest []int32
	for i, u := range o.Unlearnt {
		if u {
			rest = append(rest, int32(i))
		}
	}
	k := min(DefaultPlaceNeighbors, len(keep))
	index := knn.NewExact(vec.Convert[float32](vec.Take(f.X, keep)))
	nb, err := index.Search(ctx, vec.Convert[float32](vec.Take(f.X, rest)), min(max(k, receiveRange), len(keep)), knn.Settings{Threads: f.Threads})
	if err != nil {
		return fmt.Errorf(points.Kind+": placing rows outside the largest component: %w", err)
	}
	p := &Placer{set: placing.Options{Neighbors: k}, snap: &snapshot.Snapshot{
		Mu: st.Mu, Sigma2: st.Sigma2, Bandwidth2: c.Bandwidth2,
		Steps: o.Report.Iterations, Dissimilar: DissimilarShare(o.Report.Level),
	}}
	if f.set.Shared {
		p.shared = st.Sigma2[0]
	}
	var w placeWork
	w.fit(f.Dims)
	for q, i := range rest {
		near, dist2 := nb.Row(q)
		o.Sigma2[i] = max(p.point(&w, near, dist2), f.leastSigma2)
		copy(o.Mu.Row(int(i)), w.mu)
		o.Bandwidth2[i] = landmark.Scale2(dist2[k-1], 0)
	}
	return nil
}

// medianScale returns the median delta^2 over the edges of E.
func medianScale(g *graph.Graph) float64 {
	if len(g.Dist2) == 0 {
		return 0
	}
	return landmark.Scale2(quantile.Median(slices.Clone(g.Dist2)), 0)
}
