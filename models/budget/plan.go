package budget

import (
	"runtime"

	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Job is a fit that may be done. Rows, Dim and Spec must be set.
type Job struct {
	// Rows and Dim are the shape of the input.
	Rows, Dim int
	// Entries is the number of values of sparse rows that are not 0; 0 of rows in full.
	Entries int
	// Spec is what is to be learnt, as fit.Fit gets it.
	Spec fit.Spec
	// Kept are the bytes a row of columns that pass through.
	Kept int
	// Scored says that the map will be compared with the input when it is learnt,
	// as a report does; else the input is let go of once it is projected.
	Scored bool
	// Clusters are the bytes a row that clusters of the map take while they are found, if
	// they are to be.
	Clusters int
	// Bits says that vectors are of 0 and 1, which are searched in another way (knn.Binary).
	Bits bool
	// Base are the bytes that the process takes without data.
	Base int64
}

// Plan is what a fit will do and take.
type Plan struct {
	Job
	// Seen is the number of values of a vector that the model sees: Dim, or the
	// number of principal components.
	Seen int
	// Fewer says that the rows may choose fewer principal components than these.
	Fewer bool
	// Neighbors are similar to a point, Lists are listed for it.
	Neighbors, Lists int
	// Search is how they are found, and Index how those of an event: Exact or HNSW, which stands for
	// cells as well. Which of them it will be the rows decide; the index takes more memory.
	Search, Index auto.Method
	// Coarse and, with Gaussian tails, Level say what points are held apart from.
	Coarse models.Coarse
	Level  int
	// Steps of learning.
	Steps int
	// theta is the accuracy of cells in the map, if they are used.
	theta float64
	// Stages are those of the fit, in order.
	Stages []Stage
	// Changed lists what Within chose otherwise than the defaults, in words.
	Changed []string
}

// asideBytes are the least of projected rows that are worth a file, and heldBytes of those
// that the model itself holds, and of lists.
const (
	asideBytes = 2 << 20
	heldBytes  = 64 << 20
)

// SetsAside reports whether the input should lie in a file, so that it takes memory only
// while it is used: where it is projected and needed again for a report, and where it is
// large and what the map is learnt from.
func (p *Plan) SetsAside() bool {
	if p.Entries > 0 || p.Spec.Kind != fit.LVM {
		return false
	}
	bytes := 4 * p.Rows * p.Dim
	if p.Spec.PCA > 0 {
		return p.Scored && bytes >= asideBytes
	}
	return bytes >= heldBytes
}

// SetsListsAside reports whether the neighbours of points should lie in a file while a map is
// learnt from what was made of them (models.Common.Aside).
func (p *Plan) SetsListsAside() bool {
	return p.Spec.Kind == fit.LVM && p.Spec.LVM.Tails == lvm.Student && 12*p.Rows*p.Lists >= heldBytes
}

// Stage is a part of a fit.
type Stage struct {
	// Name is that of models.Progress, or "read", "pca", "collapse", "novelty",
	// "index", "write", "structure".
	Name string
	// Bytes are reachable when the stage holds the most, File of them in the input's file
	// (Plan.SetsAside), where no garbage is.
	Bytes, File int64
}

// New plans a fit. It fails if the spec makes no sense for such rows.
func New(j Job) (Plan, error) {
	resolve := j.Spec.ForRows
	if j.Entries > 0 {
		resolve = j.Spec.ForSparse
	}
	spec, err := resolve(j.Rows, j.Dim)
	if err != nil {
		return Plan{}, err
	}
	if err := spec.Check(); err != nil {
		return Plan{}, err
	}
	if err := spec.Fits(j.Rows, j.Dim); err != nil {
		return Plan{}, err
	}
	fewer := j.Entries == 0 && j.Spec.RowsChoose(j.Dim)
	j.Spec = spec
	p := Plan{Job: j, Seen: j.Dim, Fewer: fewer}
	if spec.PCA > 0 {
		p.Seen = spec.PCA
	}
	p.resolve()
	if p.Rows < models.LeastDistinct {
		return Plan{}, models.BadInputf("%d rows: a map needs at least %d distinct rows", p.Rows, models.LeastDistinct)
	}
	p.Neighbors = models.FewerNeighbors(p.Neighbors, p.Rows)
	if held, ok := spec.Memory(p.Rows, p.Seen); ok {
		p.Coarse, p.Level, p.Steps, p.Index = models.CoarseAuto, 0, 0, auto.Exact
		p.other(held)
		return p, nil
	}
	p.stages()
	return p, nil
}

// resolve fills in what the number of rows decides.
func (p *Plan) resolve() {
	s, n := &p.Spec, p.Rows
	of := p.latent().Outline(n)
	s.Dims = of.Dims
	p.Neighbors, p.Steps, p.Level, p.Coarse, p.theta = of.Neighbors, of.Steps, of.Level, of.Coarse, of.Theta
	p.Lists = s.SearchLists(n)
	p.Search, p.Index = p.search().Graph(n, p.Seen, p.Lists), p.search().Index(n, p.Seen, p.reach())
	if p.Entries > 0 {
		p.Search = auto.Exact // whatever the settings say of rows in full
	}
}

// latent are the settings of a latent variable model. Neighbours of sparse rows are found before it
// learns, and given to it.
func (p *Plan) latent() lvm.Settings {
	s := p.Spec.Latent()
	if p.Entries > 0 {
		s.Given = &knn.Given{}
	}
	return s
}

// search are the settings that decide how neighbours are found.
func (p *Plan) search() auto.Settings {
	if p.Spec.Distance != distance.Euclidean {
		return auto.Settings{Method: auto.Exact}
	}
	if p.Bits && p.Spec.PCA == fit.PCANone {
		return p.Spec.Search.Bits(p.Rows, p.Seen)
	}
	return p.Spec.Search
}

// Timed reports whether Measure can predict what the plan will take: it knows the steps
// of the first kind of model, and asks others, of which not all know. How long a search among
// sparse rows takes depends on which columns they share.
func (p *Plan) Timed() bool {
	return p.Entries == 0 && (p.Spec.Kind == fit.LVM || p.Spec.Timed())
}

// sample is how many of the rows are learnt first, 0 for none.
func (p *Plan) sample() int {
	if p.Spec.Kind != fit.LVM || p.Spec.LVM.Tails != lvm.Student {
		return 0
	}
	return p.latent().ForStudent().SampleOf(p.Rows)
}

// reach is the number of neighbours of an event that are looked for.
func (p *Plan) reach() int {
	return lvm.Reach(p.Spec.LVM.Tails, p.Neighbors, p.Spec.NoveltyK, p.Rows)
}

// threads is the number of goroutines that compute.
func (p *Plan) threads() int {
	if t := p.Spec.Threads; t > 0 {
		return t
	}
	return runtime.GOMAXPROCS(0)
}

// Bytes is the predicted peak of the process's memory.
func (p *Plan) Bytes() int64 {
	share := slack
	if p.Large() {
		share = largeSlack
	}
	var most int64
	for _, s := range p.Stages {
		most = max(most, s.Bytes+int64(share*float64(s.Bytes-s.File)))
	}
	return p.Base + most
}
