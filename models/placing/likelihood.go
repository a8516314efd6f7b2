package placing

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/novelty"
)

// Length is the distribution of the squared length of an edge between an event and a reference
// point in a latent variable model.
//
// In the model, the probability that a pair is close at a length scale delta is
//
//	F(t) = P(c=1 | delta^2 = t) = (t/V)^(d/2) (1 + r^2/(2aV))^-a,  V = t + s,                (N1)
//
// with s = sigma_x^2 + sigma_j^2 and r = |mu_x - mu_j|. F rises from 0 to 1: it is the distribution
// function of the squared length at which the pair becomes close. Its density,
//
//	f(t) = F(t) (d s/(2 t V) + r^2/(2 V Q)),  Q = V + r^2/(2a),                              (N2)
//
// is the likelihood of an observed length. F itself is unsuitable, because it rises with the
// length: the farthest event would be the likeliest. f falls as t^-2 for long edges.
type Length struct {
	// Dims is d.
	Dims int
	// Tail is a; 0 stands for Gaussian tails, a -> infinity.
	Tail float64
}

// longest limits squared lengths, so that no product of two overflows.
const longest = 1e150

// LogDensity returns ln f(t) of N2, for t >= 0, s > 0 and r2 = r^2 >= 0. It is finite.
func (l Length) LogDensity(t, s, r2 float64) float64 {
	t, r2 = min(max(t, 1/longest), longest), min(r2, longest)
	d, v := float64(l.Dims), t+s
	q, far := v, r2/(2*v)
	if l.Tail > 0 {
		q += r2 / (2 * l.Tail)
		far = l.Tail * math.Log1p(r2/(2*l.Tail*v))
	}
	return -d/2*math.Log1p(s/t) - far + math.Log(float64(d*s/t)+r2/q) - math.Log(2*v)
}

// LogLiks returns a log-likelihood for each row of x, which is placed at. newWorker returns a
// function that computes the likelihood of one row and is called by one goroutine. See
// models.Likely.
func (f *Searcher) LogLiks(ctx context.Context, x vec.Matrix[float32], at models.Placed, newWorker func() func(i int) float64) ([]float32, error) {
	n := at.Mu.Rows
	if x.Rows != n || n > 0 && (at.Near == nil || at.Seen.Rows != n) {
		return nil, fmt.Errorf("placing: the likelihood of %d rows takes their own places with neighbours; there are %d places", x.Rows, n)
	}
	out := make([]float32, n)
	par.Ranges(f.threads, n, size, func(_, from, to int) {
		one := newWorker()
		for i := from; i < to && ctx.Err() == nil; i++ {
			// A vector at the end of the number range may have a likelihood beyond it.
			out[i] = float32(min(max(one(i), -math.MaxFloat32), math.MaxFloat32))
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, v := range out {
		if v != v {
			return nil, &models.RowError{Row: i, Column: -1, Result: "log-likelihood", Value: math.NaN()}
		}
	}
	return out, nil
}

// LogLiksOfEdges is LogLiks for models whose likelihood depends on the lengths of a row's edges.
// one receives the place mu, the nearest reference points without the row itself, and their squared
// distances.
func (f *Searcher) LogLiksOfEdges(ctx context.Context, x vec.Matrix[float32], at models.Placed, one func(mu []float32, index []int32, dist2 []float64) float64) ([]float32, error) {
	return f.LogLiks(ctx, x, at, func() func(i int) float64 {
		return func(i int) float64 {
			index, dist2 := novelty.Others(at.Near.Row(i))
			return one(at.Mu.Row(i), index, dist2)
		}
	})
}

// LogLiksAt is LogLiks for models with a likelihood of a vector z given its place in the frame of
// learning. z contains the observed values, and NaN for the others.
func (p *Placer) LogLiksAt(ctx context.Context, x vec.Matrix[float32], at models.Placed, newWorker func() func(z []float32, place []float64) float64) ([]float32, error) {
	return p.LogLiks(ctx, x, at, func() func(i int) float64 {
		one, place := newWorker(), make([]float64, p.Dims())
		return func(i int) float64 {
			for c, v := range at.Mu.Row(i) {
				place[c] = float64(v)
			}
			p.motion.Back(place)
			z := at.Seen.Row(i)
			if AnyMissing(x.Row(i)) {
				z = x.Row(i) // the placer saw the completed vector
			}
			return one(z, place)
		}
	})
}

// Squared returns |mu - at|^2 of a published place and a place of the map.
func Squared(mu []float32, at []float64) (sum float64) {
	for c, v := range at {
		d := float64(mu[c]) - v
		sum += float64(d * d) // the conversion keeps compilers from fusing
	}
	return sum
}
