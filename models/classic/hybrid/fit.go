package hybrid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep"
	"unfold/models/ep/labels"
	"unfold/models/pca"
	"unfold/models/placing"
	"unfold/models/psi"
)

// Settings of a fit. The zero value works.
type Settings struct {
	// Common contains Dims (q) and Steps, the steps of each half of learning; defaults 2 and 150.
	// Labels are the labels of the rows, "" for none. Seed determines the sample and the initial
	// inducing inputs.
	models.Common
	// Points is the maximum number of rows to learn; more rows are sampled. Default 1000.
	Points int
	// Inducing is the number of inducing inputs, both of the vectors and of the classes. Default
	// 30.
	Inducing int
}

// Initial values: a relevance for each dimension, variances of places and kernels, and the
// precision of the noise, for vectors with a mean square of 1.
const (
	startAlpha     = 1 // sum over all dimensions
	startSharp     = 4 // the same for the classes, whose borders are sharper than the sheet of the vectors
	startVariance  = .1
	startPrecision = 10
	startClasses   = 2
)

// Per round of learning: gradient steps, and sweeps over the sites.
const (
	roundSteps  = 10
	roundSweeps = 4
)

// mostClasses is the maximum number of classes, as in package labels.
const mostClasses = 128

// Resolved returns the settings with defaults, or an error for invalid settings.
func (s Settings) Resolved() (Settings, error) {
	s.Dims, s.Points, s.Inducing = cmp.Or(s.Dims, models.DefaultDims), cmp.Or(s.Points, 1000), cmp.Or(s.Inducing, 30)
	s.Steps = cmp.Or(s.Steps, 150)
	return s, cmp.Or(
		models.Require(s.Dims >= 1, "dims", "%d, want at least 1", s.Dims),
		models.Require(s.Points >= s.Dims+2, "points", "%d points to learn are too few for %d dimensions", s.Points, s.Dims),
		models.Require(s.Inducing >= 2, "active", "%d inducing inputs, want at least 2", s.Inducing),
		models.Require(s.Steps >= 1, "steps", "%d, want at least 1", s.Steps),
	)
}

// Fitted is a learnt model.
type Fitted struct {
	// Settings are the settings of the fit with all defaults.
	Settings Settings
	// Learnt are the learnt rows in ascending order. In are their places and variances.
	Learnt []int32
	In     psi.Inputs
	// Units scale the learnt vectors to mean 0 and elements with a mean square of 1.
	Units placing.Units
	// Observed are the processes of the vectors, and Classes those of the labels in Names.
	Observed *ep.Observed
	Classes  *ep.Joint
	Names    []string
	// Labelled is the number of learnt rows with a label.
	Labelled int
	// Bound is L_H (S.35) after every round: for the vectors alone, and from index Joint on for
	// both.
	Bound []float64
	Joint int
	// Gradients is the number of gradient evaluations. Negative is the number of site updates that
	// were skipped for stability.
	Gradients, Negative int

	// missing has the indices of missing values among those of the learnt rows, by rows. completed
	// are the places of the other rows with missing values.
	missing   []int32
	completed []placing.Completed
}

