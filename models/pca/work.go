package pca

import (
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// Rates are the times of the parts of Fit on this machine, in seconds.
type Rates struct {
	// Product is the time of a multiply-add in a product of matrices, and Turn of one in computing
	// an orthonormal basis. Dense is the time of computing all eigenvectors of a matrix, divided by
	// the cube of its order.
	Product, Turn, Dense float64
}

// usualRounds is the typical number of rounds of the iteration. Data with almost equal variances
// take up to maxRounds.
const usualRounds = 12

// usualWide is the typical number of rounds for many components.
const usualWide = 2

// These are the sizes of the measurements, some milliseconds each; the fastest trial counts.
const (
	rateRows, rateColumns, rateSpace = 192, 1024, 64
	rateTrials                       = 3
)

// MeasureRates measures the rates, in some hundredths of a second.
func MeasureRates(threads int) (r Rates) {
	rng := rand.New(rand.NewPCG(1, 0x9ca))
	draw := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		for i := range a.RawMatrix().Data {
			a.RawMatrix().Data[i] = rng.NormFloat64()
		}
		return a
	}
	best := func(rate *float64, work float64, do func()) {
		begin := time.Now()
		do()
		if took := time.Since(begin).Seconds() / work; *rate == 0 || took < *rate {
			*rate = took
		}
	}
	for range rateTrials {
		x := draw(rateRows, rateColumns)
		var g *mat.Dense
		best(&r.Product, rateRows*rateRows*rateColumns, func() { g = times(threads, blas.NoTrans, x, mat.DenseCopyOf(x.T())) })
		best(&r.Turn, 2*rateColumns*rateSpace*rateSpace, func() { orthonormal(draw(rateColumns, rateSpace)) })
		s := mat.NewSymDense(rateRows, g.RawMatrix().Data)
		best(&r.Dense, rateRows*rateRows*rateRows, func() { _, _, _ = leading(s, rateSpace) })
	}
	return r
}

// Seconds returns the approximate duration of Fit for q components of n rows of dim columns, if
// their form is Dual or Applied.
func (r Rates) Seconds(n, dim, q int) float64 {
	rows, columns, wide := float64(n), float64(dim), float64(q)
	if FormOf(n, dim, q) == Applied {
		return r.iteration(columns, 2*rows, q)
	}
	few := min(n, q)
	t := r.Product*(rows*rows*columns/2+3*rows*columns*wide+2*columns*wide*wide) + r.Turn*2*columns*wide*wide + r.Dense*wide*wide*wide
	if whole(n, few) {
		return t + r.Dense*rows*rows*rows
	}
	return t + r.iteration(rows, rows, few)
}

// Iterates reports whether Fit computes q eigenvectors of the covariance of dim columns by iteration,
// not all of them at once.
func Iterates(dim, q int) bool { return !whole(dim, q) }

// Iterating returns the approximate duration of computing q eigenvectors of the covariance of dim
// columns, if Fit iterates.
func (r Rates) Iterating(dim, q int) float64 {
	return r.iteration(float64(dim), float64(dim), q)
}

// iteration returns the time of the rounds for q eigenvectors of a matrix of that order; product is
// the number of multiplications of a product with a vector.
func (r Rates) iteration(order, product float64, q int) float64 {
	m := float64(carried(q))
	rounds, space, images := float64(usualRounds), (depth+1)*m, float64(depth)
	if wide(int(order), q) {
		rounds, space, images = usualWide, m, powers
	}
	return rounds * (r.Product*product*order*(images*m+space) + r.round(order, m, space, images))
}

// round returns the time of a round besides products with the matrix, which are images*m+space.
func (r Rates) round(order, m, space, images float64) float64 {
	return r.Product*order*space*(space+2*m) + r.Turn*2*order*(images*m*m+space*space) + r.Dense*space*space*space
}
