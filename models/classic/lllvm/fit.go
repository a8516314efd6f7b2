package lllvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/sparse/knn"
)

// Options are the settings of a fit that only this kind of model has. The zero value works. Model
// files store them as JSON, so the names in the tags are part of the file format.
type Options struct {
	// Points is the maximum number of points that are learnt, a random sample. The others are
	// placed with the learnt ones. Default 1000.
	Points int `json:"points"`
	// MaxNeighbors, if above Neighbors, makes Fit learn with each number of neighbours from
	// Neighbors to MaxNeighbors. It keeps the map with the highest bound.
	MaxNeighbors int `json:"max_neighbors"`
	// MaxDims, if above Dims, makes Fit learn in each number of dimensions from Dims to MaxDims. It
	// keeps the map with the highest bound.
	MaxDims int `json:"max_dims,omitempty"`
	// Restarts is the number of random starts for each number of neighbours and dimensions; Fit
	// keeps the highest bound. Default 1.
	Restarts int `json:"restarts"`
	// Patch is the approximate maximum number of points in a patch, see NewPatchedGraph. The model
	// is exact if Patch is at least the number of learnt points. By default there is one patch for
	// up to ExactPoints points, and patches of PatchPoints beyond.
	Patch int `json:"patch"`
	// Epsilon, Alpha and LearnAlpha are as in Settings.
	Epsilon    float64 `json:"epsilon"`
	Alpha      float64 `json:"alpha"`
	LearnAlpha bool    `json:"learn_alpha"`
	// Tolerance is that of Course.
	Tolerance float64 `json:"tolerance"`
	// Largest learns only the largest component of the neighbourhood graph (of equal ones, that
	// with the first row) and places the other rows. Otherwise the components are bridged at their
	// closest points. Model files store it with the settings that all kinds share.
	Largest bool `json:"-"`
}

// Defaults of a fit.
const (
	defaultPoints    = 1000
	defaultNeighbors = 9
	ExactPoints      = 2500
	PatchPoints      = 1000
	defaultSteps     = 200
	defaultTolerance = 1e-6
)

// FitSettings are the settings of Fit; the zero value works.
type FitSettings struct {
	// Common has the settings of all kinds. Dims and Neighbors are the lowest d and k that are
	// tried, Steps the maximum number of iterations; their defaults are 2, 9, 200. Seed determines
	// the sample and the starts. The neighbour search is exact.
	models.Common
	Options
}

// Resolved returns the settings with defaults filled in, or an error that names the invalid
// setting.
func (s FitSettings) Resolved() (FitSettings, error) {
	for _, d := range []struct {
		of    *int
		value int
	}{{&s.Dims, defaultDims}, {&s.Neighbors, defaultNeighbors}, {&s.Points, defaultPoints}, {&s.Restarts, 1}, {&s.Steps, defaultSteps}} {
		if *d.of == 0 {
			*d.of = d.value
		}
	}
	for _, d := range []struct {
		of    *float64
		value float64
	}{{&s.Epsilon, defaultEpsilon}, {&s.Alpha, defaultAlpha}, {&s.Tolerance, defaultTolerance}} {
		if *d.of == 0 {
			*d.of = d.value
		}
	}
	s.MaxNeighbors = cmp.Or(s.MaxNeighbors, s.Neighbors)
	s.MaxDims = cmp.Or(s.MaxDims, s.Dims)
	switch {
	case s.Dims < 1 || s.Neighbors < 1 || s.Restarts < 1 || s.Steps < 1 || s.Patch < 0:
		return s, fmt.Errorf("lllvm: %d dimensions, %d neighbours, %d starts, %d steps, patches of %d points: want at least 1 of each", s.Dims, s.Neighbors, s.Restarts, s.Steps, s.Patch)
	case s.MaxNeighbors < s.Neighbors:
		return s, fmt.Errorf("lllvm: neighbours from %d to %d", s.Neighbors, s.MaxNeighbors)
	case s.MaxDims < s.Dims:
		return s, fmt.Errorf("lllvm: dimensions from %d to %d", s.Dims, s.MaxDims)
	case s.Points <= max(s.MaxNeighbors, s.MaxDims+1):
		return s, fmt.Errorf("lllvm: %d points to learn are too few for %d neighbours and %d dimensions", s.Points, s.MaxNeighbors, s.MaxDims)
	case !(s.Epsilon > 0) || !(s.Alpha > 0) || math.IsInf(s.Epsilon, 0) || math.IsInf(s.Alpha, 0):
		return s, fmt.Errorf("lllvm: epsilon = %g and alpha = %g have to be positive", s.Epsilon, s.Alpha)
	}
	return s, nil
}

// patch returns the number of points in a patch when n points are learnt, or 0 for a single patch.
func (s FitSettings) patch(n int) int {
	switch {
	case s.Patch > 0:
		return s.Patch
	case n > ExactPoints:
		return PatchPoints
	}
	return 0
}

