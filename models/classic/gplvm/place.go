package gplvm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/optimize"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

const (
	// The places of the placeStarts nearest learnt points, and their mean, are the candidates for
	// the start of the search for a place.
	placeStarts    = 3
	placeSteps     = 20
	placeTolerance = 1e-3
)

// Placer places events at their most likely places, or with the smooth map if there is one, and
// decodes places. Sigma comes from Laplace's approximation to the posterior of a place, or is the
// smooth map's leave-one-out error. Decoded are means and variances of the process (eq 12), with
// probit noise probabilities.
type Placer struct {
	*placing.Placer
	by   *placer
	snap *snapshot.Snapshot
	// columns are the columns after projection, nil if all remain.
	columns []int
}

var (
	_ models.Decoder = (*Placer)(nil)
	_ models.Lenient = (*Placer)(nil)
)

// placer places vectors relative to the learnt points, in the frame of learning.
type placer struct {
	*Fitted
	active *Active
}

func newPlacer(f *Fitted) (*placer, error) {
	a, err := f.predictor()
	if err != nil {
		return nil, fmt.Errorf("gplvm: %w", err)
	}
	return &placer{Fitted: f, active: a}, nil
}

// learnt returns the points relative to which others are placed.
func (p *placer) learnt() placing.Learnt {
	l := placing.Learnt{
		Rows: p.Learnt, X: p.Point.X, Units: p.Units, Neighbors: placeStarts, Threads: p.Settings.Threads,
		Invite: func() placing.Guest { return p.invite() },
	}
	if m := p.Model; m.missing != nil {
		l.Missing = func(j, c int) bool { return m.missing[j*m.y.Cols+c] }
	}
	return l
}

// NewPlacer prepares placing against s. It validates s and then shares its memory.
func NewPlacer(s *snapshot.Snapshot, set placing.Options) (*Placer, error) {
	if err := placing.Check("gplvm", s, set); err != nil {
		return nil, err
	}
	f, err := read(s, set.Threads)
	if err != nil {
		return nil, models.BadInputf("gplvm: the snapshot does not fit: %w", err)
	}
	by, err := newPlacer(f)
	if err != nil {
		return nil, models.BadInputf("gplvm: the snapshot does not fit: %w", err)
	}
	p, err := placing.NewPlacer(s, by.learnt(), set)
	if err != nil {
		return nil, fmt.Errorf("gplvm: %w", err)
	}
	return &Placer{Placer: p, by: by, snap: s, columns: seenColumns(s)}, nil
}

// Place returns the places of the rows of x; see models.Placer. With probit noise, a value that is
// neither 0 nor 1 is a *models.RowError.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if err := p.checkEvents(x); err != nil {
		return models.Placed{}, err
	}
	return p.Placer.Place(ctx, x)
}

// PlaceAll returns the places and variances of all rows of x, learnt or not, in the frame of
// learning.
func (f *Fitted) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	p, err := newPlacer(f)
	if err != nil {
		return mu, nil, err
	}
	if mu, sigma2, err = p.learnt().All(ctx, x, progress); err != nil {
		return mu, nil, fmt.Errorf("gplvm: %w", err)
	}
	for _, c := range f.completed { // placed by their observed values
		copy(mu.Row(int(c.Row)), c.Mu)
		sigma2[c.Row] = c.Sigma2
	}
	return mu, sigma2, nil
}

// guest is the scratch memory for placing one event.
type guest struct {
	*placer
	y, x, at, grad, moved []float64
	likelihood            *Scratch
	smooth                *BackScratch
}

func (p *placer) invite() *guest {
	places := make([]float64, 4*p.Point.X.Cols)
	part := func(c int) []float64 { return places[c*p.Point.X.Cols:][:p.Point.X.Cols] }
	w := &guest{
		placer: p, y: make([]float64, len(p.Units.Shift)), x: part(0), at: part(1), grad: part(2), moved: part(3),
		likelihood: p.active.NewScratch(),
	}
	if p.Back != nil {
		w.smooth = p.Back.NewScratch()
	}
	return w
}

