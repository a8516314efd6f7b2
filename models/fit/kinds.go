package fit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/gplvm"
	"unfold/models/lllvm"
	"unfold/models/novelty"
	"unfold/models/pca"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/snapshot"
)

// LVM is Saul's latent variable model, package saul.
const LVM = "lvm"

// How PCA is chosen.
const (
	// PCAAuto projects vectors of more than DefaultPCA elements onto DefaultPCA
	// principal components, and leaves others as they are.
	PCAAuto = 0
	// PCANone never projects.
	PCANone = -1
	// DefaultPCA keeps the neighbourhoods of what has been tried (MNIST: the
	// 9-NN test error in 50 components is that in all 784 elements).
	DefaultPCA = 50
)

// Spec says what to learn. The zero value works. It is stored as JSON in
// Snapshot.Settings.
type Spec struct {
	// Kind is the model's name; empty means the first of Kinds.
	Kind string `json:"kind"`
	// PCA is PCAAuto, PCANone, or the number of principal components.
	PCA int `json:"pca"`
	// NoveltyK is the number of neighbours that novelty looks at. Default
	// novelty.DefaultK.
	NoveltyK int `json:"novelty_k"`
	// LVM are the settings of that kind. Of these Dims, Neighbors, Steps, Seed, Threads
	// and Search hold for all kinds, Seed, Threads and Search for all stages.
	LVM saul.Settings `json:"lvm"`
	// LLLVM are settings that only that kind has.
	LLLVM lllvm.Options `json:"lllvm,omitzero"`
	// GPLVM are settings that only that kind has.
	GPLVM gplvm.Options `json:"gplvm,omitzero"`
}

// Resolve fills in defaults, for vectors of dim elements, and checks the spec:
// afterwards Kind is a name, PCA is PCANone or a number of components and
// NoveltyK is positive. The kind's own settings are left to it.
func (s Spec) Resolve(dim int) (Spec, error) {
	k, err := Find(s.Kind)
	if err != nil {
		return s, err
	}
	s.Kind = k.Name
	switch {
	case s.PCA == PCAAuto && dim > DefaultPCA:
		s.PCA = DefaultPCA
	case s.PCA == PCAAuto:
		s.PCA = PCANone
	case s.PCA < PCANone:
		return s, fmt.Errorf("pca is %d: want a number of components, %d for automatic or %d for none", s.PCA, PCAAuto, PCANone)
	case s.PCA > dim:
		return s, models.BadInputf("pca is %d, but vectors have %d elements: want at most that, or %d for none", s.PCA, dim, PCANone)
	}
	if s.NoveltyK == 0 {
		s.NoveltyK = novelty.DefaultK
	}
	if s.NoveltyK < 1 {
		return s, fmt.Errorf("%d neighbours for novelty, want at least 1", s.NoveltyK)
	}
	return s, nil
}

// Result is what a fit has to say beside the snapshot.
type Result struct {
	// Row gives the reference point of every row of x.
	Row []int32
	// Placed are the places of all n rows, with their leave-one-out novelty.
	Placed models.Placed
	// Unlearnt marks rows that were placed and not learnt (saul.Largest). Nil if
	// there are none.
	Unlearnt []bool
	// Spec is that of the fit with defaults filled in.
	Spec Spec
	// PCA is the projection, nil if there is none.
	PCA *pca.PCA
	// Report is the model's own. Its Dim is the dimension that the model saw.
	Report saul.Report
	// Own is what only this kind of model has to report, as JSON under its name; nil if
	// there is nothing.
	Own any
	// Constant are the columns of x that a kind has left out since they do not vary
	// (Kind.Varied): the snapshot projects them away, and decoding gives them back.
	Constant []int
	// SecondsPCA, SecondsNovelty and SecondsIndex are wall-clock times.
	SecondsPCA, SecondsNovelty, SecondsIndex float64
}

