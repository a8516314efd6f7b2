package gplvm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/models"
	"unfold/models/placing"
	"unfold/models/scg"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

const (
	// placeStarts nearest learnt points are looked at, and the best is where the search
	// for a place starts; the mean of their places is another candidate.
	placeStarts    = 3
	placeSteps     = 20
	placeTolerance = 1e-3
)

// PlaceSettings of a Placer. The zero value works.
type PlaceSettings struct {
	// Threads bounds the goroutines of one call; 0 means GOMAXPROCS.
	Threads int
	// Search says how reference points are found, for novelty.
	Search auto.Settings
}

// Placer places events where the model finds them most likely, and leads back into the
// data. It implements models.Decoder.
type Placer struct {
	*placing.Frame
	snap   *snapshot.Snapshot
	by     *placer
	motion placing.Motion // from the frame of learning to the snapshot's
}

var _ models.Decoder = (*Placer)(nil)

// placer places vectors by the learnt points, in the frame they were learnt in.
type placer struct {
	*Fitted
	active *Active
	index  knn.Index // of the learnt points
	guests par.Lender[guest]
}

// guest is what placing one event needs in memory.
type guest struct {
	y, x, at, grad, moved []float64
	likelihood            *Scratch
	smooth                *BackScratch
}

func newPlacer(f *Fitted, points vec.Matrix[float32]) (*placer, error) {
	a, err := f.Model.Predictor(f.Point.Theta, f.Point.X, Gaussian{DefaultVariance})
	if err != nil {
		return nil, err
	}
	return &placer{Fitted: f, active: a, index: knn.NewExact(points)}, nil
}

// NewPlacer prepares placing against s, which it validates and then shares.
func NewPlacer(s *snapshot.Snapshot, set PlaceSettings) (*Placer, error) {
	if err := s.Validate(); err != nil {
		return nil, models.BadInputf("gplvm: the snapshot does not fit: %w", err)
	}
	f, err := read(s, set.Threads)
	if err != nil {
		return nil, models.BadInputf("gplvm: the snapshot does not fit: %w", err)
	}
	frame, err := placing.New(s, 0, placing.Settings{Threads: set.Threads, Search: set.Search})
	if err != nil {
		return nil, fmt.Errorf("gplvm: %w", err)
	}
	p := &Placer{Frame: frame, snap: s, motion: placing.NewMotion(f.Point.X, vec.Take(s.Mu, f.Learnt))}
	if p.by, err = newPlacer(f, vec.Take(s.Reference, f.Learnt)); err != nil {
		return nil, fmt.Errorf("gplvm: %w", err)
	}
	return p, nil
}

// Place returns the places of the rows of x; see models.Placer. Sigma is that of
// Laplace's approximation to the posterior of the place, or with a smooth map its error
// at leaving one out.
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
			list, _ := near.Row(i - b.From)
			sigma2, err := p.by.place(ctx, w, z, list)
			if err != nil {
				return err
			}
			p.motion.Forth(w.x)
			b.Publish(i, w.x, sigma2)
		}
		return nil
	})
}

// near returns the nearest learnt points of the rows of z.
func (p *placer) near(ctx context.Context, z vec.Matrix[float32], threads int) (*knn.Neighbors, error) {
	nb, err := p.index.Search(ctx, z, min(placeStarts, len(p.Learnt)), knn.Settings{Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("gplvm: placing: %w", err)
	}
	return nb, nil
}

func (p *placer) borrow() *guest {
	w := p.guests.Get()
	if w.likelihood == nil {
		d := p.Point.X.Cols
		*w = guest{make([]float64, len(p.Frame.Shift)), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), p.active.NewScratch(), nil}
		if p.Back != nil {
			w.smooth = p.Back.NewScratch()
		}
	}
	return w
}

// place sets w.x to the place of z and returns its variance.
func (p *placer) place(ctx context.Context, w *guest, z []float32, near []int32) (sigma2 float64, err error) {
	p.Frame.Apply(w.y, z)
	if p.Back != nil {
		p.Back.Place(w.x, w.y, w.smooth)
		return p.Back.Residual * p.Back.Residual, nil
	}
	f := p.active.place(w.y, w.likelihood)
	p.start(w, near, func(x []float64) float64 { v, _ := f(x, nil); return v })
	if _, err := scg.Minimize(ctx, f, w.x, scg.Settings{Steps: placeSteps, StepTolerance: placeTolerance, ValueTolerance: math.MaxFloat64}); err != nil {
		return 0, fmt.Errorf("gplvm: placing: %w", err)
	}
	for _, v := range w.x {
		if math.IsNaN(v) || math.Abs(v) > placeFar { // so far away that numbers leave the range
			copy(w.x, p.Point.X.Row(int(near[0])))
			return 1, nil
		}
	}
	return p.spread(w, f), nil
}