// Run is the result of learning from one start.
type Run struct {
	Neighbors  int     `json:"neighbors"`
	Dims       int     `json:"dims"`
	Start      int     `json:"start"`
	Bound      float64 `json:"bound"`
	Iterations int     `json:"iterations"`
	Converged  bool    `json:"converged"`
	// Bridges were added to connect the graph.
	Bridges int `json:"bridges,omitempty"`
	// Jitters counts the iterations in which a matrix was not positive definite. Jitter is the
	// largest amount added to a diagonal in them.
	Jitters int     `json:"jitters,omitempty"`
	Jitter  float64 `json:"jitter,omitempty"`
}

// Fitted is a map learnt from n distinct points.
type Fitted struct {
	// Settings are the settings of the fit with all defaults filled in. Neighbors and Dims are the
	// numbers that the fit chose.
	Settings FitSettings
	// Learnt lists the learnt points in ascending order. Components is the number of components of
	// their graph, with the fewest neighbours, before bridging.
	Learnt     []int32
	Components int
	// Units converts to the model's units, in which the learnt points have mean 0 and no value
	// exceeds 1. Model and State are the learnt model.
	Units placing.Units
	Model *Model
	State *State
	// Runs has the result of every start, those with the fewest neighbours first. Best is the index
	// of the run that was kept, History its course.
	Runs    []Run
	Best    int
	History *History
}

// Fit learns a map of the rows of x, which must be distinct. It draws a sample, learns with every
// number of neighbours, in every number of dimensions and from every start, and keeps the highest
// bound. The result is a function of x and the settings without Threads. Unusable rows return an
// error that matches models.ErrBadInput. Progress, which may be nil, is called after iterations.
func Fit(ctx context.Context, x vec.Matrix[float32], s FitSettings, progress func(done, total int)) (*Fitted, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	if err := checkPoints(x, s); err != nil {
		return nil, err
	}
	s.Neighbors, s.MaxNeighbors = models.FewerNeighbors(s.Neighbors, x.Rows), models.FewerNeighbors(s.MaxNeighbors, x.Rows)
	f := &Fitted{Settings: s, Learnt: placing.Sample(x.Rows, s.Points, s.Seed)}
	nb, err := f.neighbours(ctx, x, s.MaxNeighbors)
	if err != nil {
		return nil, err
	}
	_, size := components(firstOf(nb, s.Neighbors))
	if f.Components = len(size); s.Largest {
		if nb, err = f.keepLargest(ctx, x, nb); err != nil {
			return nil, err
		}
	}
	points := vec.Take(x, f.Learnt)
	var y vec.Matrix[float64]
	if f.Units, y, err = newUnits(points); err != nil {
		return nil, err
	}
	return f, f.search(ctx, y, nb, progress)
}

// checkPoints returns an error if x cannot be learnt with the settings.
func checkPoints(x vec.Matrix[float32], s FitSettings) error {
	switch n := x.Rows; {
	case x.Cols < s.MaxDims:
		return models.BadInputf("lllvm: vectors of %d elements for a map of %d dimensions: want at most as many dimensions as elements", x.Cols, s.MaxDims)
	case n <= s.MaxDims+1:
		return models.BadInputf("lllvm: %d distinct rows are too few for a map of %d dimensions: at least %d are needed", n, s.MaxDims, s.MaxDims+2)
	}
	if err := models.CheckRows(x, nil); err != nil {
		return err
	}
	var constant []int
	for c := range x.Cols {
		if first := x.Row(0)[c]; !slices.ContainsFunc(rowsOf(x), func(row []float32) bool { return row[c] != first }) {
			constant = append(constant, c)
		}
	}
	if len(constant) > 0 {
		return models.BadInputf("lllvm: element %d of the vectors is the same in all rows (%d of %d elements are): they would be taken for data without noise; leave them out, or project with pca", constant[0], len(constant), x.Cols)
	}
	return nil
}

func rowsOf(x vec.Matrix[float32]) [][]float32 {
	out := make([][]float32, x.Rows)
	for i := range out {
		out[i] = x.Row(i)
	}
	return out
}

// neighbours lists the k nearest learnt points of each learnt point, as indices into Learnt.
func (f *Fitted) neighbours(ctx context.Context, x vec.Matrix[float32], k int) (*knn.Neighbors, error) {
	nb, err := knn.Graph(ctx, vec.Take(x, f.Learnt), k, knn.Settings{Threads: f.Settings.Threads})
	if err != nil {
		return nil, fmt.Errorf("lllvm: neighbours: %w", err)
	}
	return nb, nil
}

// newUnits returns the model's units, in which no value of x exceeds 1, and y, the rows of x in
// these units.
func newUnits(x vec.Matrix[float32]) (u placing.Units, y vec.Matrix[float64], err error) {
	u = placing.Centred(x)
	y = u.All(x)
	most := 0.0
	for _, v := range y.Data {
		most = max(most, math.Abs(v))
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return u, y, models.BadInputf("lllvm: the points that are learnt differ by %g from their mean: scale or standardize the columns, or leave those out that are too large", most)
	}
	u.Scale = 1 / most
	vec.Scale(u.Scale, y.Data)
	return u, y, nil
}

// firstOf returns the first k of every list.
func firstOf(nb *knn.Neighbors, k int) [][]int32 {
	lists := make([][]int32, nb.N)
	for i := range lists {
		index, _ := nb.Row(i)
		lists[i] = slices.Clone(index[:k])
	}
	return lists
}
