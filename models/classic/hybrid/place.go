package hybrid

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// placeStarts is the number of nearest learnt rows that are tried. The search for a place starts at
// the best of them.
const placeStarts = 3

// far is larger than any coordinate, because the prior of places is N(0, I).
const far = 1e3

// Placer places vectors where they increase the bound most, and decodes places. It is safe for
// concurrent use.
type Placer struct {
	*placing.Placer
	of *Fitted
}

var (
	_ models.Decoder = (*Placer)(nil)
	_ models.Lenient = (*Placer)(nil)
	_ models.Likely  = (*Placer)(nil)
)

// NewPlacer returns a Placer for s. It validates s and then shares its memory.
func NewPlacer(s *snapshot.Snapshot, set placing.Options) (*Placer, error) {
	if err := placing.Check("gplvm", s, set); err != nil {
		return nil, err
	}
	f, err := read(s)
	if err != nil {
		return nil, models.BadInputf("gplvm: the snapshot does not fit: %w", err)
	}
	p, err := placing.NewPlacer(s, f.learnt(set.Threads), set)
	if err != nil {
		return nil, fmt.Errorf("gplvm: %w", err)
	}
	return &Placer{p, f}, nil
}

// PlaceMissing implements models.Lenient. The missing values of a row are integrated out: its place
// maximizes the bound of the observed values.
func (p *Placer) PlaceMissing(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.PlaceObserved(ctx, x)
}

// LogLik returns the log-likelihood of each vector at its place; see models.Likely. The q observed
// values are independent given the place x. Each has the mean and the variance that its process
// predicts there, and the noise:
//
//	loglik(z) = sum_c ln N(y_c | mu_c(x), v(x) + 1/beta) + q ln scale,  y = (z - shift) scale.
//
// The prior of places and the labels are not part of it.
func (p *Placer) LogLik(ctx context.Context, x vec.Matrix[float32], at models.Placed) ([]float32, error) {
	return p.LogLiksAt(ctx, x, at, func() func(z []float32, place []float64) float64 { return p.of.invite().logLik })
}

// logLik returns the log-likelihood of z, NaN where missing, at a place in the frame of learning.
func (w *guest) logLik(z []float32, x []float64) (sum float64) {
	mean := make([]float64, len(w.y))
	variance := w.f.Decode(mean, x) + 1/w.of.Observed.Precision
	w.of.Units.Apply(w.y, z)
	for c, y := range w.y {
		if math.IsNaN(y) {
			continue
		}
		d := y - mean[c]
		sum -= (d*d/variance + math.Log(2*math.Pi*variance)) / 2
		sum += math.Log(w.of.Units.Scale)
	}
	return sum
}

// learnt returns the learnt rows, which other rows are placed by.
func (f *Fitted) learnt(threads int) placing.Learnt {
	l := placing.Learnt{Rows: f.Learnt, X: f.In.Mu, Units: f.Units, Neighbors: placeStarts, Threads: threads, Invite: func() placing.Guest { return f.invite() }}
	if f.missing != nil {
		l.Missing = func(j, c int) bool {
			_, is := slices.BinarySearch(f.missing, int32(j*len(f.Units.Shift)+c))
			return is
		}
	}
	return l
}

// PlaceAll returns the places and variances of all rows of x, in the frame of learning. Learnt rows
// keep the place and variance from learning.
func (f *Fitted) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	if mu, sigma2, err = f.learnt(f.Settings.Threads).All(ctx, x, progress); err != nil {
		return mu, nil, fmt.Errorf("gplvm: %w", err)
	}
	for _, c := range f.completed { // placed by their observed values
		copy(mu.Row(int(c.Row)), c.Mu)
		sigma2[c.Row] = c.Sigma2
	}
	return mu, sigma2, nil
}

// guest is the memory for placing one vector.
type guest struct {
	of      *Fitted
	f       *ep.Inference
	y, x, s []float64
}

func (f *Fitted) invite() *guest {
	q := f.In.Mu.Cols
	return &guest{of: f, f: f.Observed.Inference(), y: make([]float64, len(f.Units.Shift)), x: make([]float64, q), s: make([]float64, q)}
}

// Place implements placing.Guest.
func (w *guest) Place(ctx context.Context, z []float32, near []int32) (mu []float64, sigma2 float64, err error) {
	w.of.Units.Apply(w.y, z)
	w.f.Look(w.y)
	best := math.Inf(-1)
	for k, j := range near {
		at, s := w.of.In.Mu.Row(int(j)), w.of.In.S.Row(int(j))
		if v := w.f.Bound(at, s); v > best || k == 0 {
			best = v
			copy(w.x, at)
			copy(w.s, s)
		}
	}
	if err := w.f.Infer(ctx, w.x, w.s); err != nil {
		return nil, 0, fmt.Errorf("gplvm: placing: %w", err)
	}
	for _, v := range w.x {
		if math.IsNaN(v) || math.Abs(v) > far { // numerical overflow far away from all places
			copy(w.x, w.of.In.Mu.Row(int(near[0])))
			return w.x, 1, nil
		}
	}
	return w.x, scale(w.s), nil
}

// Settled implements placing.Guest.
func (w *guest) Settled(l int) (mu []float64, sigma2 float64) {
	copy(w.x, w.of.In.Mu.Row(l))
	return w.x, scale(w.of.In.S.Row(l))
}

// Decode implements placing.Guest.
func (w *guest) Decode(y, x []float64) (variance float64) { return w.f.Decode(y, x) }

// scale returns the geometric mean of variances, at most the variance 1 of the prior.
func scale(s []float64) float64 {
	sum := 0.0
	for _, v := range s {
		sum += math.Log(v)
	}
	return min(max(math.Exp(sum/float64(len(s))), math.SmallestNonzeroFloat32), 1)
}