// placeFar is beyond any place: their prior is N(0, I).
const placeFar = 1e3

// start sets w.x to the best of the nearest points' places and their mean.
func (p *placer) start(w *guest, near []int32, f func(x []float64) float64) {
	clear(w.at)
	best := math.Inf(1)
	for _, j := range near {
		place := p.Point.X.Row(int(j))
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

// spread returns the mean variance of a coordinate by Laplace's approximation at w.x: the
// inverse of the curvature, by central differences of the gradient. Where there is no
// peak it is the prior's, 1.
func (p *placer) spread(w *guest, f scg.Function) float64 {
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

// PlaceAll returns the places and variances of the rows of x that were not learnt, and
// of those that were, in the frame of learning.
func (f *Fitted) PlaceAll(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	mu, sigma2 = vec.New[float64](x.Rows, f.Settings.Dims), make([]float64, x.Rows)
	p, err := newPlacer(f, vec.Take(x, f.Learnt))
	if err != nil {
		return mu, nil, fmt.Errorf("gplvm: %w", err)
	}
	near, err := p.near(ctx, x, f.Settings.Threads)
	if err != nil {
		return mu, nil, err
	}
	learnt := make([]int32, x.Rows) // its number, and one more
	for l, i := range f.Learnt {
		learnt[i] = int32(l) + 1
	}
	const size = 16
	failed := make([]error, par.Pieces(x.Rows, size))
	done := par.NewProgress(len(failed), progress)
	par.Ranges(f.Settings.Threads, x.Rows, size, func(piece, from, to int) {
		w := p.borrow()
		defer p.guests.Put(w)
		for i := from; i < to && failed[piece] == nil; i++ {
			if l := learnt[i]; l > 0 {
				sigma2[i] = p.settled(w, int(l-1))
			} else {
				list, _ := near.Row(i)
				sigma2[i], failed[piece] = p.place(ctx, w, x.Row(i), list)
			}
			copy(mu.Row(i), w.x)
		}
		done.Step()
	})
	for _, err := range failed {
		if err != nil {
			return mu, nil, err
		}
	}
	return mu, sigma2, ctx.Err()
}

// settled sets w.x to the place of a learnt point and returns its variance, the others'
// places being as they are.
func (p *placer) settled(w *guest, l int) float64 {
	copy(w.x, p.Point.X.Row(l))
	if p.Back != nil {
		return p.Back.Residual * p.Back.Residual
	}
	for c, v := range p.Model.y.Row(l) {
		w.y[c] = v + p.Model.mean[c]
	}
	return p.spread(w, p.active.place(w.y, w.likelihood))
}

// Decode returns the means of the vectors at the rows of mu, and the root mean square
// standard deviation of an element (eq 12).
func (p *Placer) Decode(ctx context.Context, mu vec.Matrix[float32]) (models.Decoded, error) {
	d, s := p.Dims(), p.snap
	if mu.Cols != d {
		return models.Decoded{}, &models.DimensionError{Got: mu.Cols, Want: d}
	}
	if err := models.CheckRows(mu, nil); err != nil {
		return models.Decoded{}, err
	}
	seen, sigma := vec.New[float32](mu.Rows, s.Reference.Cols), make([]float32, mu.Rows)
	par.Ranges(p.by.Settings.Threads, mu.Rows, 16, func(_, from, to int) {
		w := p.by.borrow()
		defer p.by.guests.Put(w)
		mean, variance := w.likelihood.mean, w.likelihood.variance
		for i := from; i < to && ctx.Err() == nil; i++ {
			for c, v := range mu.Row(i) {
				w.x[c] = float64(v)
			}
			p.motion.Back(w.x)
			p.by.active.Predict(mean, variance, w.x, w.likelihood)
			f, sum := p.by.Fitted.Frame, 0.0
			for c, v := range mean {
				seen.Row(i)[c] = float32((v+p.by.Model.mean[c])/f.Scale + f.Shift[c])
				sum += max(variance[c], 0)
			}
			sigma[i] = float32(math.Sqrt(sum/float64(len(mean))) / f.Scale)
		}
	})
	if err := ctx.Err(); err != nil {
		return models.Decoded{}, err
	}
	return p.Unproject(seen, sigma), nil
}
