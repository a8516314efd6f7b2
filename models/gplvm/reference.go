package gplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/kernel"
	"unfold/models/optimize"
	"unfold/models/placing"
)

// Options are the settings of a fit that only this kind of model has. The zero value
// works. Model files keep them as JSON: the names in the tags are part of the format.
type Options struct {
	// Points is the most points that are learnt, a sample of all; the others are placed
	// by them. Default 1000.
	Points int `json:"points"`
	// Kernel is the covariance, as kernel.Parse reads it. Default rbf+bias+white.
	Kernel string `json:"kernel"`
	// Restarts is from how many starts the model is learnt; the largest likelihood is
	// kept. The first start is that of principal components, the others are moved off
	// it at random. Default 1.
	Restarts int `json:"restarts"`
	// Smooth places by a smooth map from vectors to places, see Back, instead of by the
	// likelihood: microseconds instead of milliseconds, and less exact.
	Smooth bool `json:"smooth"`
	// Start is where learning starts, one of Starts. Default pca.
	Start string `json:"start,omitempty"`
	// Optimizer is how the full model learns: optimizerSCG, the default, or optimizerLBFGS.
	Optimizer string `json:"optimizer,omitempty"`
	// Active, if it is not 0, learns by Algorithm 1 with an active set of so many points
	// (4.1), by which alone all others are placed. Steps are its rounds then.
	Active int `json:"active,omitempty"`
	// Jumps is how often, at even distances, learning stops for single points to jump to
	// the places of others where that is more likely, see Model.Jump. It takes a kernel
	// with white noise, and no values may be missing. Default 0.
	Jumps int `json:"jumps,omitempty"`
	// Noise is how a value comes of its process (5): noiseGaussian, the default, or
	// NoiseProbit, for values of 0 and 1. With that the model learns by an active set, of
	// 100 points if Active is 0.
	Noise string `json:"noise,omitempty"`
	// Supervision, if it is not 0, learns vectors and labels together, which package hybrid does.
	Supervision float64 `json:"supervision,omitempty"`
	// Tolerance ends learning: no place moves farther in an iteration, nor does the
	// likelihood grow more. Default 1e-4.
	Tolerance float64 `json:"tolerance"`
}

// How the full model learns.
const (
	optimizerSCG   = "scg"
	optimizerLBFGS = "lbfgs"
)

// Defaults of a fit.
const (
	defaultRounds    = 15 // of Algorithm 1
	defaultPoints    = 1000
	defaultActive    = 100 // if the noise needs an active set
	defaultKernel    = "rbf+bias+white"
	defaultDims      = 2
	defaultSteps     = 200
	defaultTolerance = 1e-4
	// restartSpread is how far restarts move places, which have unit variance.
	restartSpread = 0.5
)

// FitSettings are those of Fit; the zero value works.
type FitSettings struct {
	// Common has q, Dims, and the most iterations, Steps; defaults 2, 200. Seed chooses the
	// sample and the restarts. The model has no neighbours and searches none.
	models.Common
	Options
}

// Resolved returns the settings with defaults filled in, or what is wrong with them.
func (s FitSettings) Resolved() (FitSettings, error) {
	if s.Noise == "" {
		s.Noise = noiseGaussian
	}
	if s.Noise == NoiseProbit && s.Active == 0 {
		s.Active = defaultActive
	}
	steps := defaultSteps
	if s.Active > 0 {
		steps = defaultRounds
	}
	for _, d := range []struct {
		of    *int
		value int
	}{{&s.Dims, defaultDims}, {&s.Steps, steps}, {&s.Points, defaultPoints}, {&s.Restarts, 1}} {
		if *d.of == 0 {
			*d.of = d.value
		}
	}
	if s.Kernel == "" {
		s.Kernel = defaultKernel
	}
	if s.Start == "" {
		s.Start = StartPCA
	}
	if s.Optimizer == "" {
		s.Optimizer = optimizerSCG
	}
	if s.Tolerance == 0 {
		s.Tolerance = defaultTolerance
	}
	if err := checkStart(s.Start); err != nil {
		return s, fmt.Errorf("gplvm: %w", err)
	}
	if _, err := kernel.Parse(s.Kernel); err != nil {
		return s, fmt.Errorf("gplvm: %w", err)
	}
	if _, err := noiseOf(s.Noise); err != nil {
		return s, fmt.Errorf("gplvm: %w", err)
	}
	switch {
	case s.Dims < 1 || s.Restarts < 1 || s.Steps < 1:
		return s, fmt.Errorf("gplvm: %d dimensions, %d starts, %d steps: want at least 1 of each", s.Dims, s.Restarts, s.Steps)
	case s.Optimizer != optimizerSCG && s.Optimizer != optimizerLBFGS:
		return s, fmt.Errorf("gplvm: there is no optimizer %q; there are %s and %s", s.Optimizer, optimizerSCG, optimizerLBFGS)
	case s.Active != 0 && s.Active < s.Dims+2:
		return s, fmt.Errorf("gplvm: an active set of %d points is too small for %d dimensions: at least %d are needed", s.Active, s.Dims, s.Dims+2)
	case s.Active > 0 && s.Optimizer == optimizerLBFGS:
		return s, fmt.Errorf("gplvm: a model with an active set learns by %s alone", optimizerSCG)
	case s.Jumps < 0 || s.Jumps >= s.Steps || s.Jumps > 0 && s.Active > 0:
		return s, fmt.Errorf("gplvm: %d jumps in %d steps with an active set of %d: want fewer jumps than steps, and none in a sparse model", s.Jumps, s.Steps, s.Active)
	case s.Points < s.Dims+2:
		return s, fmt.Errorf("gplvm: %d points to learn are too few for %d dimensions", s.Points, s.Dims)
	case !(s.Tolerance > 0) || math.IsInf(s.Tolerance, 0):
		return s, fmt.Errorf("gplvm: a tolerance of %g, want a positive number", s.Tolerance)
	}
	return s, nil
}

