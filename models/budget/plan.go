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

// Job describes a fit before it runs. Rows, Dim and Spec must be set.
type Job struct {
	// Rows and Dim are the shape of the input.
	Rows, Dim int
	// Entries is the number of non-zero values of sparse rows; 0 for dense rows.
	Entries int
	// Others is the number of further rows that are placed on the map.
	Others int
	// Spec is the specification of the fit, as fit.Fit gets it.
	Spec fit.Spec
	// Kept is the number of bytes of a row's columns that pass through.
	Kept int
	// Scored is true if the finished map is compared with the input, as for a report.
	// Otherwise the input is released once it is projected.
	Scored bool
	// Clusters is the memory of finding clusters of the map, in bytes for each row; 0 without
	// clusters.
	Clusters int
	// Bits is true for binary vectors, which have a search of their own (knn.Binary).
	Bits bool
	// Tight is set if Most determined the number of rows. Freed memory is then returned to the
	// system between stages, whatever the size of the plan.
	Tight bool
	// Base is the memory of the process without data, in bytes, and Reached its peak so far.
	Base, Reached int64
}

// Plan is the predicted course of a fit, with its stages and their memory.
type Plan struct {
	Job
	// Seen is the number of values of a vector after projection: Dim, or the number of principal
	// components.
	Seen int
	// Fewer reports that the fit may keep fewer principal components than Seen, depending on the
	// rows.
	Fewer bool
	// Neighbors is the number of similar points of a point, Lists the length of its neighbour list.
	Neighbors, Lists int
	// Search is the method of the neighbour search, and Index the method for an event's neighbours:
	// Exact or HNSW. HNSW also stands for cells, because the rows decide between them and HNSW
	// needs more memory.
	Search, Index auto.Method
	// Coarse and, with Gaussian tails, Level choose the targets of repulsion.
	Coarse models.Coarse
	Level  int
	// Steps of learning.
	Steps int
	// theta is the accuracy of cells in the map, if they are used.
	theta float64
	// Stages are those of the fit, in order.
	Stages []Stage
	// Changed lists the settings that Within changed from the defaults, as text.
	Changed []string
}

// asideBytes is the least size of projected rows that are worth a file. heldBytes is the least for
// rows that the model itself uses, and for lists.
const (
	asideBytes = 2 << 20
	heldBytes  = 64 << 20
)

// SetsAside reports whether the input should be in a file, so that it takes memory only while it is
// used. It should where a report needs it again after projection, and where it is large and the map
// is learnt from it.
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

// SetsListsAside reports whether the neighbour lists should be in a file while the map is learnt
// from the matrix made of them (models.Common.Aside).
func (p *Plan) SetsListsAside() bool {
	return p.Spec.Kind == fit.LVM && p.Spec.LVM.Tails == lvm.Student && 12*p.Rows*p.Lists >= heldBytes
}

// Stage is a part of a fit.
type Stage struct {
	// Name is a stage of models.Progress, or "read", "pca", "collapse", "novelty", "index",
	// "write", "structure".
	Name string
	// Bytes is the reachable memory at the stage's peak. File is the part of it in the input's file
	// (Plan.SetsAside), which has no garbage.
	Bytes, File int64
}

// New plans a fit. It returns an error if the spec is invalid for such rows.
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

// resolve fills in the settings that depend on the number of rows.
func (p *Plan) resolve() {
	s, n := &p.Spec, p.Rows
	of := p.latent().Outline(n)
	s.Dims = of.Dims
	p.Neighbors, p.Steps, p.Level, p.Coarse, p.theta = of.Neighbors, of.Steps, of.Level, of.Coarse, of.Theta
	p.Lists = s.SearchLists(n)
	search := p.search()
	if p.Search, p.Index = search.Graph(n, p.Seen, p.Lists), auto.Exact; s.Distance == distance.Euclidean {
		p.Index = search.Index(n, p.Seen, p.reach())
	}
	if p.Entries > 0 {
		p.Search = auto.Exact // sparse rows ignore the settings of dense rows
	}
}

// latent returns the settings of a latent variable model. Neighbours of sparse rows are found
// beforehand and passed to it.
func (p *Plan) latent() lvm.Settings {
	s := p.Spec.Latent()
	if p.Entries > 0 {
		s.Given = &knn.Given{}
	}
	return s
}

// search returns the settings that choose the neighbour search.
func (p *Plan) search() auto.Settings {
	if p.Bits && p.Spec.PCA == fit.PCANone {
		return p.Spec.Search.Bits(p.Rows, p.Seen)
	}
	return p.Spec.Search.Under(p.Spec.Distance, p.Rows)
}

// Timed reports whether Measure can predict the time of the plan. It can for latent variable
// models, and for other kinds that predict their own time. The time of a search among sparse rows
// depends on the columns they share, so that it is predicted from the rows alone (MeasureSparse).
func (p *Plan) Timed() bool {
	return p.Entries == 0 && (p.Spec.Kind == fit.LVM || p.Spec.Timed())
}

// SparseTimed reports whether MeasureSparse can predict the time of the plan, once its rows are
// known.
func (p *Plan) SparseTimed() bool { return p.Entries > 0 && p.Spec.Kind == fit.LVM }

// sample returns the number of rows that are learnt first, 0 for none.
func (p *Plan) sample() int {
	if p.Spec.Kind != fit.LVM || p.Spec.LVM.Tails != lvm.Student {
		return 0
	}
	return p.latent().ForStudent().SampleOf(p.Rows)
}

// reach returns the number of neighbours that are searched for an event.
func (p *Plan) reach() int {
	return lvm.Reach(p.Spec.LVM.Tails, p.Neighbors, p.Spec.NoveltyK, p.Rows)
}

// threads returns the number of goroutines that compute.
func (p *Plan) threads() int {
	if t := p.Spec.Threads; t > 0 {
		return t
	}
	return runtime.GOMAXPROCS(0)
}

// Bytes returns the predicted peak memory of the process.
func (p *Plan) Bytes() int64 {
	share := slack
	if p.Large() {
		share = largeSlack
	}
	var most int64
	for _, s := range p.Stages {
		most = max(most, s.Bytes+int64(share*float64(s.Bytes-s.File)))
	}
	return max(p.Base+most, p.Reached)
}
