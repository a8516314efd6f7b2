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

// Continue goes on with a map with Gaussian tails: Settings.Steps of EM from st,
// for the distinct points x, whose lists nb hold at least Settings.Neighbors. Nil
// for st means the start of Fit. If pairs is not nil, it makes the constants where
// all points are learnt.
func Continue(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, st *State, pairs PairsOf, s Settings) (*Result, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if s.Tails != Gaussian {
		return nil, wrong(false, "tails", "a map with Gaussian tails was to be continued, not one with %v ones", s.Tails)
	}
	s.Neighbors = min(s.Neighbors, nb.N-1)
	f := &fitter[float32]{s: s, progress: func(string, int, int) {}, x: x, follow: pairs, out: &Result{Settings: s, Neighbors: nb}}
	f.out.Report = Report{N: x.Rows, Unique: x.Rows, Dim: x.Cols, Dims: s.Dims, Neighbors: s.Neighbors}
	return f.out, f.further(ctx, st)
}

// further takes steps from st, or from the start of a fit.
func (f *fitter[T]) further(ctx context.Context, st *State) error {
	f.clock = time.Now()
	g, p, err := f.constants(ctx)
	if err != nil {
		return err
	}
	switch {
	case st == nil:
		if st, err = f.start(ctx, p); err != nil {
			return err
		}
	case g.Keep != nil:
		kept := &State{Mu: vec.Take(st.Mu, g.Keep)}
		for _, i := range g.Keep {
			kept.Sigma2 = append(kept.Sigma2, st.Sigma2[i])
		}
		st = kept
	default:
		st = st.Clone()
	}
	for i, v := range st.Sigma2 {
		st.Sigma2[i] = max(v, f.leastSigma2)
	}
	if err := f.em(ctx, p, st); err != nil {
		return err
	}
	f.lap(&f.out.Report.Seconds.EM)
	return f.finish(ctx, g, p, st)
}