// Fit learns a sample of the rows of x and their known labels. Missing values (NaN) take no part;
// they are then replaced in x by the model's predictions. The result depends only on x and the
// settings without Threads. Errors of x or the labels match models.ErrBadInput. progress, which may
// be nil, is called with rounds.
func Fit(ctx context.Context, x vec.Matrix[float32], s Settings, progress func(done, total int)) (*Fitted, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	if len(s.Labels) != x.Rows {
		return nil, models.BadInputf("gplvm: there are %d labels for %d rows", len(s.Labels), x.Rows)
	}
	if err := placing.CheckEnough(x, s.Dims); err != nil {
		return nil, err
	}
	f := &Fitted{Settings: s, Learnt: placing.Sample(x.Rows, s.Points, s.Seed)}
	points := vec.Take(x, f.Learnt)
	if f.Units, err = units(points); err != nil {
		return nil, err
	}
	for i, v := range points.Data {
		if v != v {
			f.missing = append(f.missing, int32(i))
		}
	}
	y, err := f.classes()
	if err != nil {
		return nil, err
	}
	start, err := f.start(ctx, points)
	if err != nil {
		return nil, err
	}
	for many := s.Inducing; ; many /= 2 {
		h := &ep.Hybrid{Threads: s.Threads, In: psi.Inputs{Mu: start.Mu.Clone(), S: start.S.Clone()}}
		h.Data = &ep.Data{Kernel: kernel(1, startAlpha, s.Dims), Z: f.inducing(h.In.Mu, many), Y: f.Units.All(points), Precision: startPrecision}
		f.Bound, f.Gradients, f.Negative = nil, 0, 0
		err := f.learn(ctx, h, y, many, progress)
		// Inducing inputs that are too close on a smooth map lead to matrices that cannot be
		// factored. Fewer are sufficient then.
		var indefinite *spd.IndefiniteError
		if err == nil || !errors.As(err, &indefinite) || many < 2*leastInducing {
			if err != nil {
				return nil, fmt.Errorf("gplvm: learning: %w", err)
			}
			f.completed, err = f.learnt(s.Threads).CompleteAll(ctx, x)
			return f, err
		}
	}
}

// leastInducing is the minimum number of inducing inputs to fall back to.
const leastInducing = 4

// learn learns from the vectors, and then from both.
func (f *Fitted) learn(ctx context.Context, h *ep.Hybrid, y vec.Matrix[float64], inducing int, progress func(done, total int)) (err error) {
	rounds := (f.Settings.Steps + roundSteps - 1) / roundSteps
	half := func(done int) error {
		how := ep.LearnSettings{Rounds: rounds, Steps: roundSteps, Sweeps: roundSweeps, Observe: func(round int) {
			if progress != nil {
				progress(done+round, 2*rounds)
			}
		}}
		r, err := h.Learn(ctx, how)
		f.Bound, f.Gradients, f.Negative = append(f.Bound, r.Bound...), f.Gradients+r.Gradients, f.Negative+r.Negative
		return err
	}
	if err := half(0); err != nil {
		return err
	}
	f.Joint = len(f.Bound)
	h.Classes = &ep.Classes{Kernel: kernel(startClasses, startSharp, f.Settings.Dims), Z: f.inducing(h.In.Mu, inducing), Y: y}
	if err := tune(ctx, h); err != nil {
		return err
	}
	if err := half(rounds); err != nil {
		return err
	}
	if err := tune(ctx, h); err != nil {
		return err
	}
	all, err := h.Sparse()
	if err != nil {
		return err
	}
	f.In, f.Classes = h.In, ep.NewJoint(all)
	f.Observed, err = h.Observed()
	return err
}

// tuneRounds is the number of rounds for the classifier alone.
const tuneRounds = 3

// tune learns the classifier at fixed places.
func tune(ctx context.Context, h *ep.Hybrid) error {
	alone := &ep.Hybrid{In: h.In, Classes: h.Classes, Threads: h.Threads}
	_, err := alone.Learn(ctx, ep.LearnSettings{Rounds: tuneRounds, Steps: roundSteps, Sweeps: roundSweeps, FixInputs: true})
	return err
}

// units returns the map that centres the rows and scales them to a mean square of 1.
func units(points vec.Matrix[float32]) (placing.Units, error) {
	if placing.AnyMissing(points.Data) {
		return unitsOfObserved(points)
	}
	u := placing.Centred(points)
	square := vec.SquaredNorm(u.All(points).Data) / float64(len(points.Data))
	if !(square > 0) || math.IsInf(square, 0) {
		return u, models.BadInputf("gplvm: the rows do not vary, or beyond the range of numbers")
	}
	u.Scale = 1 / math.Sqrt(square)
	return u, nil
}

// unitsOfObserved is units for rows with missing values.
func unitsOfObserved(points vec.Matrix[float32]) (placing.Units, error) {
	u := placing.Observed(points)
	for c, v := range u.Shift {
		if math.IsNaN(v) {
			return u, models.BadInputf("gplvm: column %d: no value is observed in the %d points that are learnt; leave it out, or learn more points", c, points.Rows)
		}
	}
	varies := false
	for i := range points.Rows {
		for c, v := range points.Row(i) {
			varies = varies || v == v && float64(v) != u.Shift[c]
		}
	}
	if !varies || math.IsInf(u.Scale, 0) || u.Scale == 0 {
		return u, models.BadInputf("gplvm: the rows do not vary, or beyond the range of numbers")
	}
	return u, nil
}

