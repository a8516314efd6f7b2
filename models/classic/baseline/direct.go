package baseline

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// formula is a map given by a formula, from vectors to positions and back. The functions that it
// returns have their own memory and serve one goroutine.
type formula interface {
	dims() int
	// placer returns a function that sets mu (d) to the position of z (q) and returns its variance.
	placer() func(mu []float64, z []float32) (variance float64)
	// decoder returns a function that sets z (q) to the vector at position x (d).
	decoder() func(z, x []float64)
	// noise returns the standard deviation of an element of a decoded vector; sigma2 are the
	// variances of the learnt points.
	noise(sigma2 []float64) float64
	Parts() []snapshot.Part
}

// direct places all vectors by a formula, including the learnt ones.
type direct struct {
	formula
	threads int
}

// PlaceAll returns the positions of the rows of x and their variances.
func (t direct) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	mu, sigma2 = vec.New[float64](x.Rows, t.dims()), make([]float64, x.Rows)
	const piece = 256
	done := par.NewProgress(par.Pieces(x.Rows, piece), progress)
	par.Ranges(t.threads, x.Rows, piece, func(_, from, to int) {
		place := t.placer()
		for i := from; i < to && ctx.Err() == nil; i++ {
			sigma2[i] = place(mu.Row(i), x.Row(i))
		}
		done.Step()
	})
	return mu, sigma2, ctx.Err()
}

// Place is PlaceAll, because learnt vectors are placed like others.
func (t direct) Place(ctx context.Context, z vec.Matrix[float32]) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	return t.PlaceAll(ctx, z, nil)
}

// enough checks that vectors of q elements suffice for the given dimensions.
func enough(m Method, dims, q int) error {
	if dims > q {
		return models.BadInputf("%s: %d dimensions of vectors of %d elements: there are at most as many dimensions as elements", m, dims, q)
	}
	return nil
}

// directPlacer places events by a formula, followed by the motion of the map since it was learnt.
type directPlacer struct {
	*placing.Searcher
	formula
	snap   *snapshot.Snapshot
	motion placing.Motion
}

func newDirectPlacer(s *snapshot.Snapshot, m Method, f formula, set placing.Options) (models.Decoder, error) {
	frame, err := placing.New(s, 0, set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, err)
	}
	before, _, err := direct{f, set.Threads}.PlaceAll(context.Background(), s.Reference, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, err)
	}
	return &directPlacer{frame, f, s, placing.NewMotion(before, s.Mu)}, nil
}

// Place returns the positions of the rows of x; see models.Placer.
func (p *directPlacer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Searcher.Place(ctx, x, func(b placing.Block) error {
		place, mu := p.placer(), make([]float64, p.Dims())
		for i := b.From; i < b.To; i++ {
			z, index, dist2 := b.Event(i)
			if dist2[0] == 0 {
				b.Publish(i, p.snap.Mu.Row(int(index[0])), p.snap.Sigma2[index[0]])
				continue
			}
			variance := place(mu, z)
			p.motion.Forth(mu)
			b.Publish(i, mu, variance)
		}
		return nil
	})
}

// Decode returns the vectors at the rows of mu; see models.Decoder.
func (p *directPlacer) Decode(ctx context.Context, mu vec.Matrix[float32]) (models.Decoded, error) {
	if err := p.CheckPositions(mu); err != nil {
		return models.Decoded{}, err
	}
	q, element := p.snap.Reference.Cols, float32(p.noise(p.snap.Sigma2))
	seen, sigma := vec.New[float32](mu.Rows, q), make([]float32, mu.Rows)
	decode, x, z := p.decoder(), make([]float64, mu.Cols), make([]float64, q)
	for i := range mu.Rows {
		for c, v := range mu.Row(i) {
			x[c] = float64(v)
		}
		p.motion.Back(x)
		decode(z, x)
		for c, v := range z {
			seen.Row(i)[c] = float32(v)
		}
		sigma[i] = element
	}
	return p.Unproject(seen, sigma), ctx.Err()
}
