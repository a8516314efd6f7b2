package baseline

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/pca"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// linear is a map of principal components: x = V (z - m), z = m + V'x.
type linear struct {
	mean       []float64
	components vec.Matrix[float64] // d x q
	least      float64
	threads    int
}

// components fits principal components to the rows of x.
func components(ctx context.Context, x vec.Matrix[float32], s Settings) (*linear, error) {
	if s.Dims > x.Cols {
		return nil, models.BadInputf("pca: %d dimensions of vectors of %d elements: there are at most as many dimensions as elements", s.Dims, x.Cols)
	}
	p, err := pca.Fit(ctx, x, s.Dims, pca.Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return nil, err
	}
	l := &linear{mean: placing.Centred(x).Shift, components: vec.Convert[float64](p.Components), threads: s.Threads}
	l.least = 1e-12 * p.Total / float64(s.Dims)
	return l, nil
}

// place sets mu to V (z - m) and returns the mean square of what is left of z by dimension
// left out.
func (l *linear) place(mu, rest []float64, z []float32) (variance float64) {
	for c, v := range z {
		rest[c] = float64(v) - l.mean[c]
	}
	for k := range mu {
		mu[k] = vec.Dot(l.components.Row(k), rest)
	}
	for k, v := range mu {
		vec.Axpy(-v, l.components.Row(k), rest)
	}
	left := max(1, len(rest)-len(mu))
	return max(l.least, vec.SquaredNorm(rest)/float64(left))
}

// PlaceAll returns the places of the rows of x.
func (l *linear) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	mu, sigma2 = vec.New[float64](x.Rows, l.components.Rows), make([]float64, x.Rows)
	const piece = 256
	done := par.NewProgress(par.Pieces(x.Rows, piece), progress)
	par.Ranges(l.threads, x.Rows, piece, func(_, from, to int) {
		rest := make([]float64, x.Cols)
		for i := from; i < to && ctx.Err() == nil; i++ {
			sigma2[i] = l.place(mu.Row(i), rest, x.Row(i))
		}
		done.Step()
	})
	return mu, sigma2, ctx.Err()
}

// Parts are the projection as a model file holds it.
//
//	mean         float64, q x 1
//	components   float64, d x q
//	least        float64, 1        the least variance that is published
func (l *linear) Parts() []snapshot.Part {
	return []snapshot.Part{
		{Name: "mean", Rows: len(l.mean), Cols: 1, Data: l.mean},
		{Name: "components", Rows: l.components.Rows, Cols: l.components.Cols, Data: l.components.Data},
		{Name: "least", Rows: 1, Cols: 1, Data: []float64{l.least}},
	}
}

func readLinear(s *snapshot.Snapshot, threads int) (*linear, error) {
	q, d := s.Reference.Cols, s.Mu.Cols
	l := &linear{threads: threads}
	var err error
	if l.mean, err = snapshot.PartOf[float64](s, "mean", q, 1); err != nil {
		return nil, err
	}
	data, err := snapshot.PartOf[float64](s, "components", d, q)
	if err != nil {
		return nil, err
	}
	l.components = vec.Of(d, q, data)
	least, err := snapshot.PartOf[float64](s, "least", 1, 1)
	if err != nil {
		return nil, err
	}
	if l.least = least[0]; !(l.least > 0) {
		return nil, fmt.Errorf("the least variance %g has to be positive", l.least)
	}
	return l, nil
}

// linearPlacer places events by principal components.
type linearPlacer struct {
	*placing.Frame
	*linear
	snap   *snapshot.Snapshot
	motion placing.Motion
}

// openLinear prepares it. The map may have moved since it was learnt.
func openLinear(s *snapshot.Snapshot, set placing.Settings) (models.Decoder, error) {
	l, err := readLinear(s, set.Threads)
	if err != nil {
		return nil, models.BadInputf("pca: the snapshot does not fit: %w", err)
	}
	f, err := placing.New(s, 0, set)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	before, _, err := l.PlaceAll(context.Background(), s.Reference, nil)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	return &linearPlacer{f, l, s, placing.NewMotion(before, s.Mu)}, nil
}

// Place returns the places of the rows of x; see models.Placer.
func (p *linearPlacer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Frame.Place(ctx, x, func(b placing.Block) error {
		mu, rest := make([]float64, p.Dims()), make([]float64, len(p.mean))
		for i := b.From; i < b.To; i++ {
			z, index, dist2 := b.Event(i)
			if dist2[0] == 0 {
				b.Publish(i, p.snap.Mu.Row(int(index[0])), p.snap.Sigma2[index[0]])
				continue
			}
			variance := p.place(mu, rest, z)
			p.motion.Forth(mu)
			b.Publish(i, mu, variance)
		}
		return nil
	})
}

// Decode returns the vectors at the rows of mu; see models.Decoder. Sigma is that of the
// learnt vectors: the root mean square of what they lose.
func (p *linearPlacer) Decode(ctx context.Context, mu vec.Matrix[float32]) (models.Decoded, error) {
	if mu.Cols != p.Dims() {
		return models.Decoded{}, &models.DimensionError{Got: mu.Cols, Want: p.Dims()}
	}
	if err := models.CheckRows(mu, nil); err != nil {
		return models.Decoded{}, err
	}
	q := len(p.mean)
	var lost float64
	for _, v := range p.snap.Sigma2 {
		lost += v / float64(len(p.snap.Sigma2))
	}
	element := math.Sqrt(lost * float64(max(1, q-mu.Cols)) / float64(q))
	seen, sigma := vec.New[float32](mu.Rows, q), make([]float32, mu.Rows)
	x, z := make([]float64, mu.Cols), make([]float64, q)
	for i := range mu.Rows {
		for c, v := range mu.Row(i) {
			x[c] = float64(v)
		}
		p.motion.Back(x)
		copy(z, p.mean)
		for k, v := range x {
			vec.Axpy(v, p.components.Row(k), z)
		}
		for c, v := range z {
			seen.Row(i)[c] = float32(v)
		}
		sigma[i] = float32(element)
	}
	return p.Unproject(seen, sigma), ctx.Err()
}