// Fit learns a map of the rows of x (n x dim). Data of which no map comes that tells
// its rows apart are bad input, as are more dimensions than the data can have (Spec.Fits). Kinds that can do without some values
// (Kind.Missing) fill in those of x that are NaN. Progress may be nil; beside the
// model's stages it hears of "pca" and "index".
func Fit(ctx context.Context, x vec.Matrix[float32], spec Spec, progress saul.Progress) (*snapshot.Snapshot, *Result, error) {
	spec, err := spec.whole(x)
	if err != nil {
		return nil, nil, err
	}
	if spec, err = spec.Resolve(x.Cols); err != nil {
		return nil, nil, err
	}
	if err := spec.Fits(x.Rows, x.Cols); err != nil {
		return nil, nil, err
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	r := &Result{}
	s := &snapshot.Snapshot{Kind: spec.Kind, Version: 1, Epoch: 1, Dim: x.Cols}
	z, err := r.project(ctx, s, x, spec, progress)
	if err != nil {
		return nil, nil, err
	}
	spec.LVM.Lists = max(spec.LVM.Lists, spec.NoveltyK)
	k, err := Find(spec.Kind)
	if err != nil {
		return nil, nil, err
	}
	fit, err := k.learn(ctx, z, spec, progress)
	if err != nil {
		return nil, nil, err
	}
	if err := collapsed(fit); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", spec.Kind, err)
	}
	s.Reference = z
	if len(fit.Unique) < z.Rows {
		s.Reference = vec.Take(z, fit.Unique)
	}
	s.Count, s.Mu, s.Sigma2, s.Bandwidth2 = fit.Count, fit.Mu, fit.Sigma2, fit.Bandwidth2
	s.Unlearnt, s.Neighbors, s.Steps = fit.Unlearnt, fit.Settings.Neighbors, fit.Report.Iterations
	s.Parts = fit.parts
	if s.Student = fit.Student; s.Student == nil && spec.Kind == LVM {
		s.Dissimilar = saul.DissimilarShare(fit.Report.Level)
	}
	spec = fit.spec
	r.Spec, r.Report, r.Own = spec, fit.Report, fit.own

	clock := time.Now()
	tables, own, err := novelty.New(fit.Neighbors, spec.NoveltyK, spec.LVM.Threads)
	if err != nil {
		return nil, nil, err
	}
	s.NoveltyK, s.KDist2, s.Density = tables.K, tables.KDist2, tables.Density
	s.LocalScores, s.GlobalScores = tables.Local, tables.Global
	r.SecondsNovelty = time.Since(clock).Seconds()
	fit.Neighbors = nil // makes room
	clock = time.Now()
	progress("index", 0, 1)
	search := spec.LVM.Search
	search.Seed = spec.LVM.Seed
	if s.Index, err = saul.NewIndex(ctx, s, search, spec.LVM.Threads); err != nil {
		return nil, nil, err
	}
	r.SecondsIndex = time.Since(clock).Seconds()
	spec.LVM.Threads = 0 // a matter of the machine, not of the map
	if s.Settings, err = json.Marshal(spec); err != nil {
		return nil, nil, fmt.Errorf("storing the settings: %w", err)
	}
	r.rows(s, fit.Result, own)
	return s, r, nil
}

// whole takes the principal components out of an automatic spec, and an error is to ask
// for them, where values are missing and the kind can do without these.
func (s Spec) whole(x vec.Matrix[float32]) (Spec, error) {
	k, err := Find(s.Kind)
	if err != nil || !k.Missing || !slices.ContainsFunc(x.Data, func(v float32) bool { return v != v }) {
		return s, err
	}
	if s.PCA > 0 {
		return s, models.BadInputf("values are missing, so that there are no %d principal components: fill them in, or learn without (pca none)", s.PCA)
	}
	s.PCA = PCANone
	return s, nil
}

// project fits the projection that spec names, if any, and returns the vectors
// that the model sees.
func (r *Result) project(ctx context.Context, s *snapshot.Snapshot, x vec.Matrix[float32], spec Spec, progress saul.Progress) (vec.Matrix[float32], error) {
	k, err := Find(spec.Kind)
	if err != nil {
		return x, err
	}
	if spec.PCA == PCANone {
		if k.Varied {
			return r.vary(s, x, spec)
		}
		return x, nil
	}
	progress("pca", 0, 1)
	clock := time.Now()
	pca, err := pca.Fit(ctx, x, spec.PCA, pca.Settings{Threads: spec.LVM.Threads, Seed: spec.LVM.Seed})
	if err != nil {
		return x, err
	}
	if k.Varied {
		pca.Trim(leastVariance)
	}
	r.PCA = pca
	s.Mean, s.Components = pca.Mean, pca.Components
	z := pca.Projector().Apply(x, spec.LVM.Threads)
	if err := models.CheckRows(z, nil); err != nil {
		return x, models.BadInputf("after projection onto principal components: %w; standardize the columns", err)
	}
	r.SecondsPCA = time.Since(clock).Seconds()
	progress("pca", 1, 1)
	return z, nil
}

// rows spreads the points' places over the rows of the input.
func (r *Result) rows(s *snapshot.Snapshot, fit *saul.Result, own novelty.Scores) {
	n, d, sigma2 := len(fit.Of), s.Mu.Cols, s.Published2()
	r.Row = fit.Of
	r.Placed = models.Placed{
		Mu: vec.New[float32](n, d), Sigma: make([]float32, n),
		NoveltyLocal: make([]float32, n), NoveltyGlobal: make([]float32, n),
	}
	for i, p := range fit.Of {
		placing.Publish(r.Placed, i, s.Mu.Row(int(p)), sigma2[p], own.Local[p], own.Global[p])
	}
	if fit.Unlearnt != nil {
		r.Unlearnt = make([]bool, n)
		for i, p := range fit.Of {
			r.Unlearnt[i] = fit.Unlearnt[p]
		}
	}
}

// ParseSpec reads the Spec that a snapshot was learnt by. One that names no tails
// is from before there was a choice: Gaussian.
func ParseSpec(s *snapshot.Snapshot) (Spec, error) {
	spec := Spec{LVM: saul.Settings{Tails: saul.Gaussian}}
	if err := json.Unmarshal(s.Settings, &spec); err != nil {
		return spec, models.BadInputf("the model file's settings cannot be read: %w", err)
	}
	return spec, nil
}

// Open prepares placing against s by the kind of model that it names.
func Open(s *snapshot.Snapshot, p saul.PlaceSettings) (models.Placer, error) {
	if k, err := Find(s.Kind); err == nil {
		return k.open(s, p)
	}
	return nil, models.BadInputf("the model file holds a model of kind %q, this program knows %s: it may have been written by a newer unfold", s.Kind, strings.Join(Kinds(), ", "))
}
