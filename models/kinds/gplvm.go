package kinds

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"unfold/models"
	"unfold/models/gplvm"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/vec"
)

// GPLVM is the Gaussian process latent variable model, package gplvm.
const GPLVM = "gplvm"

// processNeighbors is how many neighbours the bandwidth reaches if none are named; the
// model itself has no neighbours.
const processNeighbors = 9

// gaussianProcess is its entry. Of all distinct rows, which are the reference points, it
// learns a bounded number and places the rest, which are marked as unlearnt.
var gaussianProcess = Kind{
	Name:  GPLVM,
	check: func(s Spec) error { _, err := s.gaussianProcess().Resolved(); return err },
	learn: learnGaussianProcess,
	open: func(s *snapshot.Snapshot, p lvm.PlaceSettings) (models.Placer, error) {
		if p.Rule != lvm.RuleAuto || p.Received != 0 || p.Neighbors != 0 {
			return nil, &lvm.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with maps of kind %s; this one is of kind %s, whose own way is auto, without neighbours", p.Rule, LVM, GPLVM)}
		}
		return gplvm.NewPlacer(s, gplvm.PlaceSettings{Threads: p.Threads, Search: p.Search})
	},
	memory: func(s Spec, n, q int) int64 {
		f, err := s.gaussianProcess().Resolved()
		if err != nil {
			return 0
		}
		return gplvm.Bytes(min(n, f.Points), q)
	},
	describe: func(s *snapshot.Snapshot) []Line {
		d := gplvm.Describe(s)
		var theta []string
		for i, v := range d.Theta {
			theta = append(theta, fmt.Sprintf("%s %.4g", d.Names[i], v))
		}
		lines := []Line{
			{"learnt", fmt.Sprintf("%d of the reference points", d.Learnt)},
			{"kernel", fmt.Sprintf("%s: %s", d.Kernel, strings.Join(theta, ", "))},
			{"likelihood", fmt.Sprintf("%.8g, with the prior of the places", d.LogLik)},
		}
		if d.Smooth {
			lines = append(lines, Line{"placing", fmt.Sprintf("by a smooth map, with an error of %.3g at leaving one out", d.Residual)})
		}
		return lines
	},
}

// gaussianProcess are the settings of a fit as that package has them.
func (s Spec) gaussianProcess() gplvm.FitSettings {
	return gplvm.FitSettings{Options: s.GPLVM, Dims: s.LVM.Dims, Steps: s.LVM.Steps, Seed: s.LVM.Seed, Threads: s.LVM.Threads}
}

// GaussianProcess is what a fit of that kind reports of itself.
type GaussianProcess struct {
	// Learnt is the number of points that were learnt.
	Learnt int `json:"learnt"`
	// Kernel has the parameters Theta.
	Kernel string    `json:"kernel"`
	Theta  []float64 `json:"theta"`
	// Best is the number of the start that was kept among Runs.
	Best int         `json:"best"`
	Runs []gplvm.Run `json:"runs"`
	// Residual is the error of the smooth map, if there is one, at leaving one out.
	Residual float64 `json:"residual,omitempty"`
}

func learnGaussianProcess(ctx context.Context, z vec.Matrix[float32], s Spec, progress lvm.Progress) (*learnt, error) {
	if err := models.CheckRows(z, nil); err != nil {
		return nil, err
	}
	set, err := s.gaussianProcess().Resolved()
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
	fit, err := gplvm.Fit(ctx, z, set, func(done, total int) { progress("em", done, total) })
	if err != nil {
		return nil, err
	}
	lap(&r.Report.Seconds.EM)
	neighbors := s.LVM.Neighbors
	if neighbors == 0 {
		neighbors = processNeighbors
	}
	neighbors = min(neighbors, z.Rows-1)
	search := s.LVM.Search
	search.Seed = s.LVM.Seed
	r.Neighbors, r.Report.Search, err = auto.Graph(ctx, z, min(max(s.LVM.Lists, neighbors), z.Rows-1), search, knn.Settings{
		Threads: s.LVM.Threads, Progress: func(done, total int) { progress("knn", done, total) },
	})
	if err != nil {
		return nil, fmt.Errorf("gplvm: neighbours: %w", err)
	}
	lap(&r.Report.Seconds.KNN)
	if r.Mu, r.Sigma2, err = fit.PlaceAll(ctx, z, func(done, total int) { progress("place", done, total) }); err != nil {
		return nil, err
	}
	r.Bandwidth2 = make([]float64, z.Rows)
	for i := range r.Bandwidth2 {
		_, dist2 := r.Neighbors.Row(i)
		r.Bandwidth2[i] = dist2[neighbors-1]
	}
	if len(fit.Learnt) < z.Rows {
		r.Unlearnt = slices.Repeat([]bool{true}, z.Rows)
		for _, p := range fit.Learnt {
			r.Unlearnt[p] = false
		}
	}
	best := fit.Runs[fit.Best]
	r.Report.Neighbors, r.Report.Components = neighbors, 1
	r.Report.Iterations, r.Report.Converged = best.Iterations, best.Converged
	r.Report.LoglikInitial, r.Report.Loglik = best.Initial, best.LogLik
	// The settings that this kind does not know are left at their defaults.
	s.LVM = lvm.Settings{
		Dims: set.Dims, Neighbors: neighbors, Steps: set.Steps, Seed: set.Seed, Threads: set.Threads,
		Search: s.LVM.Search, Lists: s.LVM.Lists,
	}
	s.GPLVM = fit.Settings.Options
	r.Settings = s.LVM
	own := GaussianProcess{Learnt: len(fit.Learnt), Kernel: fit.Settings.Kernel, Theta: fit.Point.Theta, Best: fit.Best, Runs: fit.Runs}
	if fit.Back != nil {
		own.Residual = fit.Back.Residual
	}
	return &learnt{Result: r, parts: fit.Parts(), own: own, spec: s}, nil
}
