package lllvm

import (
	"context"
	"fmt"
	"math"

	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// PlaceSettings of a Placer. The zero value works.
type PlaceSettings struct {
	// Neighbors is to how many learnt points an event is joined. Default the model's k.
	Neighbors int
	// Threads bounds the goroutines of one call; 0 means GOMAXPROCS.
	Threads int
	// Search says how reference points are found, for novelty.
	Search auto.Settings
}

// Placer places events by Extension, and leads back into the data. It implements
// models.Decoder.
type Placer struct {
	*placing.Frame
	snap *snapshot.Snapshot
	by   *placer
	// motion leads from the frame of learning to the snapshot's.
	motion placing.Motion
}

var (
	_ models.Decoder  = (*Placer)(nil)
	_ models.Spreader = (*Placer)(nil)
)

// placer places vectors by the learnt points, in the frame they were learnt in.
type placer struct {
	*posterior
	k        int
	threads  int
	index    knn.Index // of the learnt points
	ext      *Extension
	variance []float64 // of the learnt points
	guests   par.Lender[guest]
}

// guest is what placing one event needs in memory.
type guest struct {
	*Guest
	y []float64
}

func newPlacer(p *posterior, points vec.Matrix[float32], k, threads int) *placer {
	return &placer{
		posterior: p, k: min(k, points.Rows), threads: threads, index: knn.NewExact(points),
		ext: p.model.NewExtension(p.state), variance: p.model.Variances(p.state),
	}
}

// NewPlacer prepares placing against s, which it validates and then shares.
func NewPlacer(s *snapshot.Snapshot, set PlaceSettings) (*Placer, error) {
	if err := s.Validate(); err != nil {
		return nil, models.BadInputf("lllvm: the snapshot does not fit: %w", err)
	}
	if set.Neighbors < 0 {
		return nil, fmt.Errorf("lllvm: placing by %d neighbours, want at least 1", set.Neighbors)
	}
	if set.Neighbors == 0 {
		set.Neighbors = s.Neighbors
	}
	post, err := read(s, set.Threads)
	if err != nil {
		return nil, models.BadInputf("lllvm: the snapshot does not fit: %w", err)
	}
	frame, err := placing.New(s, 0, placing.Settings{Threads: set.Threads, Search: set.Search})
	if err != nil {
		return nil, fmt.Errorf("lllvm: %w", err)
	}
	p := &Placer{
		Frame: frame, snap: s, motion: placing.NewMotion(post.state.MuX, vec.Take(s.Mu, post.learnt)),
		by: newPlacer(post, vec.Take(s.Reference, post.learnt), set.Neighbors, set.Threads),
	}
	return p, nil
}

// Place returns the places of the rows of x; see models.Placer. Sigma is that of
// Variances for a reference point. For another event it is the root of its own variance
// where its neighbours' places are known and of the mean of theirs, together.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Frame.Place(ctx, x, func(b placing.Block) error {
		near, err := p.by.near(ctx, b.Seen(), 1)
		if err != nil {
			return err
		}
		w := p.by.borrow()
		defer p.by.guests.Put(w)
		for i := b.From; i < b.To; i++ {
			z, index, dist2 := b.Event(i)
			if dist2[0] == 0 {
				b.Publish(i, p.snap.Mu.Row(int(index[0])), p.snap.Sigma2[index[0]])
				continue
			}
			joined, _ := near.Row(i - b.From)
			sigma2 := p.by.place(w, z, joined)
			p.motion.Forth(w.MuX)
			b.Publish(i, w.MuX, sigma2)
		}
		return nil
	})
}

// near returns the nearest learnt points of the rows of z.
func (p *placer) near(ctx context.Context, z vec.Matrix[float32], threads int) (*knn.Neighbors, error) {
	nb, err := p.index.Search(ctx, z, p.k, knn.Settings{Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("lllvm: placing: %w", err)
	}
	return nb, nil
}

func (p *placer) borrow() *guest {
	w := p.guests.Get()
	if w.Guest == nil {
		w.Guest, w.y = p.ext.NewGuest(), make([]float64, p.model.y.Cols)
	}
	return w
}

// place sets w.MuX to the place of z and returns its variance. A vector so far away that
// the model's numbers leave the range is placed amid its neighbours, with their spread.
func (p *placer) place(w *guest, z []float32, near []int32) float64 {
	p.frame.Apply(w.y, z)
	err := p.ext.Place(w.Guest, w.y, near)
	sigma2 := 0.0
	for _, j := range near {
		sigma2 += p.variance[j] / float64(len(near))
	}
	d := len(w.MuX)
	if err == nil && inRange(w.MuX) {
		for r := range d {
			sigma2 += w.CovX.Row(r)[r] / float64(d)
		}
		return sigma2
	}
	clear(w.MuX)
	for _, j := range near {
		vec.Axpy(1/float64(len(near)), p.state.MuX.Row(int(j)), w.MuX)
	}
	for _, j := range near {
		sigma2 += vec.SquaredDistance(w.MuX, p.state.MuX.Row(int(j))) / float64(d*len(near))
	}
	return sigma2
}

// inRange reports whether a place can be published in single precision.
func inRange(x []float64) bool {
	for _, v := range x {
		if !(math.Abs(v) < math.MaxFloat32/4) {
			return false
		}
	}
	return true
}

// PlaceAll returns the places and variances of the rows of x that were not learnt, and
// of those that were, in the frame of learning.
func (f *Fitted) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	mu, sigma2 = vec.New[float64](x.Rows, f.Settings.Dims), make([]float64, x.Rows)
	own := f.Model.Variances(f.State)
	var rest []int32
	for i, l := 0, f.Learnt; i < x.Rows; i++ {
		if len(l) == 0 || int(l[0]) != i {
			rest = append(rest, int32(i))
			continue
		}
		at := len(f.Learnt) - len(l)
		copy(mu.Row(i), f.State.MuX.Row(at))
		sigma2[i], l = own[at], l[1:]
	}
	if len(rest) == 0 {
		return mu, sigma2, nil
	}
	p := newPlacer(&posterior{f.Learnt, f.Frame, f.Model, f.State}, vec.Take(x, f.Learnt), f.Settings.Neighbors, f.Settings.Threads)
	z := vec.Take(x, rest)
	near, err := p.near(ctx, z, f.Settings.Threads)
	if err != nil {
		return mu, sigma2, err
	}
	const size = 16
	done := par.NewProgress(par.Pieces(len(rest), size), progress)
	par.Ranges(f.Settings.Threads, len(rest), size, func(_, from, to int) {
		if ctx.Err() != nil {
			return
		}
		w := p.borrow()
		defer p.guests.Put(w)
		for i := from; i < to; i++ {
			joined, _ := near.Row(i)
			sigma2[rest[i]] = p.place(w, z.Row(i), joined)
			copy(mu.Row(int(rest[i])), w.MuX)
		}
		done.Step()
	})
	return mu, sigma2, ctx.Err()
}
