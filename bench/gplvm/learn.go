package main

import (
	"context"
	"math"
	"math/rand/v2"

	"unfold/models/gplvm"
	"unfold/models/kernel"
	"unfold/models/scg"
	"unfold/sparse/vec"
)

// mistakes counts rows whose nearest other on the map has another label.
func mistakes(x vec.Matrix[float64], label []int) (wrong int) {
	for i := range x.Rows {
		best, at := math.Inf(1), i
		for j := range x.Rows {
			if d := vec.SquaredDistance(x.Row(i), x.Row(j)); j != i && d < best {
				best, at = d, j
			}
		}
		if label[i] != label[at] {
			wrong++
		}
	}
	return wrong
}

// learnt is a map with its kernel and likelihood.
type learnt struct {
	model  *gplvm.Model
	point  *gplvm.Point
	loglik float64
}

// full learns all rows of y from places x on, principal components if there are none.
func (b *bench) full(ctx context.Context, name string, y, x vec.Matrix[float64], steps int) (*learnt, error) {
	return b.by(ctx, (*gplvm.Model).Learn, name, y, x, steps)
}

// way is how a model learns.
type way func(*gplvm.Model, context.Context, *gplvm.Point, scg.Settings) (scg.Result, error)

// by is full in a way of choice.
func (b *bench) by(ctx context.Context, learn way, name string, y, x vec.Matrix[float64], steps int) (*learnt, error) {
	k, err := kernel.Parse(name)
	if err != nil {
		return nil, err
	}
	m, err := gplvm.New(k, y, b.threads)
	if err != nil {
		return nil, err
	}
	p := &gplvm.Point{Theta: k.Start(), X: x}
	if x.Rows == 0 {
		if p.X, err = m.PCA(2); err != nil {
			return nil, err
		}
	}
	r, err := learn(m, ctx, p, scg.Settings{Steps: steps, StepTolerance: 1e-4, ValueTolerance: 1e-4})
	return &learnt{m, p, -r.F}, err
}

// sparse learns all rows of y by Algorithm 1 and returns the places.
func (b *bench) sparse(ctx context.Context, name string, y vec.Matrix[float64], active, rounds int) (vec.Matrix[float64], error) {
	k, err := kernel.Parse(name)
	if err != nil {
		return vec.Matrix[float64]{}, err
	}
	m, err := gplvm.New(k, y, b.threads)
	if err != nil {
		return vec.Matrix[float64]{}, err
	}
	p := &gplvm.Point{Theta: k.Start()}
	if p.X, err = m.PCA(2); err != nil {
		return p.X, err
	}
	s := gplvm.NewSparse(k, gplvm.Gaussian{Variance: gplvm.DefaultVariance}, y, b.threads)
	_, err = s.Learn(ctx, p, gplvm.SparseSettings{Active: active, Rounds: rounds})
	return p.X, err
}

// moved returns places moved at random, by half their spread.
func moved(x vec.Matrix[float64], seed uint64) vec.Matrix[float64] {
	rnd := rand.New(rand.NewPCG(seed, 9))
	out := x.Clone()
	for i := range out.Data {
		out.Data[i] += 0.5 * rnd.NormFloat64()
	}
	return out
}

// whitened returns places with mean 0 and variance 1 in each coordinate.
func whitened(x vec.Matrix[float64]) vec.Matrix[float64] {
	out := x.Clone()
	n := float64(x.Rows)
	for c := range x.Cols {
		sum, squares := 0.0, 0.0
		for i := range x.Rows {
			sum += x.Row(i)[c] / n
		}
		for i := range x.Rows {
			d := x.Row(i)[c] - sum
			squares += d * d / n
		}
		for i := range x.Rows {
			out.Row(i)[c] = (x.Row(i)[c] - sum) / math.Sqrt(squares)
		}
	}
	return out
}

// standardized returns y with mean 0 and a mean square of 1 over all elements.
func standardized(y vec.Matrix[float64]) vec.Matrix[float64] {
	out := y.Clone()
	for c := range y.Cols {
		mean := 0.0
		for i := range y.Rows {
			mean += y.Row(i)[c] / float64(y.Rows)
		}
		for i := range y.Rows {
			out.Row(i)[c] -= mean
		}
	}
	vec.Scale(math.Sqrt(float64(len(out.Data))/vec.SquaredNorm(out.Data)), out.Data)
	return out
}
