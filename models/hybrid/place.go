package hybrid

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn/auto"
)

// placeStarts is the number of nearest learnt rows that are tried. The search for a place starts at
// the best of them.
const placeStarts = 3

// far is larger than any coordinate, because the prior of places is N(0, I).
const far = 1e3

// PlaceSettings of a Placer. The zero value works.
type PlaceSettings struct {
	// Threads is the maximum number of goroutines of one call; 0 means GOMAXPROCS.
	Threads int
	// Search are the settings of the search for reference points, for novelty.
	Search auto.Settings
}

// Placer places vectors where they increase the bound most, and decodes places.
type Placer struct {
	*placing.Placer
}

var _ models.Decoder = (*Placer)(nil)

// NewPlacer returns a Placer for s. It validates s and then shares its memory.
func NewPlacer(s *snapshot.Snapshot, set PlaceSettings) (*Placer, error) {
	if err := s.Validate(); err != nil {
		return nil, models.BadInputf("gplvm: the snapshot does not fit: %w", err)
	}
	f, err := read(s)
	if err != nil {
		return nil, models.BadInputf("gplvm: the snapshot does not fit: %w", err)
	}
	p, err := placing.NewPlacer(s, f.learnt(set.Threads), placing.Settings{Threads: set.Threads, Search: set.Search})
	if err != nil {
		return nil, fmt.Errorf("gplvm: %w", err)
	}
	return &Placer{p}, nil
}

// learnt returns the learnt rows, which other rows are placed by.
func (f *Fitted) learnt(threads int) placing.Learnt {
	return placing.Learnt{Rows: f.Learnt, X: f.In.Mu, Units: f.Units, Neighbors: placeStarts, Threads: threads, Invite: func() placing.Guest { return f.invite() }}
}

// PlaceAll returns the places and variances of all rows of x, in the frame of learning. Learnt rows
// keep the place and variance from learning.
func (f *Fitted) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	if mu, sigma2, err = f.learnt(f.Settings.Threads).All(ctx, x, progress); err != nil {
		return mu, nil, fmt.Errorf("gplvm: %w", err)
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
