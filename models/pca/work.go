package pca

import (
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// Rates are what parts of the work of Fit take on this machine, in seconds.
type Rates struct {
	// Product is a multiplication and addition in a product of matrices, Turn one in
	// finding an orthonormal basis, and Dense an element of a matrix times its order, in
	// finding all its eigenvectors.
	Product, Turn, Dense float64
}

// usualRounds is about how many rounds the iteration takes. Data whose variances
// hardly fall take up to maxRounds.
const usualRounds = 12

// usualWide is about how many rounds it takes for many components.
const usualWide = 2

// Sizes of what MeasureRates does, some milliseconds each; the best of some counts.
const (
	rateRows, rateColumns, rateSpace = 192, 1024, 64
	rateTrials                       = 3
)

// MeasureRates measures them, in some hundredths of a second.
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

// Seconds returns about how long Fit takes for q components of n rows of dim columns, if
// they are Dual or Applied.
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

// iteration is what rounds for q eigenvectors of a matrix of that order take, of which a
// product with a vector takes so many multiplications an element.
func (r Rates) iteration(order, product float64, q int) float64 {
	m := float64(carried(q))
	rounds, space, images := float64(usualRounds), (depth+1)*m, float64(depth)
	if wide(int(order), q) {
		rounds, space, images = usualWide, m, powers
	}
	return rounds * (r.Product*(product*order*(images*m+space)+order*space*(space+2*m)) +
		r.Turn*2*order*(images*m*m+space*space) + r.Dense*space*space*space)
}
