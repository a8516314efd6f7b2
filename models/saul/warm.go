package saul

import (
	"context"
	"fmt"
	"time"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Heavy is the model with heavy tails of a point set whose neighbours are known,
// made as Fit makes it: what package live goes on with when points come and go.
type Heavy struct {
	Problem *student.Problem
	Model   *student.Model
	// Settings are those it was made by, with all defaults filled in.
	Settings Settings
	coarse   Coarse
}

// NewHeavy makes the model of the points with the lists nb, which hold at least
// Settings.Neighbors of them, or all other points. Squared distances are measured
// in the given unit; 0 means their own (student.Scales.Unit).
func NewHeavy(nb *knn.Neighbors, s Settings, unit float64) (*Heavy, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if s.Tails != Student {
		return nil, wrong(false, "tails", "a model with heavy tails was asked for, not one with %v ones", s.Tails)
	}
	k := min(s.Neighbors, nb.N-1)
	if k < 1 || nb.K < k {
		return nil, models.BadInputf("lvm: lists of %d neighbours of %d points, want %d of at least 2", nb.K, nb.N, s.Neighbors)
	}
	if unit == 0 {
		unit = s.scales().Unit(nb, k)
	}
	h := &Heavy{Problem: student.NewProblemIn(nb, k, s.scales(), unit), Settings: s}
	h.field()
	return h, h.model()
}

// field gives the problem its pair sums, as the number of points says.
func (h *Heavy) field() {
	s, n := &h.Settings, h.Problem.N()
	h.coarse = s.Coarse.Resolve(Student, n, s.Dims)
	if h.coarse == CoarseMap {
		s.Theta = s.CellTheta(n)
	}
	h.Problem.Field = s.field(h.coarse, h.Problem.Bandwidth2)
}

// model makes the model of a problem that has its field.
func (h *Heavy) model() (err error) {
	s := &h.Settings
	if s.Steps == 0 && s.Thorough {
		s.Steps = int(thoroughSteps * float64(student.Steps(h.Problem.N(), s.Dims)))
	}
	if h.Model, err = student.NewModel(h.Problem, s.Dims, s.student(h.coarse)); err != nil {
		return fmt.Errorf("lvm: %w", err)
	}
	s.Steps, s.Weight = h.Model.Settings().Steps, h.Model.Settings().Weight
	return nil
}

// Map is the result that the state of the model comes to, of points with the lists
// nb that it was made of.
func (h *Heavy) Map(nb *knn.Neighbors, st *student.State) *Result {
	k := min(h.Settings.Neighbors, nb.N-1)
	return &Result{
		Mu: st.Mu, Sigma2: st.Sigma2, Bandwidth2: reaches(nb, k), Neighbors: nb, Student: h.Describe(st), Settings: h.Settings,
	}
}

// Describe returns what a snapshot keeps of the model, for a map.
func (h *Heavy) Describe(st *student.State) *snapshot.Student {
	s := h.Settings
	return &snapshot.Student{
		Tail: s.Tail, Unit: h.Problem.Unit, Clip: s.clip(), Weight: s.Weight,
		Field: h.coarse.String(), Theta: s.Theta, Seed: s.Seed, Error2: errors2(h.Problem, st, s.Tail, s.Threads),
	}
}

// PairsOf makes the constants of the likelihood of a graph's points by settings, as
// landmark.New does.
type PairsOf func(ctx context.Context, g *graph.Graph, s landmark.Settings) (*landmark.Pairs, error)

// Warm is what is there of a map with Gaussian tails before it is continued. The zero
// value is nothing: then Continue is a fit.
type Warm struct {
	// State holds the places and variances of the points; nil means the start of Fit.
	State *State
	// Refit learns from the start of Fit all the same, and goes on from State only if
	// that ends with a lower likelihood than State has.
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

// Continue goes on with a map with Gaussian tails: Settings.Steps of EM from what is
// there, for the distinct points x, whose lists nb hold at least Settings.Neighbors.
// Report.LoglikInitial is that of Warm.State, if there is one, by the constants of x; the
// result has no lower likelihood. Where momentum would have it fall the steps are taken
// again without, which Report.Falls says.
func Continue(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, from Warm, s Settings) (*Result, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if s.Tails != Gaussian {
		return nil, wrong(false, "tails", "a map with Gaussian tails was to be continued, not one with %v ones", s.Tails)
	}
	s.Neighbors = min(s.Neighbors, nb.N-1)
	f := &fitter[float32]{s: s, progress: func(string, int, int) {}, x: x, warm: from, out: &Result{Settings: s, Neighbors: nb}}
	f.out.Report = Report{N: x.Rows, Unique: x.Rows, Dim: x.Cols, Dims: s.Dims, Neighbors: s.Neighbors}
	if from.State == nil {
		f.clock = time.Now()
		return f.out, f.gaussian(ctx)
	}
	return f.out, f.further(ctx)
}

// further goes on from Warm.State.
func (f *fitter[T]) further(ctx context.Context) error {
	f.clock = time.Now()
	g, p, err := f.constants(ctx)
	if err != nil {
		return err
	}
	before, m := f.before(g), f.model(p)
	f.out.Report.LoglikInitial = m.LogLikelihood(before)
	st := before
	if f.warm.Refit {
		st, err = f.refit(ctx, m, before)
	} else {
		st, err = f.rising(ctx, m, before)
	}
	if err != nil {
		return err
	}
	f.lap(&f.out.Report.Seconds.EM)
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
	return st
}

// refit learns from the start of a fit, or, where that ends lower than the map before
// is, from this.
func (f *fitter[T]) refit(ctx context.Context, m *Model, before *State) (*State, error) {
	r := &f.out.Report
	st, err := f.start(ctx, m.pairs)
	if err != nil {
		return nil, err
	}
	if err := f.em(ctx, m, st, f.s.Momentum); err != nil {
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
	r := &f.out.Report
	if f.scale > 0 {
		m.Hold(before, f.warm.Anchor/f.scale)
	}
	momenta := []float64{f.s.Momentum, 0}
	if f.s.Momentum == 0 {
		momenta = momenta[1:]
	}
	for _, momentum := range momenta {
		st := before.Clone()
		m.Reset()
		if err := f.em(ctx, m, st, momentum); err != nil {
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