// start returns the principal components of the rows, of unit variance, with means in the place of
// missing values.
func (f *Fitted) start(ctx context.Context, points vec.Matrix[float32]) (psi.Inputs, error) {
	q := f.Settings.Dims
	in := psi.Inputs{Mu: vec.New[float64](points.Rows, q), S: vec.New[float64](points.Rows, q)}
	for i := range in.S.Data {
		in.S.Data[i] = startVariance
	}
	points = points.Clone()
	for i := range points.Rows {
		for c, v := range points.Row(i) {
			if v != v {
				points.Row(i)[c] = float32(f.Units.Shift[c])
			}
		}
	}
	p, err := pca.Fit(ctx, points, q, pca.Settings{Threads: f.Settings.Threads, Seed: f.Settings.Seed})
	if err != nil {
		return in, fmt.Errorf("gplvm: %w", err)
	}
	z := p.Projector().Apply(points, f.Settings.Threads)
	rnd := rand.New(rand.NewPCG(f.Settings.Seed, 0x4b1d))
	for c := range q {
		mean, square := 0.0, 0.0
		for i := range z.Rows {
			mean += float64(z.Row(i)[c]) / float64(z.Rows)
		}
		for i := range z.Rows {
			square += (float64(z.Row(i)[c]) - mean) * (float64(z.Row(i)[c]) - mean) / float64(z.Rows)
		}
		for i := range z.Rows {
			if in.Mu.Row(i)[c] = (float64(z.Row(i)[c]) - mean) / math.Sqrt(square); !(square > 1e-10*p.Variance[0]) {
				in.Mu.Row(i)[c] = .1 * rnd.NormFloat64() // there is no such component
			}
		}
	}
	return in, nil
}

// inducing returns at most the given number of inducing inputs, sampled from places.
func (f *Fitted) inducing(x vec.Matrix[float64], most int) vec.Matrix[float64] {
	order := rand.New(rand.NewPCG(f.Settings.Seed, 0x1d)).Perm(x.Rows)
	return vec.Take(x, order[:min(most, x.Rows)])
}

func kernel(variance, alpha float64, dims int) psi.Kernel {
	return psi.Kernel{Variance: variance, Alpha: slices.Repeat([]float64{alpha / float64(dims)}, dims)}
}

// classes sets Names and Labelled. It returns the targets of the functions at the learnt rows: 1
// for the class, -1 for another class, NaN without a label. Two classes share one function.
func (f *Fitted) classes() (vec.Matrix[float64], error) {
	seen := map[string]bool{}
	for _, row := range f.Learnt {
		if l := f.Settings.Labels[row]; l != "" {
			f.Labelled++
			if !seen[l] {
				seen[l], f.Names = true, append(f.Names, l)
			}
		}
	}
	slices.Sort(f.Names)
	switch n := len(f.Names); {
	case n < 2:
		return vec.Matrix[float64]{}, models.BadInputf("gplvm: the learnt rows have labels of %d classes, and at least 2 can be told apart; name another column, or learn without --supervise", n)
	case n > mostClasses:
		return vec.Matrix[float64]{}, models.BadInputf("gplvm: there are %d classes among the labels, such as %q and %q: at most %d can be told apart; are these labels of classes?", n, f.Names[0], f.Names[1], mostClasses)
	}
	functions := len(f.Names)
	if functions == 2 {
		functions = 1
	}
	y := vec.New[float64](len(f.Learnt), functions)
	for i, row := range f.Learnt {
		for c := range functions {
			switch f.Settings.Labels[row] {
			case "":
				y.Row(i)[c] = math.NaN()
			case f.Names[c]:
				y.Row(i)[c] = 1
			default:
				y.Row(i)[c] = -1
			}
		}
	}
	return y, nil
}

// Classifier returns the classifier of places.
func (f *Fitted) Classifier() *labels.Classifier { return labels.Whole(f.Names, f.Classes) }
