package kinds

import (
	"context"
	"fmt"
	"slices"
	"time"

	"unfold/models"
	"unfold/models/lllvm"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/vec"
)

// LLLVM is the locally linear latent variable model, package lllvm.
const LLLVM = "lllvm"

// locallyLinear is its entry. Of all distinct rows, which are the reference points, it
// learns a bounded number and places the rest, which are marked as unlearnt.
var locallyLinear = Kind{
	Name:  LLLVM,
	check: func(s Spec) error { _, err := s.locallyLinear().Resolved(); return err },
	learn: learnLocallyLinear,
	open: func(s *snapshot.Snapshot, p lvm.PlaceSettings) (models.Placer, error) {
		if p.Rule != lvm.RuleAuto || p.Received != 0 {
			return nil, &lvm.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with maps of kind %s; this one is of kind %s, whose own way is auto", p.Rule, LVM, LLLVM)}
		}
		return lllvm.NewPlacer(s, lllvm.PlaceSettings{Neighbors: p.Neighbors, Threads: p.Threads, Search: p.Search})
	},
	memory: func(s Spec, n, q int) int64 {
		f, err := s.locallyLinear().Resolved()
		if err != nil {
			return 0
		}
		return lllvm.Bytes(min(n, f.Points), f.Dims, q)
	},
	describe: func(s *snapshot.Snapshot) []Line {
		d := lllvm.Describe(s)
		return []Line{
			{"learnt", fmt.Sprintf("%d of the reference points", d.Learnt)},
			{"neighbours", fmt.Sprintf("%d to learn by, %d for novelty", s.Neighbors, s.NoveltyK)},
			{"noise", fmt.Sprintf("standard deviation %.4g of an element", d.Noise)},
			{"bound", fmt.Sprintf("%.8g (gamma %.4g, alpha %.4g, epsilon %.4g)", d.Bound, d.Gamma, d.Alpha, d.Epsilon)},
		}
	},
}

// locallyLinear are the settings of a fit as that package has them.
func (s Spec) locallyLinear() lllvm.FitSettings {
	return lllvm.FitSettings{
		Options: s.LLLVM, Dims: s.LVM.Dims, Neighbors: s.LVM.Neighbors, Steps: s.LVM.Steps,
		Largest: s.LVM.Components == lvm.Largest, Seed: s.LVM.Seed, Threads: s.LVM.Threads,
	}
}

// LocallyLinear is what a fit of that kind reports of itself.
type LocallyLinear struct {
	// Learnt is the number of points that were learnt.
	Learnt int `json:"learnt"`
	// Gamma and Alpha are the precisions of the noise, in the model's units, and of the
	// prior; Noise is the standard deviation of an element in those of the data.
	Gamma float64 `json:"gamma"`
	Alpha float64 `json:"alpha"`
	Noise float64 `json:"noise"`
	// Bounds are those after every iteration of the start that was kept, Best its number
	// among Runs.
	Bounds []float64   `json:"bounds"`
	Best   int         `json:"best"`
	Runs   []lllvm.Run `json:"runs"`
}

func learnLocallyLinear(ctx context.Context, z vec.Matrix[float32], s Spec, progress lvm.Progress) (*learnt, error) {
	if err := models.CheckRows(z, nil); err != nil {
		return nil, err
	}
	set, err := s.locallyLinear().Resolved()
	if err != nil {
		return nil, err
	}
	r := &lvm.Result{Report: lvm.Report{N: z.Rows, Dim: z.Cols, Dims: set.Dims}}
	r.Unique, r.Of, r.Count = graph.Collapse(z)
	if r.Report.Unique = len(r.Unique); r.Report.Unique < z.Rows {
		z = vec.Take(z, r.Unique)
	}
	clock := time.Now()
	lap := func(to *float64) { *to = time.Since(clock).Seconds(); clock = time.Now() }
	fit, err := lllvm.Fit(ctx, z, set, func(done, total int) { progress("em", done, total) })
	if err != nil {
		return nil, err
	}
	lap(&r.Report.Seconds.EM)
	set = fit.Settings
	search := s.LVM.Search
	search.Seed = s.LVM.Seed
	r.Neighbors, r.Report.Search, err = auto.Graph(ctx, z, min(max(s.LVM.Lists, set.Neighbors), z.Rows-1), search, knn.Settings{
		Threads: s.LVM.Threads, Progress: func(done, total int) { progress("knn", done, total) },
	})
	if err != nil {
		return nil, fmt.Errorf("lllvm: neighbours: %w", err)
	}
	lap(&r.Report.Seconds.KNN)
	if r.Mu, r.Sigma2, err = fit.PlaceAll(ctx, z, func(done, total int) { progress("place", done, total) }); err != nil {
		return nil, err
	}
	r.Bandwidth2 = make([]float64, z.Rows)
	for i := range r.Bandwidth2 {
		_, dist2 := r.Neighbors.Row(i)
		r.Bandwidth2[i] = dist2[set.Neighbors-1]
	}
	if len(fit.Learnt) < z.Rows {
		r.Unlearnt = slices.Repeat([]bool{true}, z.Rows)
		for _, p := range fit.Learnt {
			r.Unlearnt[p] = false
		}
	}
	best := fit.Runs[fit.Best]
	r.Report.Neighbors, r.Report.Edges, r.Report.Components = set.Neighbors, fit.Model.Edges(), fit.Components
	r.Report.Iterations, r.Report.Converged = best.Iterations, best.Converged
	r.Report.LoglikInitial, r.Report.Loglik = fit.History.Bounds[0], best.Bound
	// The settings that this kind does not know are left at their defaults.
	s.LVM = lvm.Settings{
		Dims: set.Dims, Neighbors: set.Neighbors, Steps: set.Steps, Seed: set.Seed, Threads: set.Threads,
		Search: s.LVM.Search, Components: s.LVM.Components, Lists: s.LVM.Lists,
	}
	s.LLLVM = set.Options
	r.Settings = s.LVM
	own := LocallyLinear{
		Learnt: len(fit.Learnt), Gamma: fit.State.Gamma, Alpha: fit.State.Alpha, Noise: fit.Noise(),
		Bounds: fit.History.Bounds, Best: fit.Best, Runs: fit.Runs,
	}
	return &learnt{Result: r, parts: fit.Parts(), own: own, spec: s}, nil
}