// Run is what came of one start.
type Run struct {
	LogLik     float64 `json:"loglik"` // with the prior of the places
	Initial    float64 `json:"loglik_initial"`
	Iterations int     `json:"iterations"`
	Converged  bool    `json:"converged"`
	Moved      int     `json:"moved,omitempty"` // how many points have jumped
	// Jitter is the most that had to be added to the diagonal of K.
	Jitter float64 `json:"jitter,omitempty"`
}

// Fitted is a learnt map of some points.
type Fitted struct {
	// Settings are those of the fit with all defaults filled in.
	Settings FitSettings
	// Learnt lists, ascending, the points that were learnt.
	Learnt []int32
	// Units are those of the model, in which what was learnt has the mean 0 and elements
	// with a mean square of 1; Model and Point are what was learnt.
	Units placing.Units
	Model *Model
	Point *Point
	// Runs are all starts; Best is the one kept.
	Runs []Run
	Best int
	// Active lists, ascending, which of the learnt points others are placed by; nil: all.
	Active []int32
	// Sites are those of the active points, of noise that is not Gaussian; else nil.
	Sites *Sites
	// Back is the smooth map, if the settings want it.
	Back *Back

	completed []completed
}

// Fit learns a sample of the rows of x from every start and keeps the largest
// likelihood. It is a function of x and the settings without Threads. Values may be
// missing, NaN: they are filled in, with what the model predicts. Errors that lie in x
// match models.ErrBadInput. Progress, which may be nil, hears of iterations.
func Fit(ctx context.Context, x vec.Matrix[float32], s FitSettings, progress func(done, total int)) (*Fitted, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	switch {
	case x.Cols < s.Dims:
		return nil, models.BadInputf("gplvm: vectors of %d elements for a map of %d dimensions: want at most as many dimensions as elements", x.Cols, s.Dims)
	case x.Rows < s.Dims+2:
		return nil, models.BadInputf("gplvm: %d distinct rows are too few for a map of %d dimensions: at least %d are needed", x.Rows, s.Dims, s.Dims+2)
	}
	if err := CheckRows(x, nil); err != nil {
		return nil, err
	}
	if s.Noise == NoiseProbit {
		if err := CheckBinary(x, nil); err != nil {
			return nil, err
		}
	}
	f := &Fitted{Settings: s, Learnt: placing.Sample(x.Rows, s.Points, s.Seed)}
	points := vec.Take(x, f.Learnt)
	if err := checkColumns(points); err != nil {
		return nil, err
	}
	if f.Units = newUnits(points); s.Noise == NoiseProbit {
		f.Units = binaryUnits(points.Cols)
	}
	k, err := kernel.Parse(s.Kernel)
	if err != nil {
		return nil, fmt.Errorf("gplvm: %w", err)
	}
	if f.Model, err = New(k, f.Units.All(points), s.Threads); err != nil {
		return nil, models.BadInputf("gplvm: %w", err)
	}
	if err := f.search(ctx, progress); err != nil {
		return nil, err
	}
	if s.Smooth {
		if f.Back, err = NewBack(f.Model.y, f.Point.X, s.Threads); err != nil {
			return nil, err
		}
	}
	return f, f.complete(ctx, x)
}

// checkColumns names the first column of what is learnt in which all values that are
// there are the same, with that value as it was given.
func checkColumns(x vec.Matrix[float32]) error {
	for j := range x.Cols {
		some, varies := float32(math.NaN()), false
		for i := range x.Rows {
			if v := x.Row(i)[j]; v == v {
				varies = varies || some == some && v != some
				some = v
			}
		}
		if some == some && !varies {
			return models.BadInputf("gplvm: column %d: all values of the %d points that are learnt are %g; leave it out, or learn more points", j, x.Rows, some)
		}
	}
	return nil
}

// newUnits are the model's: in these the elements of x have a mean square of 1.
func newUnits(x vec.Matrix[float32]) placing.Units {
	if anyMissing(x) {
		return unitsOfObserved(x)
	}
	u := placing.Centred(x)
	sum, y := 0.0, make([]float64, x.Cols)
	for i := range x.Rows {
		u.Apply(y, x.Row(i))
		sum += vec.SquaredNorm(y)
	}
	if sum > 0 {
		u.Scale = math.Sqrt(float64(x.Rows*x.Cols) / sum)
	}
	return u
}

