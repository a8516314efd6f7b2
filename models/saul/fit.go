package saul

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"unfold/coarse/landmark"
	"unfold/internal/quantile"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/spectral"
)

// Fit learns a map of the rows of x (n x dim). Equal rows are one point.
//
// Everything but the timings is a function of x and the settings without
// Threads. Errors that lie in x match models.ErrBadInput: a value that is not
// finite (*models.RowError), fewer distinct rows than Neighbors + 1, or values so
// near the end of the number range that the map leaves it. If ctx ends, Fit
// returns its error soon.
func Fit(ctx context.Context, x vec.Matrix[float32], s Settings, progress Progress) (*Result, error) {
	return learn(ctx, x, s, nil, progress)
}

// fitter carries what the stages of one fit share.
type fitter[T vec.Float] struct {
	s        Settings
	choose   func(landmark.Group) []int32 // landmarks, if given
	warm     Warm                         // what is there before, if a map is continued
	progress Progress
	x        vec.Matrix[T] // the distinct rows
	learnt   vec.Matrix[T] // of these the ones that are learnt, with Gaussian tails
	out      *Result
	clock    time.Time // of the present stage
	// scale is the median delta^2; leastDelta2 and leastSigma2 bound the squared scales
	// from below.
	scale, leastDelta2, leastSigma2 float64
}

