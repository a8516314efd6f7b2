package points

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Kind is the name of the models of packages student and saul in model files and errors. They are
// one kind with two shapes of tails.
const Kind = "lvm"

// Fit is one that is under way.
type Fit[T vec.Float] struct {
	// Common are the settings with all defaults filled in.
	models.Common
	// X are the distinct rows.
	X vec.Matrix[T]
	// Out is the result of the fit.
	Out *models.Result

	progress models.Progress
	clock    time.Time // of the present stage
}

// Begin makes points of the rows of x and finds their neighbours. Errors that lie in x
// match models.ErrBadInput: a value that is not finite (*models.RowError), no columns,
// fewer distinct rows than models.LeastDistinct. Of so few that a point has not Neighbors others,
// Neighbors is reduced to the number of other points. So many neighbours of a point are searched for,
// and not fewer than the settings want; of those that are given at least these have to be
// there, and a point without is bad input, too. Progress may be nil.
func Begin[T vec.Float](ctx context.Context, x vec.Matrix[T], c models.Common, lists int, progress models.Progress) (*Fit[T], error) {
	if err := models.CheckRows(x, nil); err != nil {
		return nil, err
	}
	if x.Cols == 0 && c.Paths == nil {
		return nil, models.BadInputf(Kind + ": the rows have no columns")
	}
	if err := distance.Check(c.Distance, x); err != nil {
		return nil, models.BadInputf(Kind+": %w", err)
	}
	out := &models.Result{Report: models.Report{N: x.Rows, Dim: x.Cols, Dims: c.Dims, Neighbors: c.Neighbors}}
	f := Resume(x, c, out, progress)
	if err := f.collapse(x); err != nil {
		return nil, err
	}
	return f, f.search(ctx, lists)
}

// Resume continues with points whose neighbours are known. The rows of x are distinct, and out has
// the results so far.
func Resume[T vec.Float](x vec.Matrix[T], c models.Common, out *models.Result, progress models.Progress) *Fit[T] {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	return &Fit[T]{Common: c, X: x, Out: out, progress: progress, clock: time.Now()}
}

// collapse makes points of the rows.
func (f *Fit[T]) collapse(x vec.Matrix[T]) error {
	o := f.Out
	if f.Paths == nil {
		o.Unique, o.Of, o.Count = graph.Collapse(x)
	} else {
		o.Unique, o.Of, o.Count = apart(x.Rows)
	}
	o.Report.Unique = len(o.Unique)
	if len(o.Unique) < min(models.LeastDistinct, f.Neighbors+1) { // two, of one neighbour each
		return models.BadInputf(Kind+": %d rows, %d of them distinct: a map needs at least %d distinct rows", x.Rows, len(o.Unique), models.LeastDistinct)
	}
	f.Neighbors = models.FewerNeighbors(f.Neighbors, len(o.Unique))
	o.Report.Neighbors = f.Neighbors
	if len(o.Unique) < x.Rows {
		f.X = vec.Take(x, o.Unique)
	}
	return nil
}

// apart returns the mappings of n rows that are all distinct points.
func apart(n int) (unique, of []int32, count []uint32) {
	unique, count = make([]int32, n), make([]uint32, n)
	for i := range unique {
		unique[i], count[i] = int32(i), 1
	}
	return unique, slices.Clone(unique), count
}

// search finds the neighbours: lists of them, or more if the settings need more.
func (f *Fit[T]) search(ctx context.Context, lists int) (err error) {
	f.clock = time.Now()
	o, search := f.Out, f.Search
	search.Seed = f.Seed
	least := min(max(f.Lists, f.Neighbors), f.X.Rows-1)
	most := min(max(lists, least), f.X.Rows-1)
	set := knn.Settings{Threads: f.Threads, Distance: f.Distance, Progress: f.Parts("knn")}
	switch {
	case f.Paths != nil:
		o.Neighbors, err = f.Paths.Nearest(ctx, most, set)
		o.Report.Search = auto.Report{Method: auto.Exact, Recall: 1}
	case f.Given == nil:
		o.Neighbors, o.Report.Search, err = auto.Graph(ctx, f.X, most, search, set)
	default:
		o.Neighbors, o.Report.Search, err = auto.FromGiven(ctx, f.X, o.Of, f.Given, least, most, search, set)
	}
	var short *knn.GivenError
	if errors.As(err, &short) || errors.Is(err, knn.ErrNoDistance) {
		return models.BadInputf(Kind+": %w", err)
	}
	if err != nil {
		return fmt.Errorf(Kind+": neighbours: %w", err)
	}
	f.Lap(&o.Report.Seconds.KNN)
	return nil
}

// Parts returns the progress function of a stage.
func (f *Fit[T]) Parts(stage string) func(done, total int) {
	return func(done, total int) { f.progress(stage, done, total) }
}

// Stage runs a stage without progress and adds its duration to seconds.
func (f *Fit[T]) Stage(name string, seconds *float64, run func() error) error {
	f.progress(name, 0, 1)
	if err := run(); err != nil {
		return err
	}
	f.progress(name, 1, 1)
	f.Lap(seconds)
	return nil
}

// Lap ends a stage.
func (f *Fit[T]) Lap(seconds *float64) {
	now := time.Now()
	*seconds = now.Sub(f.clock).Seconds()
	f.clock = now
}

// Publishable returns an error if the learnt map cannot be published. Positions are published as
// float32, and a map can exceed the range of its data.
func (f *Fit[T]) Publishable(mu vec.Matrix[float64], sigma2 []float64) error {
	r := &f.Out.Report
	if !vec.Finite(mu.Data) || !vec.Finite(sigma2) || !vec.Finite([]float64{r.Loglik}) {
		return fmt.Errorf(Kind+": after %d steps: %w", r.Iterations, models.ErrNotFinite)
	}
	if i := slices.IndexFunc(mu.Data, func(v float64) bool { return math.Abs(v) > math.MaxFloat32 }); i >= 0 {
		return models.BadInputf(Kind+": point %d has the place %g, beyond single precision: the values are too large, scale or standardize the columns", i/mu.Cols, mu.Data[i])
	}
	return nil
}

// Reaches returns the squared distance of each point to its k-th neighbour.
func Reaches(nb *knn.Neighbors, k int) []float64 {
	out := make([]float64, nb.N)
	for i := range out {
		_, dist2 := nb.Row(i)
		out[i] = dist2[k-1]
	}
	return out
}