// search learns from every start, one after the other, each with all threads.
func (f *Fitted) search(ctx context.Context, progress func(done, total int)) error {
	s := f.Settings
	begin := f.Model.Begin
	if s.Active > 0 { // which fits the kernel first
		begin = func(ctx context.Context, start string, q int, seed uint64) (*Point, error) {
			x, err := f.Model.Places(ctx, start, q, seed)
			return &Point{f.Model.kernel.Start(), x}, err
		}
	}
	start, err := begin(ctx, s.Start, s.Dims, s.Seed)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return models.BadInputf("gplvm: %w", err)
	}
	at := par.NewProgress(s.Restarts*s.Steps, progress)
	for job := range s.Restarts {
		p := &Point{Theta: slices.Clone(start.Theta), X: start.X.Clone()}
		if job > 0 {
			rnd := rand.New(rand.NewPCG(s.Seed, uint64(job)))
			for i := range p.X.Data {
				p.X.Data[i] += restartSpread * rnd.NormFloat64()
			}
		}
		var run Run
		var active []int32
		var sites *Sites
		if s.Active > 0 {
			run, active, sites, err = f.Model.runSparse(ctx, p, s, at.Step)
		} else {
			run, err = f.Model.run(ctx, p, s, at.Step)
		}
		if err != nil {
			return fmt.Errorf("gplvm: start %d: %w", job+1, err)
		}
		f.Runs = append(f.Runs, run)
		if job == 0 || run.LogLik > f.Runs[f.Best].LogLik {
			f.Best, f.Point, f.Active, f.Sites = job, p, active, sites
		}
	}
	return nil
}

// run learns from one start.
func (m *Model) run(ctx context.Context, p *Point, s FitSettings, step func()) (Run, error) {
	v := &Value{}
	if err := m.Evaluate(v, p.Theta, p.X); err != nil {
		return Run{}, err
	}
	m.jitter = v.Jitter
	learn := Learner(m.Learn)
	if s.Optimizer == optimizerLBFGS {
		learn = m.LearnLBFGS
	}
	rounds := s.Jumps + 1
	set := optimize.Settings{Steps: s.Steps / rounds, StepTolerance: s.Tolerance, ValueTolerance: s.Tolerance, Observe: func(optimize.Iteration) bool {
		step()
		return true
	}}
	r, moved, err := m.LearnJumping(ctx, p, rounds, set, learn)
	if set.Steps = s.Steps - r.Iterations; err == nil && !r.Converged && set.Steps > 0 { // there was nothing to jump for
		var rest optimize.Result
		rest, err = learn(ctx, p, set)
		r.F, r.Converged, r.Iterations = rest.F, rest.Converged, r.Iterations+rest.Iterations
	}
	for i := r.Iterations; i < s.Steps; i++ {
		step()
	}
	return Run{LogLik: -r.F, Initial: v.Total(), Iterations: r.Iterations, Converged: r.Converged, Moved: moved, Jitter: m.jitter}, err
}

// runSparse learns from one start by Algorithm 1. Its likelihoods are those of the active
// sets, of which it returns the last, with its sites if the noise is not Gaussian.
func (m *Model) runSparse(ctx context.Context, p *Point, s FitSettings, step func()) (Run, []int32, *Sites, error) {
	run := Run{Iterations: s.Steps}
	noise, err := noiseOf(s.Noise)
	if err != nil {
		return run, nil, nil, err
	}
	of := m.sparse(noise)
	initial := 0.0
	if s.Noise != noiseGaussian {
		initial = of.Select(p.Theta, p.X, s.Active).LogZ
	}
	q, err := of.Learn(ctx, p, SparseSettings{Active: s.Active, Rounds: s.Steps, Tolerance: s.Tolerance, Observe: func(round int, value float64) bool {
		if round == 1 {
			run.Initial = value
		}
		step()
		return true
	}})
	if err != nil {
		return run, nil, nil, err
	}
	active := slices.Sorted(slices.Values(q.Order))
	if s.Noise != noiseGaussian {
		run.Initial, run.LogLik = initial, q.LogZ
		return run, active, &Sites{vec.Take(q.M, active), vec.Take(q.Beta, active)}, nil
	}
	a, err := q.Active(p.Theta, p.X)
	if err != nil {
		return run, nil, nil, err
	}
	run.LogLik = a.LogLik(vec.Matrix[float64]{})
	return run, active, nil, nil
}

// Bytes returns about what learning n points of q values holds, by settings with defaults
// filled in.
func Bytes(n, q int, s FitSettings) int64 {
	values, active := 4*int64(n)*int64(q), int64(min(n, s.Active))
	switch {
	case s.Noise == NoiseProbit: // a covariance for each value
		return 8 * (6*values + int64(q)*active*(int64(n)+3*active))
	case active > 0:
		return 8 * (4*values + int64(n)*active)
	}
	// The matrix, its panels and the factor of one of low rank.
	return 8 * (3*int64(n)*int64(n) + values)
}
