package lvm

import (
	"context"
	"fmt"

	"unfold/coarse"
	"unfold/models"
	"unfold/models/lvm/student"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/spectral"
	"unfold/sparse/vec"
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
	h := &Heavy{coarse: s.Coarse.Resolve(Student, nb.N, s.Dims)}
	if unit == 0 {
		unit = s.scales().Unit(nb, k)
	}
	h.Problem = student.NewProblemIn(nb, k, s.scales(), unit)
	if h.coarse == CoarseMap && s.Theta == 0 {
		s.Theta = s.defaultTheta(nb.N)
	}
	h.Problem.Field = s.field(h.coarse, h.Problem.Bandwidth2)
	if s.Steps == 0 && s.Thorough {
		s.Steps = int(thoroughSteps * float64(student.Steps(nb.N, s.Dims)))
	}
	if h.Model, err = student.NewModel(h.Problem, s.Dims, s.student(h.coarse)); err != nil {
		return nil, fmt.Errorf("lvm: %w", err)
	}
	s.Steps, s.Weight = h.Model.Settings().Steps, h.Model.Settings().Weight
	h.Settings = s
	return h, nil
}

// Describe returns what a snapshot keeps of the model, for a map.
func (h *Heavy) Describe(st *student.State) *snapshot.Student {
	s := h.Settings
	return &snapshot.Student{
		Tail: s.Tail, Unit: h.Problem.Unit, Clip: s.clip(), Weight: s.Weight,
		Field: h.coarse.String(), Theta: s.Theta, Seed: s.Seed, Error2: errors2(h.Problem, st, s.Tail, s.Threads),
	}
}

// Continue goes on with a map with Gaussian tails: Settings.Steps of EM from st,
// for the distinct points x, whose lists nb hold at least Settings.Neighbors. Nil
// for st means the start of Fit. Result.Report.Seconds is left at zero.
func Continue(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, st *State, s Settings) (*Result, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if s.Tails != Gaussian {
		return nil, wrong(false, "tails", "a map with Gaussian tails was to be continued, not one with %v ones", s.Tails)
	}
	s.Neighbors = min(s.Neighbors, nb.N-1)
	f := &fitter[float32]{s: s, progress: func(string, int, int) {}, x: x, out: &Result{Settings: s, Neighbors: nb}}
	f.out.Report = Report{N: x.Rows, Unique: x.Rows, Dim: x.Cols, Dims: s.Dims, Neighbors: s.Neighbors}
	return f.out, f.further(ctx, st)
}

// further takes steps from st, or from the start of a fit.
func (f *fitter[T]) further(ctx context.Context, st *State) error {
	o := f.out
	g, err := graph.Build(ctx, f.x, nearest(o.Neighbors, f.s.Neighbors), graph.Settings{
		Core: f.s.Core, Components: f.s.Components, Threads: f.s.Threads,
	})
	if err != nil {
		return fmt.Errorf("lvm: neighbourhood graph: %w", err)
	}
	learnt := f.x
	if g.Keep != nil {
		learnt = vec.Take(f.x, g.Keep)
	}
	level := f.s.Level.Resolve(g.N)
	f.leastDelta2 = f.s.Floor * medianScale(g)
	f.leastSigma2 = f.s.Floor * f.leastDelta2
	p, err := coarse.New(ctx, learnt, g, coarse.Settings{Level: level, Seed: f.s.Seed, Floor: f.leastDelta2, Threads: f.s.Threads})
	if err != nil {
		return fmt.Errorf("lvm: coarse-graining: %w", err)
	}
	o.Report.Edges, o.Report.Components = g.Edges(), g.Components
	o.Report.Level, o.Report.Landmarks, o.Report.Pairs = level, len(p.Landmarks), p.Count
	switch {
	case st == nil:
		st, err = Start(ctx, p, f.s.Dims, StartSettings{Floor: f.leastSigma2, Spectral: spectral.Settings{Seed: f.s.Seed, Threads: f.s.Threads}})
		if err != nil {
			return fmt.Errorf("lvm: start: %w", err)
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
	return f.finish(ctx, g, p, st)
}
