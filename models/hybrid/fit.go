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
	// Common has q, Dims, and the steps of each half of learning, Steps; defaults 2, 150. Labels are those
	// of the rows, "" where there is none. Seed chooses the sample and where inducing inputs start.
	models.Common
	// Points is the most rows that are learnt, a sample of all. Default 1000.
	Points int
	// Inducing is the number of inducing inputs, of the vectors and of the classes. Default 30.
	Inducing int
}

// Where learning starts: a relevance for each dimension, variances of places, of the kernels, and the
// precision of the noise, of vectors with a mean square of 1.
const (
	startAlpha     = 1 // of all dimensions together
	startSharp     = 4 // the same of the classes, whose borders are sharper than the vectors bend
	startVariance  = .1
	startPrecision = 10
	startClasses   = 2
)

// Of a round of learning: steps of gradients, and sweeps over the sites.
const (
	roundSteps  = 10
	roundSweeps = 4
)

// mostClasses is how many classes are told apart at most, as in package labels.
const mostClasses = 128

// Resolved returns the settings with defaults filled in, or what is wrong with them.
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
	// Settings are those of the fit with all defaults filled in.
	Settings Settings
	// Learnt lists, ascending, the rows that were learnt; In are their places and variances.
	Learnt []int32
	In     psi.Inputs
	// Units are those in which the learnt vectors have the mean 0 and elements with a mean square of 1.
	Units placing.Units
	// Observed are the processes of the vectors, Classes those of the labels of Names.
	Observed *ep.Observed
	Classes  *ep.Joint
	Names    []string
	// Labelled is how many of the learnt rows had a label.
	Labelled int
	// Bound is L_H (S.35) after every round: first of the vectors alone, then, from Joint on, of both.
	Bound []float64
	Joint int
	// Gradients counts evaluations, Negative the visits of sites that were left out to stay stable.
	Gradients, Negative int
}

// Fit learns a sample of the rows of x, which have no missing values, with those of their labels that
// are known. It is a function of x and the settings without Threads. Errors that lie in x or in the
// labels match models.ErrBadInput. Progress, which may be nil, is called with rounds.
func Fit(ctx context.Context, x vec.Matrix[float32], s Settings, progress func(done, total int)) (*Fitted, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	switch {
	case x.Cols < s.Dims:
		return nil, models.BadInputf("gplvm: vectors of %d elements for a map of %d dimensions: want at most as many dimensions as elements", x.Cols, s.Dims)
	case x.Rows < s.Dims+2:
		return nil, models.BadInputf("gplvm: %d distinct rows are too few for a map of %d dimensions: at least %d are needed", x.Rows, s.Dims, s.Dims+2)
	case len(s.Labels) != x.Rows:
		return nil, models.BadInputf("gplvm: there are %d labels for %d rows", len(s.Labels), x.Rows)
	}
	if err := models.CheckRows(x, nil); err != nil {
		return nil, err
	}
	f := &Fitted{Settings: s, Learnt: placing.Sample(x.Rows, s.Points, s.Seed)}
	points := vec.Take(x, f.Learnt)
	if f.Units, err = units(points); err != nil {
		return nil, err
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
		// Inducing inputs that crowd on a smooth map make matrices without a factor: fewer will do there.
		var indefinite *spd.IndefiniteError
		if err == nil || !errors.As(err, &indefinite) || many < 2*leastInducing {
			if err != nil {
				return nil, fmt.Errorf("gplvm: learning: %w", err)
			}
			return f, nil
		}
	}
}

// leastInducing is the least number of inducing inputs that learning falls back to.
const leastInducing = 4

// learn learns by the vectors, and then by both.
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

// tuneRounds are those of learning the classifier alone.
const tuneRounds = 3

// tune learns the classifier where the places are.
func tune(ctx context.Context, h *ep.Hybrid) error {
	alone := &ep.Hybrid{In: h.In, Classes: h.Classes, Threads: h.Threads}
	_, err := alone.Learn(ctx, ep.LearnSettings{Rounds: tuneRounds, Steps: roundSteps, Sweeps: roundSweeps, FixInputs: true})
	return err
}

// units centre the rows and scale them to a mean square of 1.
func units(points vec.Matrix[float32]) (placing.Units, error) {
	u := placing.Centred(points)
	square := vec.SquaredNorm(u.All(points).Data) / float64(len(points.Data))
	if !(square > 0) || math.IsInf(square, 0) {
		return u, models.BadInputf("gplvm: the rows do not vary, or beyond the range of numbers")
	}
	u.Scale = 1 / math.Sqrt(square)
	return u, nil
}

// start returns the principal components of the rows, of unit variance.
func (f *Fitted) start(ctx context.Context, points vec.Matrix[float32]) (psi.Inputs, error) {
	q := f.Settings.Dims
	in := psi.Inputs{Mu: vec.New[float64](points.Rows, q), S: vec.New[float64](points.Rows, q)}
	for i := range in.S.Data {
		in.S.Data[i] = startVariance
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

// inducing returns at most so many inducing inputs among places.
func (f *Fitted) inducing(x vec.Matrix[float64], most int) vec.Matrix[float64] {
	order := rand.New(rand.NewPCG(f.Settings.Seed, 0x1d)).Perm(x.Rows)
	return vec.Take(x, order[:min(most, x.Rows)])
}

func kernel(variance, alpha float64, dims int) psi.Kernel {
	return psi.Kernel{Variance: variance, Alpha: slices.Repeat([]float64{alpha / float64(dims)}, dims)}
}

// classes sets Names and Labelled, and returns what the functions are to be at the learnt rows: 1 for a
// class, -1 for another, NaN without a label. Two classes share one function.
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

// Classifier predicts the classes of places.
func (f *Fitted) Classifier() *labels.Classifier { return labels.Whole(f.Names, f.Classes) }
