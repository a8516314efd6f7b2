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
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
	"unfold/models/placing"
)

// Options are the settings of a fit that only this kind of model has. The zero value works. Model
// files store them as JSON, so the names in the tags are part of the format.
type Options struct {
	// Points is the largest number of points that are learnt, a sample of all. The others are
	// placed with it. Default 1000.
	Points int `json:"points"`
	// Kernel is the covariance, in the form of kernel.Parse. Default rbf+bias+white.
	Kernel string `json:"kernel"`
	// Restarts is the number of starts of learning. The result with the largest likelihood is kept.
	// The first start is that of Start, and the others are random changes of it. Default 1.
	Restarts int `json:"restarts"`
	// Smooth places with a smooth map from vectors to places (Back) instead of the likelihood, in
	// microseconds instead of milliseconds, and less exactly.
	Smooth bool `json:"smooth"`
	// Start is the start of learning, one of Starts. Default pca.
	Start string `json:"start,omitempty"`
	// Optimizer is the optimiser of the full model: optimizerSCG, the default, or optimizerLBFGS.
	Optimizer string `json:"optimizer,omitempty"`
	// Active, if not 0, learns with Algorithm 1 and an active set of this size (4.1), with which
	// all others are placed. Steps is then its number of rounds.
	Active int `json:"active,omitempty"`
	// Jumps is the number of times, evenly spaced, that learning stops to let points jump to more
	// likely places of others (Model.Jump). It requires a kernel with white noise and no missing
	// values. Default 0.
	Jumps int `json:"jumps,omitempty"`
	// Noise is the noise model (5): noiseGaussian, the default, or NoiseProbit for values of 0 and
	// 1. NoiseProbit learns with an active set, of 100 points if Active is 0.
	Noise string `json:"noise,omitempty"`
	// Supervision, if it is not 0, learns vectors and labels together, which package hybrid does.
	Supervision float64 `json:"supervision,omitempty"`
	// Tolerance ends learning: no place moves farther in an iteration, nor does the
	// likelihood grow more. Default 1e-4.
	Tolerance float64 `json:"tolerance"`
}

// The optimisers of the full model.
const (
	optimizerSCG   = "scg"
	optimizerLBFGS = "lbfgs"
)

// Defaults of a fit.
const (
	defaultRounds    = 15 // rounds of Algorithm 1
	defaultPoints    = 1000
	defaultActive    = 100 // if the noise requires an active set
	defaultKernel    = "rbf+bias+white"
	defaultDims      = 2
	defaultSteps     = 200
	defaultTolerance = 1e-4
	// restartSpread is the standard deviation by which restarts move places, which have unit
	// variance.
	restartSpread = 0.5
)

// FitSettings are the settings of Fit; the zero value works.
type FitSettings struct {
	// Common holds the dimension q (Dims, default 2) and the largest number of iterations (Steps,
	// default 200). Seed determines the sample and the restarts. The model has no neighbours, so
	// their settings are ignored.
	models.Common
	Options
}

// Resolved returns the settings with defaults filled in, or an error if they are invalid.
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

// Run is the result of one start.
type Run struct {
	LogLik     float64 `json:"loglik"` // with the prior of the places
	Initial    float64 `json:"loglik_initial"`
	Iterations int     `json:"iterations"`
	Converged  bool    `json:"converged"`
	Moved      int     `json:"moved,omitempty"` // number of points that jumped
	// Jitter is the largest value that was added to the diagonal of K.
	Jitter float64 `json:"jitter,omitempty"`
}

// Fitted is a learnt map of some points.
type Fitted struct {
	// Settings are the settings of the fit with all defaults filled in.
	Settings FitSettings
	// Learnt lists the learnt points in ascending order.
	Learnt []int32
	// Units are the model's units, in which the learnt rows have mean 0 and elements a mean square
	// of 1. Model and Point are the learnt model.
	Units placing.Units
	Model *Model
	Point *Point
	// Runs are the results of all starts; Best is the index of the one that was kept.
	Runs []Run
	Best int
	// Active lists, in ascending order, the learnt points with which others are placed; nil means
	// all.
	Active []int32
	// Sites are the sites of the active points if the noise is not Gaussian, else nil.
	Sites *Sites
	// Back is the smooth map if Settings.Smooth is set.
	Back *Back

	completed []placing.Completed
}

// Fit learns a sample of the rows of x from every start and keeps the result with the largest
// likelihood. It is a function of x and the settings without Threads. Missing values (NaN) are
// filled in with the model's predictions. Errors that lie in x match models.ErrBadInput. progress,
// which may be nil, is called with the iterations.
func Fit(ctx context.Context, x vec.Matrix[float32], s FitSettings, progress func(done, total int)) (*Fitted, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	if err := placing.CheckEnough(x, s.Dims); err != nil {
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

// checkColumns returns an error for the first learnt column whose observed values are all equal,
// with that value in the input's units.
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

// newUnits returns the model's units, in which the elements of x have a mean square of 1.
func newUnits(x vec.Matrix[float32]) placing.Units {
	if placing.AnyMissing(x.Data) {
		return placing.Observed(x)
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

// search learns from every start, sequentially, each with all threads.
func (f *Fitted) search(ctx context.Context, progress func(done, total int)) error {
	s := f.Settings
	begin := f.Model.Begin
	if s.Active > 0 { // Algorithm 1 fits the kernel first
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
	if set.Steps = s.Steps - r.Iterations; err == nil && !r.Converged && set.Steps > 0 { // no point jumped
		var rest optimize.Result
		rest, err = learn(ctx, p, set)
		r.F, r.Converged, r.Iterations = rest.F, rest.Converged, r.Iterations+rest.Iterations
	}
	for i := r.Iterations; i < s.Steps; i++ {
		step()
	}
	return Run{LogLik: -r.F, Initial: v.Total(), Iterations: r.Iterations, Converged: r.Converged, Moved: moved, Jitter: m.jitter}, err
}

// runSparse learns from one start with Algorithm 1. Its likelihoods are those of the active sets.
// It returns the last active set, with its sites if the noise is not Gaussian.
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

// Bytes estimates the memory of learning n points of q values in bytes. Defaults must be filled in.
func Bytes(n, q int, s FitSettings) int64 {
	values, active := 4*int64(n)*int64(q), int64(min(n, s.Active))
	switch {
	case s.Noise == NoiseProbit: // one covariance per value
		return 8 * (6*values + int64(q)*active*(int64(n)+3*active))
	case active > 0:
		return 8 * (4*values + int64(n)*active)
	}
	// The matrix, its panels and a low-rank factor.
	return 8 * (3*int64(n)*int64(n) + values)
}
