package fit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/novelty"
	"unfold/models/pca"
	"unfold/models/placing"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Result is the result of a fit apart from the snapshot.
type Result struct {
	// Row is the index of the reference point of every row of x.
	Row []int32
	// Placed are the places of all n rows, with their leave-one-out novelty.
	Placed models.Placed
	// Unlearnt marks rows that were placed but not learnt (models.Result.Unlearnt). It is nil if
	// there are none.
	Unlearnt []bool
	// Spec is the spec of the fit with defaults filled in.
	Spec Spec
	// PCA is the projection, nil if there is none.
	PCA *pca.PCA
	// Components is the result of the choice of their number; nil if the number was given.
	Components *Components
	// Report is the model's own report. Its Dim is the dimension after projection.
	Report models.Report
	// Warnings are warnings about the settings at this number of points (Spec.Warnings).
	Warnings []string
	// Notes are further notes about the map, a sentence each.
	Notes []string
	// Own is the part of the report that only this kind of model has, as JSON under the kind's
	// name; nil if there is none.
	Own any
	// Truncated describes how sparse rows were truncated (Sparse); nil for others.
	Truncated *Truncated
	// Constant lists the columns of x that the kind left out because they are constant
	// (Kind.Varied). The snapshot's projection removes them, and decoding restores them.
	Constant []int
	// SecondsPCA, SecondsNovelty and SecondsIndex are wall-clock times in seconds.
	SecondsPCA, SecondsNovelty, SecondsIndex float64
}

// Fit learns a map of the rows of x (n x dim). It rejects data whose map does not distinguish their
// rows, and more dimensions than the data can have (Spec.Fits), as models.ErrBadInput. Kinds that
// support missing values (Kind.Missing) fill in values that are NaN. Progress may be nil. In
// addition to the model's stages it reports "pca" and "index".
func Fit(ctx context.Context, x vec.Matrix[float32], spec Spec, progress models.Progress) (*snapshot.Snapshot, *Result, error) {
	p, err := prepareFull(ctx, x, spec, progress)
	if err != nil {
		return nil, nil, err
	}
	s, err := p.runFull(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	return s, p.out, nil
}

// pipeline is a fit in progress: it projects, learns, describes and indexes.
type pipeline struct {
	kind Kind
	spec Spec // resolved
	// follow are the settings of a map that will be updated as points are added and removed; nil
	// for others.
	follow *live.Settings
	// graph is the snapshot's part for a graph; nil for rows.
	graph    *snapshot.Graph
	progress models.Progress
	out      *Result
}

// prepareFull is prepare for dense rows.
func prepareFull(ctx context.Context, x vec.Matrix[float32], spec Spec, progress models.Progress) (*pipeline, error) {
	spec, err := spec.whole(x)
	if err != nil {
		return nil, err
	}
	spec, chosen, err := spec.Choose(ctx, x)
	if err != nil {
		return nil, err
	}
	p, err := prepare(x.Rows, x.Cols, spec, progress)
	if err != nil {
		return nil, err
	}
	if p.out.Components = chosen; p.spec.binary() {
		err = gplvm.CheckBinary(x, nil) // this check needs all columns of x
	}
	return p, err
}

// prepare makes all checks that are possible before any computation, for rows of dim elements.
func prepare(rows, dim int, spec Spec, progress models.Progress) (*pipeline, error) {
	spec, err := spec.Resolve(dim)
	if err != nil {
		return nil, err
	}
	if err := spec.Fits(rows, dim); err != nil {
		return nil, err
	}
	k, err := spec.Kinds.Find(spec.Kind)
	if err != nil {
		return nil, err
	}
	if g := spec.Given; g != nil {
		if !k.Given {
			return nil, models.BadInputf("%s: neighbours are given, which a model of this kind searches for itself", k.Name)
		}
		if g.N != rows {
			return nil, models.BadInputf("neighbours of %d rows are given for %d rows", g.N, rows)
		}
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	return &pipeline{kind: k, spec: spec, progress: progress, out: &Result{}}, nil
}

// runFull learns a map of the rows of x.
func (p *pipeline) runFull(ctx context.Context, x vec.Matrix[float32]) (*snapshot.Snapshot, error) {
	project, z, err := p.project(ctx, x)
	if err != nil {
		return nil, err
	}
	return p.run(ctx, project, z)
}

// run learns a map of z, the projected rows.
func (p *pipeline) run(ctx context.Context, project *projection.Projection, z vec.Matrix[float32]) (*snapshot.Snapshot, error) {
	learnt, err := p.learn(ctx, z)
	if err != nil {
		return nil, err
	}
	p.out.Warnings = p.spec.Warnings(len(learnt.Unique))
	p.out.fewer(p.spec.Neighbors, learnt.Spec.Neighbors, len(learnt.Unique))
	p.out.joined(learnt)
	p.out.sampled(learnt)
	p.spec = learnt.Spec
	p.spec.Given, p.spec.Labels, p.spec.Paths, p.spec.Aside = nil, nil, nil, nil // they belong to these rows only
	if len(learnt.Unique) < z.Rows {
		z = vec.Take(z, learnt.Unique)
	}
	clock := time.Now()
	p.progress("index", 0, 1) // frees the memory of learning before novelties are computed
	s, own, err := learnt.snapshot(z)
	if err != nil {
		return nil, err
	}
	p.out.SecondsNovelty = time.Since(clock).Seconds()
	near := found(learnt.Result)
	learnt.Neighbors = nil // frees memory
	s.Version, s.Epoch, s.Parts = 1, 1, slices.Concat(s.Parts, learnt.Parts)
	project.Store(s)
	if p.graph != nil {
		s.Graph, s.Dim = p.graph, z.Rows
	}
	if err := p.index(ctx, s, near); err != nil {
		return nil, err
	}
	if s.Settings, err = p.spec.stored(); err != nil {
		return nil, err
	}
	p.spec.Threads = 0
	p.out.Spec, p.out.Report, p.out.Own = p.spec, learnt.Report, learnt.Own
	p.out.rows(s, learnt.Result, own)
	return s, nil
}

// project fits the projection of the spec, if any, and returns the projected rows of x.
func (p *pipeline) project(ctx context.Context, x vec.Matrix[float32]) (*projection.Projection, vec.Matrix[float32], error) {
	if p.spec.PCA == PCANone {
		if p.kind.Varied {
			return p.out.vary(x, p.spec)
		}
		return projection.None(x.Cols), x, nil
	}
	p.progress("pca", 0, 1)
	clock := time.Now()
	project, err := p.components(ctx, x)
	if err != nil {
		return nil, x, err
	}
	z, err := project.Learn(x, p.spec.Threads)
	if err != nil {
		return nil, x, err
	}
	p.out.SecondsPCA = time.Since(clock).Seconds()
	p.progress("pca", 1, 1)
	return project, z, nil
}

// components fits principal components.
func (p *pipeline) components(ctx context.Context, x vec.Matrix[float32]) (project *projection.Projection, err error) {
	least := 0.0
	if p.kind.Varied {
		least = leastVariance
	}
	project, p.out.PCA, err = projection.Fit(ctx, x, p.spec.PCA, least, pca.Settings{Threads: p.spec.Threads, Seed: p.spec.Seed})
	return project, err
}

// learn learns from the projected rows.
func (p *pipeline) learn(ctx context.Context, z vec.Matrix[float32]) (*Learnt, error) {
	spec := p.spec
	spec.Lists = max(spec.Lists, spec.NoveltyK)
	if p.follow != nil {
		first, err := p.follow.First()
		if err != nil {
			return nil, err
		}
		spec.Common, spec.LVM = first.Common, first.Options
	}
	points, err := p.kind.Learn(ctx, z, spec, p.progress)
	if err != nil {
		return nil, err
	}
	if err := collapsed(points); err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Kind, err)
	}
	return points, nil
}