// learn is Fit for either element type and, for tests, with given landmarks.
func learn[T vec.Float](ctx context.Context, x vec.Matrix[T], s Settings, choose func(landmark.Group) []int32, progress Progress) (*Result, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := models.CheckRows(x, nil); err != nil {
		return nil, err
	}
	if x.Cols == 0 {
		return nil, models.BadInputf("lvm: the rows have no columns")
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	f := &fitter[T]{s: s, choose: choose, progress: progress, out: &Result{Settings: s}}
	f.out.Report = Report{N: x.Rows, Dim: x.Cols, Dims: s.Dims, Neighbors: s.Neighbors}
	if err := f.collapse(x); err != nil {
		return nil, err
	}
	if err := f.run(ctx); err != nil {
		return nil, err
	}
	return f.out, nil
}

// collapse makes points of the rows.
func (f *fitter[T]) collapse(x vec.Matrix[T]) error {
	o := f.out
	o.Unique, o.Of, o.Count = graph.Collapse(x)
	o.Report.Unique = len(o.Unique)
	if need := f.s.Neighbors + 1; len(o.Unique) < need {
		return models.BadInputf("lvm: %d rows, %d of them distinct: neighbors = %d needs at least %d distinct rows; give more rows or fewer neighbors",
			x.Rows, len(o.Unique), f.s.Neighbors, need)
	}
	f.x = x
	if len(o.Unique) < x.Rows {
		f.x = vec.Take(x, o.Unique)
	}
	return nil
}

// run takes the points through the stages.
func (f *fitter[T]) run(ctx context.Context) error {
	o, sec := f.out, &f.out.Report.Seconds
	f.clock = time.Now()
	var err error
	search := f.s.Search
	search.Seed = f.s.Seed
	o.Neighbors, o.Report.Search, err = auto.Graph(ctx, f.x, min(f.s.Lists, f.x.Rows-1), search, knn.Settings{
		Threads: f.s.Threads, Progress: func(done, total int) { f.progress("knn", done, total) },
	})
	if err != nil {
		return fmt.Errorf("lvm: neighbours: %w", err)
	}
	f.lap(&sec.KNN)
	if f.s.Tails == Student {
		return f.heavy(ctx)
	}
	return f.gaussian(ctx)
}

// lap ends a stage.
func (f *fitter[T]) lap(to *float64) {
	now := time.Now()
	*to = now.Sub(f.clock).Seconds()
	f.clock = now
}

// gaussian takes the points, whose neighbours are known, through the stages of
// the paper's model.
func (f *fitter[T]) gaussian(ctx context.Context) error {
	g, p, err := f.constants(ctx)
	if err != nil {
		return err
	}
	st, err := f.start(ctx, p)
	if err != nil {
		return err
	}
	m := f.model(p)
	f.out.Report.LoglikInitial = m.LogLikelihood(st)
	if err := f.em(ctx, m, st, f.s.Momentum); err != nil {
		return err
	}
	f.lap(&f.out.Report.Seconds.EM)
	return f.finish(ctx, g, p, st)
}

// model makes the model of the points' constants.
func (f *fitter[T]) model(p *landmark.Pairs) *Model {
	return NewModel(p, f.s.Dims, ModelSettings{Tolerance: f.s.Tolerance, Floor: f.leastSigma2, Threads: f.s.Threads})
}

// constants makes the graph and the constants of its points.
func (f *fitter[T]) constants(ctx context.Context) (*graph.Graph, *landmark.Pairs, error) {
	o, sec := f.out, &f.out.Report.Seconds
	f.progress("graph", 0, 1)
	g, err := f.graph(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("lvm: neighbourhood graph: %w", err)
	}
	o.Report.Edges, o.Report.Components = g.Edges(), g.Components
	f.learnt = f.x
	if g.Keep != nil {
		f.learnt = vec.Take(f.x, g.Keep)
	}
	f.progress("graph", 1, 1)
	f.lap(&sec.Graph)

	f.progress("coarse", 0, 1)
	level := f.s.Level.Resolve(g.N)
	f.scale = medianScale(g)
	f.leastDelta2 = f.s.Floor * f.scale
	f.leastSigma2 = f.s.Floor * f.leastDelta2
	settings := landmark.Settings{Level: level, Seed: f.s.Seed, Choose: f.choose, Floor: f.leastDelta2, Threads: f.s.Threads}
	var p *landmark.Pairs
	if f.warm.Pairs != nil && g.Keep == nil {
		p, err = f.warm.Pairs(ctx, g, settings)
	} else {
		p, err = landmark.New(ctx, f.learnt, g, settings)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("lvm: coarse-graining: %w", err)
	}
	o.Report.Level, o.Report.Landmarks, o.Report.Pairs = level, len(p.Landmarks), p.Count
	f.progress("coarse", 1, 1)
	f.lap(&sec.Coarse)
	return g, p, nil
}

// graph makes the neighbourhood graph, of parts that are known if they are.
func (f *fitter[T]) graph(ctx context.Context) (*graph.Graph, error) {
	nb := f.out.Neighbors.First(f.s.Neighbors)
	set := graph.Settings{Core: f.s.Core, Components: f.s.Components, Threads: f.s.Threads}
	if f.warm.Parts != nil {
		return graph.Join(ctx, f.x, nb, *f.warm.Parts, set)
	}
	return graph.Build(ctx, f.x, nb, set)
}

// start makes what EM starts from.
func (f *fitter[T]) start(ctx context.Context, p *landmark.Pairs) (*State, error) {
	f.progress("spectral", 0, 1)
	st, err := Start(ctx, p, f.s.Dims, StartSettings{Floor: f.leastSigma2, Spectral: spectral.Settings{
		Seed: f.s.Seed, Threads: f.s.Threads,
	}})
	if err != nil {
		return nil, fmt.Errorf("lvm: start: %w", err)
	}
	if p.Count == 0 {
		if err := f.components(ctx, p, st); err != nil {
			return nil, err
		}
	}
	f.progress("spectral", 1, 1)
	f.lap(&f.out.Report.Seconds.Spectral)
	return st, nil
}

// components makes the principal components of the learnt points the places, in the scale
// of the start. Without a dissimilar pair every point is every other's neighbour: all
// eigenvalues are the same, and eigenvectors heap most points up in one place.
func (f *fitter[T]) components(ctx context.Context, p *landmark.Pairs, st *State) error {
	c, err := student.Start(ctx, vec.Convert[float32](f.learnt), f.s.Dims, student.StartSettings{Seed: f.s.Seed, Threads: f.s.Threads})
	if err != nil {
		return fmt.Errorf("lvm: start: %w", err)
	}
	var mean, square float64
	for _, v := range st.Sigma2 {
		mean += v / float64(p.N)
	}
	for _, v := range c.Mu.Data {
		square += v * v / float64(len(c.Mu.Data))
	}
	for k, v := range c.Mu.Data {
		st.Mu.Data[k] = v * math.Sqrt(mean/square)
	}
	return nil
}

// em maximises the likelihood from st, which is Report.LoglikInitial. Without a single
// dissimilar pair (n is hardly more than k) the likelihood has no other maximum than all
// points in one place; then the map is the start, principal components.
func (f *fitter[T]) em(ctx context.Context, m *Model, st *State, momentum float64) error {
	r := &f.out.Report
	steps := max(f.s.Steps, 0)
	if m.pairs.Count == 0 {
		steps = 0
	}
	still := newPlateau(f.s.Gain)
	for step := range steps {
		f.progress("em", step, steps)
		res, err := m.Step(ctx, st, momentum)
		r.CGIterations += res.Iterations
		if err != nil {
			return fmt.Errorf("lvm: EM step %d of %d: %w", step+1, steps, err)
		}
		r.Iterations++
		if rise := m.Rise(); still.reached(rise, r.LoglikInitial+rise) {
			r.Converged = true
			break
		}
	}
	f.progress("em", steps, steps)
	r.Loglik = m.LogLikelihood(st)
	return f.publishable(st.Mu, st.Sigma2)
}

// publishable checks that what was learnt can be used: places are published as
// float32, and a map can spread a little farther than its data.
func (f *fitter[T]) publishable(mu vec.Matrix[float64], sigma2 []float64) error {
	r := &f.out.Report
	if !vec.Finite(mu.Data) || !vec.Finite(sigma2) || !vec.Finite([]float64{r.Loglik}) {
		return fmt.Errorf("lvm: after %d steps: %w", r.Iterations, ErrNotFinite)
	}
	if i := slices.IndexFunc(mu.Data, func(v float64) bool { return math.Abs(v) > math.MaxFloat32 }); i >= 0 {
		return models.BadInputf("lvm: point %d has the place %g, beyond single precision: the values are too large, scale or standardize the columns", i/f.s.Dims, mu.Data[i])
	}
	return nil
}

// finish puts the learnt points in their places among all points and places
// the others by their nearest learnt points.
func (f *fitter[T]) finish(ctx context.Context, g *graph.Graph, p *landmark.Pairs, st *State) error {
	o := f.out
	if g.Keep == nil {
		o.Mu, o.Sigma2, o.Bandwidth2 = st.Mu, st.Sigma2, p.Bandwidth2
		return nil
	}
	n := f.x.Rows
	o.Mu, o.Sigma2, o.Bandwidth2 = vec.New[float64](n, f.s.Dims), make([]float64, n), make([]float64, n)
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

// placeRest places the unlearnt points as events are placed: by the rule of
// Placer, against the learnt points.
func (f *fitter[T]) placeRest(ctx context.Context, keep []int32, c *landmark.Pairs, st *State) error {
	o := f.out
	var rest []int32
	for i, u := range o.Unlearnt {
		if u {
			rest = append(rest, int32(i))
		}
	}
	k := min(DefaultPlaceNeighbors, len(keep))
	index := knn.NewExact(vec.Convert[float32](vec.Take(f.x, keep)))
	nb, err := index.Search(ctx, vec.Convert[float32](vec.Take(f.x, rest)), min(max(k, receiveRange), len(keep)), knn.Settings{Threads: f.s.Threads})
	if err != nil {
		return fmt.Errorf("lvm: placing rows outside the largest component: %w", err)
	}
	p := &Placer{set: PlaceSettings{Neighbors: k}, snap: &snapshot.Snapshot{
		Mu: st.Mu, Sigma2: st.Sigma2, Bandwidth2: c.Bandwidth2,
		Steps: o.Report.Iterations, Dissimilar: DissimilarShare(o.Report.Level),
	}}
	var w placeWork
	w.fit(f.s.Dims, k)
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
