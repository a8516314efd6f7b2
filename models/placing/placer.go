package placing

import (
	"context"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// Placer places events relative to learnt points and decodes places. It implements models.Decoder.
type Placer struct {
	*Searcher
	host   *host
	motion Motion
	// all is true if all reference points are learnt, so that the frame's neighbours are also the
	// host's.
	all bool
}

// NewPlacer prepares placing against s, which must be valid and is shared, relative to its learnt
// points l.
func NewPlacer(s *snapshot.Snapshot, l Learnt, set Options) (*Placer, error) {
	p, reach := &Placer{}, 0
	if p.all = len(l.Rows) == s.Reference.Rows; p.all {
		reach = l.Neighbors
	}
	var err error
	if p.Searcher, err = New(s, reach, set); err != nil {
		return nil, err
	}
	p.host, p.motion = newHost(s.Reference, l), NewMotion(l.X, vec.Take(s.Mu, l.Rows))
	return p, nil
}

// Motion returns the motion from the frame of learning to the snapshot's.
func (p *Placer) Motion() Motion { return p.motion }

// Settled returns the places of the learnt points on the map, m x Dims.
func (p *Placer) Settled() vec.Matrix[float64] { return vec.Take(p.snap.Mu, p.host.Rows) }

// Place returns the places of the rows of x; see models.Placer. An event that equals a reference
// point gets its place and variance.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Searcher.Place(ctx, x, func(b Block) error {
		near := &knn.Neighbors{}
		if !p.all {
			var err error
			if near, err = p.host.near(ctx, b.Seen(), 1); err != nil {
				return err
			}
		}
		w := p.host.borrow()
		defer p.host.guests.Put(w)
		put := placer(w.Guest, b.Seen())
		for i := b.From; i < b.To; i++ {
			_, index, dist2 := b.Event(i)
			if dist2[0] == 0 {
				b.Publish(i, p.snap.Mu.Row(int(index[0])), p.snap.Sigma2[index[0]])
				continue
			}
			list := index[:min(p.host.Neighbors, len(index))]
			if !p.all {
				list, _ = near.Row(i - b.From)
			}
			mu, sigma2, err := put(ctx, i-b.From, list)
			if err != nil {
				return err
			}
			p.motion.Forth(mu)
			b.Publish(i, mu, sigma2)
		}
		return nil
	})
}

// Decode returns the vectors at the rows of mu, and the root mean square standard
// deviation of an element of each; see models.Decoder.
func (p *Placer) Decode(ctx context.Context, mu vec.Matrix[float32]) (models.Decoded, error) {
	if err := p.CheckPositions(mu); err != nil {
		return models.Decoded{}, err
	}
	seen, sigma := vec.New[float32](mu.Rows, p.snap.Reference.Cols), make([]float32, mu.Rows)
	u := p.host.Units
	par.Ranges(p.host.Threads, mu.Rows, piece, func(_, from, to int) {
		w := p.host.borrow()
		defer p.host.guests.Put(w)
		x, y := make([]float64, mu.Cols), make([]float64, seen.Cols)
		for i := from; i < to && ctx.Err() == nil; i++ {
			for c, v := range mu.Row(i) {
				x[c] = float64(v)
			}
			p.motion.Back(x)
			variance := w.Decode(y, x)
			u.Undo(seen.Row(i), y)
			sigma[i] = float32(math.Sqrt(variance) / u.Scale)
		}
	})
	if err := ctx.Err(); err != nil {
		return models.Decoded{}, err
	}
	return p.Unproject(seen, sigma), nil
}
