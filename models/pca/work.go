package pca

import (
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// Rates are the times of the parts of Fit on this machine, in seconds.
type Rates struct {
	// Product is the time of a multiply-add in a product of matrices, and Turn of one in computing
	// an orthonormal basis. Dense is the time of computing all eigenvectors of a matrix, divided by
	// the cube of its order.
	Product, Turn, Dense float64
	// Tall is the time of a multiply-add in a product of the rows themselves, which are centred first
	// and do not stay in the cache. Projected is that of one in Projector.Apply.
	Tall, Projected float64
}

// usualRounds is the typical number of rounds of the iteration. Rows with groups or a decaying spectrum
// took 1 to 7, noise alone 8; more components of almost equal variances take up to maxRounds.
const usualRounds = 5

// usualWide is the typical number of rounds for many components, usualDual that of the products of few
// rows, whose eigenvalues lie closer together.
const usualWide, usualDual = 2, 4

// These are the sizes of the measurements, some milliseconds each; the fastest trial counts. They are
// repeated rateTrials times, and further in rateTime: if other processes run, three may all be slow.
const (
	rateRows, rateColumns, rateSpace = 192, 1024, 64
	tallColumns                      = 8192 // more than a cache holds
	rateTrials, mostTrials           = 3, 12
	rateTime                         = 100 * time.Millisecond
)

// MeasureRates measures the rates, in about a tenth of a second.
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
	// Drawing, and the pages of new matrices, are no work of Fit.
	x, space, g := draw(rateRows, rateColumns), draw(tallColumns, rateSpace), mat.NewDense(rateRows, rateRows, nil)
	flat, to := vec.New[float32](rateRows, tallColumns), NewProjector(make([]float32, tallColumns), vec.New[float32](rateSpace, tallColumns))
	turned, basis := mat.DenseCopyOf(x.T()), mat.NewDense(tallColumns, rateSpace, nil)
	first := time.Now()
	for trial := range mostTrials {
		if trial >= rateTrials && time.Since(first) > rateTime {
			break
		}
		best(&r.Product, rateRows*rateRows*rateColumns, func() { multiply(threads, blas.NoTrans, x.RawMatrix(), turned.RawMatrix(), 0, g.RawMatrix()) })
		best(&r.Tall, rateRows*tallColumns*rateSpace, func() {
			c := &covariance{x: flat, mean: make([]float64, tallColumns), threads: threads}
			c.addTransposed(mat.NewDense(tallColumns, rateSpace, nil).RawMatrix(), g.Slice(0, rateRows, 0, rateSpace).(*mat.Dense).RawMatrix(), 0)
		})
		best(&r.Projected, rateRows*tallColumns*rateSpace, func() { to.Apply(flat, threads) })
		basis.Copy(space)
		best(&r.Turn, 2*tallColumns*rateSpace*rateSpace, func() { orthonormal(basis) })
		s := mat.NewSymDense(rateRows, slices.Clone(g.RawMatrix().Data))
		best(&r.Dense, rateRows*rateRows*rateRows, func() { _, _, _ = leading(s, rateSpace) })
	}
	return r
}

// Seconds returns the approximate duration of Fit for q components of n rows of dim columns, and of
// projecting the rows.
func (r Rates) Seconds(n, dim, q int) float64 {
	return r.fitting(n, dim, q) + r.Projected*float64(n)*float64(dim)*float64(q)
}

// fitting returns the time of Fit.
func (r Rates) fitting(n, dim, q int) float64 {
	rows, columns, width := float64(n), float64(dim), float64(q)
	switch FormOf(n, dim, q) {
	case Applied:
		return r.iteration(columns, 2*rows, q)
	case Primal:
		formed := r.Product * rows * columns * columns / 2
		if whole(dim, q) {
			return formed + r.Dense*columns*columns*columns
		}
		return formed + r.iteration(columns, columns, q)
	}
	few := min(n, q)
	t := r.Product*rows*rows*columns/2 + r.Tall*(3*rows*columns*width+2*columns*width*width) + r.Turn*2*columns*width*width + r.Dense*width*width*width
	if whole(n, few) {
		return t + r.Dense*rows*rows*rows
	}
	if wide(n, few) {
		return t + usualDual*r.iteration(rows, rows, few)/usualWide
	}
	return t + r.iteration(rows, rows, few)
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