// Place implements placing.Guest.
func (w *guest) Place(ctx context.Context, z []float32, near []int32) (mu []float64, sigma2 float64, err error) {
	w.Units.Apply(w.y, z)
	if w.Back != nil && !slices.ContainsFunc(w.y, math.IsNaN) {
		if w.binary() { // the map's inputs are centred vectors
			vec.Axpy(-1, w.Model.mean, w.y)
		}
		w.Back.Place(w.x, w.y, w.smooth)
		return w.x, w.Back.Residual * w.Back.Residual, nil
	}
	f := w.active.place(w.y, w.likelihood)
	w.start(near, func(x []float64) float64 { v, _ := f(x, nil); return v })
	if _, err := optimize.Minimize(ctx, f, w.x, optimize.Settings{Steps: placeSteps, StepTolerance: placeTolerance, ValueTolerance: math.MaxFloat64}); err != nil {
		return nil, 0, fmt.Errorf("gplvm: placing: %w", err)
	}
	for _, v := range w.x {
		if math.IsNaN(v) || math.Abs(v) > placeFar { // so far away that numbers overflow
			copy(w.x, w.Point.X.Row(int(near[0])))
			return w.x, 1, nil
		}
	}
	return w.x, w.spread(f), nil
}

// Settled implements placing.Guest. The variance is that of the place with all others fixed.
func (w *guest) Settled(l int) (mu []float64, sigma2 float64) {
	copy(w.x, w.Point.X.Row(l))
	if w.Back != nil {
		return w.x, w.Back.Residual * w.Back.Residual
	}
	w.Model.values(w.y, l, w.active.s.noise)
	return w.x, w.spread(w.active.place(w.y, w.likelihood))
}

// Decode implements placing.Guest.
func (w *guest) Decode(y, x []float64) (variance float64) {
	mean, variances, sum := w.likelihood.mean, w.likelihood.variance, 0.0
	w.active.Predict(mean, variances, x, w.likelihood)
	if noise, ok := w.active.s.noise.(Probit); ok {
		for c, bias := range w.active.s.bias {
			p := noise.Probability(bias, mean[c], max(variances[c], 0))
			p = min(max(p, leastProbability), 1-leastProbability)
			y[c] = 2*p - 1
			sum += 4 * p * (1 - p)
		}
		return sum / float64(len(mean))
	}
	for c, v := range mean {
		y[c] = v + w.Model.mean[c]
		sum += max(variances[c], 0)
	}
	return sum / float64(len(mean))
}

// placeFar is beyond any place, since their prior is N(0, I).
const placeFar = 1e3

// start sets w.x to the best of the nearest points' places and their mean.
func (w *guest) start(near []int32, f func(x []float64) float64) {
	clear(w.at)
	best := math.Inf(1)
	for _, j := range near {
		place := w.Point.X.Row(int(j))
		vec.Axpy(1/float64(len(near)), place, w.at)
		if v := f(place); v < best || math.IsInf(best, 1) {
			best = v
			copy(w.x, place)
		}
	}
	if f(w.at) < best {
		copy(w.x, w.at)
	}
}

// spread returns the mean variance of a coordinate from Laplace's approximation at w.x: the inverse
// of the curvature, from central differences of the gradient. Without a maximum it is the prior's
// variance, 1.
func (w *guest) spread(f optimize.Function) float64 {
	const h = 1e-4
	d := len(w.x)
	curvature := mat.NewSymDense(d, nil)
	for c := range d {
		copy(w.at, w.x)
		w.at[c] += h
		if _, err := f(w.at, w.grad); err != nil {
			return 1
		}
		w.at[c] -= 2 * h
		if _, err := f(w.at, w.moved); err != nil {
			return 1
		}
		for r := range d {
			v := (w.grad[r] - w.moved[r]) / (2 * h)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 1
			}
			curvature.SetSym(r, c, curvature.At(r, c)+v/2)
			if r == c {
				curvature.SetSym(r, c, v)
			}
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(curvature) {
		return 1
	}
	var inverse mat.SymDense
	if factor.InverseTo(&inverse) != nil {
		return 1
	}
	return min(max(mat.Trace(&inverse)/float64(d), math.SmallestNonzeroFloat32), 1)
}