// found returns the neighbours that the search found for the points, without distances. It returns
// nil if they were given, because given lists may be inexact.
func found(r *models.Result) *knn.Neighbors {
	nb := r.Neighbors
	if nb == nil || r.Report.Search.Method == auto.Given {
		return nil
	}
	return &knn.Neighbors{N: nb.N, K: nb.K, Index: nb.Index}
}

// index makes the index with which events are placed. near are the points' neighbours.
func (p *pipeline) index(ctx context.Context, s *snapshot.Snapshot, near *knn.Neighbors) (err error) {
	clock := time.Now()
	p.progress("index", 0, 1)
	err = lvm.SetIndex(ctx, s, near, p.spec.seeded(), knn.Settings{
		Threads: p.spec.Threads, Progress: func(done, total int) { p.progress("index", done, total) },
	})
	p.out.SecondsIndex = time.Since(clock).Seconds()
	return err
}

// stored returns the JSON of the spec for a snapshot.
func (s Spec) stored() ([]byte, error) {
	s.Threads = 0 // it belongs to the machine, not to the map
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("storing the settings: %w", err)
	}
	return text, nil
}

// whole turns off automatic principal components if values are missing and the kind supports that.
// It returns an error if the spec asks for components explicitly.
func (s Spec) whole(x vec.Matrix[float32]) (Spec, error) {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil || !k.Missing || !slices.ContainsFunc(x.Data, func(v float32) bool { return v != v }) {
		return s, err
	}
	if s.PCA > 0 {
		return s, models.BadInputf("values are missing, so that there are no %d principal components: fill them in, or learn without (pca none)", s.PCA)
	}
	s.PCA = PCANone
	return s, nil
}

// rows copies the points' places to the rows of the input.
func (r *Result) rows(s *snapshot.Snapshot, points *models.Result, own novelty.Scores) {
	n, d, sigma2 := len(points.Of), s.Mu.Cols, s.Published2()
	r.Row = points.Of
	r.Placed = models.Placed{
		Mu: vec.New[float32](n, d), Sigma: make([]float32, n),
		NoveltyLocal: make([]float32, n), NoveltyGlobal: make([]float32, n),
	}
	for i, p := range points.Of {
		placing.Publish(r.Placed, i, s.Mu.Row(int(p)), sigma2[p], own.Local[p], own.Global[p])
	}
	if points.Unlearnt != nil {
		r.Unlearnt = make([]bool, n)
		for i, p := range points.Of {
			r.Unlearnt[i] = points.Unlearnt[p]
		}
	}
}
