package lllvm

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// Placer places events by Extension and maps positions back to data (Decode). The Sigma of a
// reference point is the root of its Variances. For another event it combines two variances: its
// own given the positions of its neighbours, and the mean variance of these positions.
type Placer struct {
	*placing.Placer
	by *placer
}

var (
	_ models.Decoder  = (*Placer)(nil)
	_ models.Spreader = (*Placer)(nil)
)

// placer places vectors with the learnt points, in the coordinates of learning.
type placer struct {
	*posterior
	k, threads int
	ext        []*Extension // by patch
	numbers    [][]int32    // of a learnt point: patch and number there, and so on
	variance   []float64    // of the learnt points
}

func newPlacer(p *posterior, k, threads int) *placer {
	out := &placer{
		posterior: p, k: min(k, len(p.learnt)), threads: threads,
		variance: p.model.Variances(p.state), numbers: make([][]int32, len(p.learnt)),
	}
	for part := range p.model.g.parts {
		out.ext = append(out.ext, p.model.NewExtension(p.state, part))
		for number, i := range p.model.g.parts[part].points {
			out.numbers[i] = append(out.numbers[i], int32(part), int32(number))
		}
	}
	return out
}

// patch returns the patch that contains most of the given points (the first of equal ones), and
// their numbers in it.
func (p *placer) patch(near, numbers []int32) (ext *Extension, _ []int32) {
	best, most := int32(0), 0
	for _, i := range near {
		for at := p.numbers[i]; len(at) > 0; at = at[2:] {
			count := 0
			for _, j := range near {
				if _, ok := p.number(j, at[0]); ok {
					count++
				}
			}
			if count > most || count == most && at[0] < best {
				best, most = at[0], count
			}
		}
	}
	for _, i := range near {
		if number, ok := p.number(i, best); ok {
			numbers = append(numbers, number)
		}
	}
	return p.ext[best], numbers
}

// number returns the number of learnt point i in a patch, if it contains the point.
func (p *placer) number(i, part int32) (number int32, ok bool) {
	for at := p.numbers[i]; len(at) > 0; at = at[2:] {
		if at[0] == part {
			return at[1], true
		}
	}
	return 0, false
}

// points returns the learnt points, which others are placed with.
func (p *placer) points() placing.Learnt {
	return placing.Learnt{
		Rows: p.learnt, X: p.state.MuX, Units: p.units, Neighbors: p.k, Threads: p.threads,
		Invite: func() placing.Guest { return &guest{p, p.model.NewGuest(), make([]float64, p.model.y.Cols), nil} },
	}
}

// NewPlacer returns a Placer for s. It validates s and keeps it without a copy.
func NewPlacer(s *snapshot.Snapshot, set placing.Options) (*Placer, error) {
	if err := placing.Check("lllvm", s, set); err != nil {
		return nil, err
	}
	if set.Neighbors == 0 {
		set.Neighbors = s.Neighbors
	}
	post, err := read(s, set.Threads)
	if err != nil {
		return nil, models.BadInputf("lllvm: the snapshot does not fit: %w", err)
	}
	by := newPlacer(post, set.Neighbors, set.Threads)
	p, err := placing.NewPlacer(s, by.points(), set)
	if err != nil {
		return nil, fmt.Errorf("lllvm: %w", err)
	}
	return &Placer{p, by}, nil
}

// PlaceAll returns the positions and variances of all rows of x, in the coordinates of learning.
// Rows that were not learnt are placed.
func (f *Fitted) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	if len(f.Learnt) == x.Rows {
		return f.State.MuX.Clone(), f.Model.Variances(f.State), nil
	}
	p := newPlacer(&posterior{f.Learnt, f.Units, f.Model, f.State}, f.Settings.Neighbors, f.Settings.Threads)
	if mu, sigma2, err = p.points().All(ctx, x, progress); err != nil {
		return mu, nil, fmt.Errorf("lllvm: %w", err)
	}
	return mu, sigma2, nil
}

// guest is the workspace in which one event is placed.
type guest struct {
	*placer
	*Guest
	y      []float64
	joined []int32
}

// Place implements placing.Guest. A vector so far away that the computation overflows is placed at
// its neighbours, with their spread.
func (w *guest) Place(_ context.Context, z []float32, near []int32) (mu []float64, sigma2 float64, _ error) {
	w.units.Apply(w.y, z)
	var ext *Extension
	ext, w.joined = w.patch(near, w.joined[:0])
	err := ext.Place(w.Guest, w.y, w.joined)
	for _, j := range near {
		sigma2 += w.variance[j] / float64(len(near))
	}
	d := len(w.MuX)
	if err == nil && inRange(w.MuX) {
		for r := range d {
			sigma2 += w.CovX.Row(r)[r] / float64(d)
		}
		return w.MuX, sigma2, nil
	}
	clear(w.MuX)
	for _, j := range near {
		vec.Axpy(1/float64(len(near)), w.state.MuX.Row(int(j)), w.MuX)
	}
	for _, j := range near {
		sigma2 += vec.SquaredDistance(w.MuX, w.state.MuX.Row(int(j))) / float64(d*len(near))
	}
	return w.MuX, sigma2, nil
}

// Settled implements placing.Guest.
func (w *guest) Settled(l int) (mu []float64, sigma2 float64) {
	return w.state.MuX.Row(l), w.variance[l]
}

// inRange reports whether a position fits in single precision.
func inRange(x []float64) bool {
	for _, v := range x {
		if !(math.Abs(v) < math.MaxFloat32/4) {
			return false
		}
	}
	return true
}
