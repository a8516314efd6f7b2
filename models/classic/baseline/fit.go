package baseline

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Fitted is a fitted map of one of the methods.
type Fitted struct {
	// Settings have the defaults filled in.
	Settings Settings
	// Learnt lists the rows that were learnt, ascending; PCA, GTM and Isomap learn all.
	Learnt []int32
	// Near has the nearest neighbours of all rows, and Search the report of their search. Only
	// Isomap sets them.
	Near   *knn.Neighbors
	Search auto.Report
	// Components is the number of components of the graph of neighbours, which bridges join. It is 0 for
	// a method without such a graph.
	Components int
	// Iterations is the number of iterations of an iterative method. Converged reports that it
	// stopped before the maximum.
	Iterations int
	Converged  bool
	// Stress is Kruskal's stress-1 of the learnt points, for NonMetric; 0 means a perfect order.
	Stress float64
	// LoglikInitial and Loglik are the log-likelihoods before and after learning, for GTM, the only
	// method with a likelihood.
	LoglikInitial, Loglik float64

	model interface {
		PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error)
		Place(ctx context.Context, z vec.Matrix[float32]) (mu vec.Matrix[float64], sigma2 []float64, err error)
		Parts() []snapshot.Part
	}
}

// Fit learns a map of the rows of x (n x q) by a method. The rows have to be finite and
// distinct; bad input are no more rows than dimensions, and more dimensions than the
// method can have. Of so few rows that a row has not Neighbors others, Neighbors is reduced.
func Fit(ctx context.Context, m Method, x vec.Matrix[float32], s Settings) (*Fitted, error) {
	return fit(ctx, m, x, x, s)
}

// FitComponents is Fit for PCA with the principal components of all rows, in which the distinct
// rows x occur any number of times.
func FitComponents(ctx context.Context, x, all vec.Matrix[float32], s Settings) (*Fitted, error) {
	return fit(ctx, PCA, x, all, s)
}

// fit is Fit, with the rows of the principal components.
func fit(ctx context.Context, m Method, x, all vec.Matrix[float32], s Settings) (*Fitted, error) {
	if !m.known() {
		return nil, fmt.Errorf("baseline: there is no method %q", m)
	}
	s, err := s.Resolved(m)
	if err != nil {
		return nil, err
	}
	need := max(s.Dims+1, models.LeastDistinct)
	if m == LTSA {
		need++ // neighbours are more than dimensions
	}
	if x.Rows < need {
		return nil, models.BadInputf("%s: %d distinct rows: dims = %d needs at least %d distinct rows; give more rows or fewer dims", m, x.Rows, s.Dims, need)
	}
	s.Neighbors = models.FewerNeighbors(s.Neighbors, x.Rows)
	f := &Fitted{Settings: s, Converged: true}
	if m.whole() {
		f.Learnt = placing.Sample(x.Rows, x.Rows, s.Seed)
		if err := f.all(ctx, m, x, all); err != nil {
			return nil, err
		}
		return f, nil
	}
	t, err := f.sample(ctx, m, x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, err)
	}
	f.model = t
	if m.stresses() {
		f.Iterations, f.Converged = t.course.Iterations, t.course.Converged
	}
	f.Stress, f.Components = t.stress, t.parts
	return f, nil
}

// sample learns a sample of the rows, or, for Isomap, all rows with landmarks.
func (f *Fitted) sample(ctx context.Context, m Method, x vec.Matrix[float32]) (t *scaled, err error) {
	f.Settings = f.Settings.of(m, x.Rows)
	s := f.Settings
	if m != Isomap {
		f.Learnt = placing.Sample(x.Rows, s.Points, s.Seed)
		return scale(ctx, m, vec.Take(x, f.Learnt), f.Learnt, nil, s)
	}
	f.Learnt = placing.Sample(x.Rows, x.Rows, s.Seed)
	lists := min(max(s.Lists, s.Neighbors), x.Rows-1)
	if f.Near, f.Search, err = auto.Graph(ctx, x, lists, s.Search, knn.Settings{Threads: s.Threads}); err != nil {
		return nil, err
	}
	return scale(ctx, m, x, f.Learnt, f.Near, s)
}

// all learns all rows: the distinct ones, and for PCA also their copies.
func (f *Fitted) all(ctx context.Context, m Method, x, all vec.Matrix[float32]) error {
	if m == PCA {
		l, err := components(ctx, all, f.Settings)
		f.model = direct{l, f.Settings.Threads}
		return err
	}
	t, c, err := learnTopographic(ctx, x, f.Settings)
	if err != nil {
		return fmt.Errorf("%s: %w", m, err)
	}
	f.model = direct{t, f.Settings.Threads}
	f.Iterations, f.Converged, f.LoglikInitial, f.Loglik = c.iterations, c.converged, c.initial, c.loglik
	return nil
}

// PlaceAll returns the positions of the fitted rows x, and their variances. Positions outside
// single precision are bad input.
func (f *Fitted) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	mu, sigma2, err = f.model.PlaceAll(ctx, x, progress)
	return checked(mu, sigma2, err)
}

// Place returns the positions of the rows of z (at least one), which were not learnt, and their
// variances, in the coordinates of learning. Positions outside single precision are bad input.
func (f *Fitted) Place(ctx context.Context, z vec.Matrix[float32]) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	mu, sigma2, err = f.model.Place(ctx, z)
	return checked(mu, sigma2, err)
}

// checked returns the positions, or an error if single precision cannot represent them.
func checked(mu vec.Matrix[float64], sigma2 []float64, err error) (vec.Matrix[float64], []float64, error) {
	if err != nil {
		return mu, nil, fmt.Errorf("baseline: %w", err)
	}
	if err := models.CheckRows(vec.Convert[float32](mu), nil); err != nil {
		return mu, nil, models.BadInputf("places are beyond single precision: the values are too large, scale or standardize the columns: %w", err)
	}
	return mu, sigma2, nil
}

// Parts returns the parts of a model file that placing needs.
func (f *Fitted) Parts() []snapshot.Part { return f.model.Parts() }

// NewPlacer returns a placer for s, by the method that its kind names. It validates s and keeps it
// without a copy.
func NewPlacer(s *snapshot.Snapshot, set placing.Options) (models.Decoder, error) {
	m := Method(s.Kind)
	if !m.known() {
		return nil, models.BadInputf("baseline: there is no method %q", m)
	}
	if err := placing.Check(s.Kind, s, set); err != nil {
		return nil, err
	}
	if m.whole() {
		f, err := readFormula(m, s)
		if err != nil {
			return nil, models.BadInputf("%s: the snapshot does not fit: %w", m, err)
		}
		return newDirectPlacer(s, m, f, set)
	}
	t, err := readScaled(s, set.Threads)
	if err != nil {
		return nil, models.BadInputf("%s: the snapshot does not fit: %w", m, err)
	}
	p, err := placing.NewPlacer(s, t.points(), set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, err)
	}
	return p, nil
}

// readFormula decodes the formula of a method that learns all rows.
func readFormula(m Method, s *snapshot.Snapshot) (formula, error) {
	if m == PCA {
		return readLinear(s)
	}
	return readTopographic(s)
}
