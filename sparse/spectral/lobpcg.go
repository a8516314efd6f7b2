package spectral

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/solve"
)

// guard is the number of additional vectors, without which the last requested one would converge
// slowly.
const guard = 2

// lost is the part of the largest eigenvalue of a Gram matrix of unit vectors below which a
// direction is only rounding error.
const lost = 1e-12

// lobpcg is the state of the iteration. The blocks of the basis are the vectors x (orthonormal),
// their preconditioned residuals w, and the last change p of x.
type lobpcg struct {
	*problem
	factor *solve.Factor
	basis  *basis
	blocks int     // of the basis that are in use
	norm   float64 // of L, for rounding
	near   bool    // rounding might be felt in the residual
	theta  []float64
	r      vec.Matrix[float64] // L x - x theta
	norms  []float64           // squared, of the columns of r
}

// iterate runs LOBPCG with count+guard vectors.
func iterate(ctx context.Context, p *problem, count int, s Settings) (*Result, error) {
	n, m := p.w.N, count+guard
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	it := &lobpcg{problem: p, basis: newBasis(n, m, 3, s.Threads), r: vec.New[float64](n, m)}
	it.basis.kernel = p.root
	par.Do(s.Threads, 2, func(task int) {
		if task == 0 { // on one thread, and the longest part
			it.factor = solve.NewFactor(p.unscaled(), m, s.Seed, s.Threads)
			return
		}
		it.draw(s.Seed)
	})
	for _, v := range p.a.Diagonal {
		it.norm = max(it.norm, 2*v)
	}
	if err := it.start(s.Seed); err != nil {
		return nil, err
	}
	res := &Result{}
	var floor floor
	for {
		res.Residual, res.Converged = it.residual(count, s.Tolerance)
		if s.Progress != nil {
			s.Progress(res.Iterations, res.Residual)
		}
		if res.Converged || res.Iterations >= s.MaxIterations {
			break
		}
		if (floor.steps > 0 || it.rounded(count)) && floor.reached(it, res.Residual) {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		res.Iterations++
		it.precondition(1)
		if err := it.ritz(); err != nil {
			return nil, err
		}
	}
	x, theta := it.basis.s[0], it.theta
	if !res.Converged && floor.steps > 0 {
		res.Converged, res.Rounding = floor.steps > patience, floor.steps > patience
		if floor.least < res.Residual {
			x, theta, res.Residual = floor.x, floor.theta, floor.least
		}
	}
	res.Values = append([]float64(nil), theta[:count]...)
	res.Vectors = vec.New[float64](n, count)
	for i := range n {
		copy(res.Vectors.Row(i), x.Row(i)[:count])
	}
	return res, nil
}

// A residual is a difference of numbers as large as L, so that rounding leaves errors of a few
// units epsilon |L|. If all residuals are once within nearby units, and the smallest is then not
// halved in patience iterations, only rounding errors are iterated, which may even grow.
const (
	epsilon  = 0x1p-52
	nearby   = 256
	patience = 10
)

// floor is the smallest residual, and its vectors, once rounding is near.
type floor struct {
	least, mark float64 // the least residual, and that which has to be halved
	steps       int     // since that, from 1 on
	x           vec.Matrix[float64]
	theta       []float64
}

// rounded reports whether the residuals of the first count columns are near rounding.
func (it *lobpcg) rounded(count int) bool {
	for _, v := range it.norms[:count] {
		if math.Sqrt(v) > nearby*epsilon*it.norm {
			return false
		}
	}
	return true
}

// reached is called with each residual and reports whether it has stopped falling.
func (f *floor) reached(it *lobpcg, residual float64) bool {
	if f.steps == 0 || residual < f.least {
		if f.least = residual; f.x.Rows == 0 {
			f.x = vec.New[float64](it.r.Rows, it.r.Cols)
		}
		copy(f.x.Data, it.basis.s[0].Data)
		f.theta = append(f.theta[:0], it.theta...)
	}
	if f.steps == 0 || residual < f.mark/2 {
		f.mark, f.steps = residual, 0
	}
	f.steps++
	return f.steps > patience
}

// draw sets r to random vectors without mean.
func (it *lobpcg) draw(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0x5bec7a1))
	for k := range it.r.Data {
		it.r.Data[k] = r.NormFloat64()
	}
	it.basis.center(it.r)
}

// smoothings is the number of times that random vectors are smoothed. The second one saves an
// iteration, which costs more; a third one saves nothing.
const smoothings = 2

// start smooths the random vectors with the preconditioner, as often as they stay independent. In a
// graph of weakly joined groups, smoothing leaves only vectors that are constant on each group. If
// these are fewer than the requested vectors, the rest is rounding error.
func (it *lobpcg) start(seed uint64) (err error) {
	for times := smoothings; times >= 0; times-- {
		if times < smoothings {
			it.draw(seed)
		}
		for range times {
			it.precondition(0)
			it.r, it.basis.s[0] = it.basis.s[0], it.r
		}
		it.r, it.basis.s[0] = it.basis.s[0], it.r
		if times == 0 {
			it.a.Mul(it.basis.ls[0], it.basis.s[0], it.basis.threads)
		}
		if err = it.ritz(); !errors.Is(err, errRank) {
			return err
		}
	}
	return err
}

// errRank reports that a basis spans fewer directions than requested.
var errRank = errors.New("spectral: the start has too few directions; is the graph connected?")

// precondition sets the last block in use, which is block, to an approximate solution y of L y = r,
// without its mean and its part in x, if x is set. Images of the other blocks are combinations of
// earlier ones until rounding might matter. With masses it is R L^-1 R r, and r is overwritten.
func (it *lobpcg) precondition(block int) {
	b := it.basis
	it.blocks = max(it.blocks, block+1)
	it.scale(it.r)
	it.factor.Apply(b.s[block], it.r)
	it.scale(b.s[block])
	if block == 0 {
		b.center(b.s[0])
	} else {
		b.center(b.s[block], b.s[0])
		if it.near { // the remainder is small compared with the removed part
			b.center(b.s[block], b.s[0])
		}
	}
	for k := range b.s {
		if k == block || block > 0 && it.near {
			it.a.Mul(b.ls[k], b.s[k], b.threads)
		}
	}
}

// residual returns the largest relative residual of the first count columns.
func (it *lobpcg) residual(count int, tolerance float64) (float64, bool) {
	worst, converged := 0.0, true
	for c := range count {
		norm := math.Sqrt(it.norms[c])
		worst = max(worst, norm/it.theta[c])
		converged = converged && norm <= tolerance*it.theta[c]+8*epsilon*it.norm
		it.near = it.near || norm <= 1e8*epsilon*it.norm
	}
	return worst, converged
}

// ritz replaces x by the m lowest Ritz vectors of the space of all blocks, and p by their parts
// outside the old x.
func (it *lobpcg) ritz() error {
	b, m := it.basis, it.basis.m
	g, h := b.gram(it.blocks)
	t := whiten(g)
	if t == nil {
		return errUnsolved
	}
	_, rank := t.Dims()
	if rank < m {
		return errRank
	}
	var ht, tht mat.Dense
	ht.Mul(h, t)
	tht.Mul(t.T(), &ht)
	small := mat.NewSymDense(rank, nil)
	for i := range rank {
		for j := i; j < rank; j++ {
			small.SetSym(i, j, (tht.At(i, j)+tht.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(small, true) {
		return errUnsolved
	}
	var v, c mat.Dense
	e.VectorsTo(&v)
	c.Mul(t, v.Slice(0, rank, 0, m))
	it.theta = append(it.theta[:0], e.Values(nil)[:m]...)
	it.norms = b.combine(it.blocks, &c, it.theta, it.r)
	if it.blocks > 1 {
		it.blocks = 3
	}
	return nil
}

// whiten returns T with T'G T = I, whose columns span the directions that are not lost in rounding
// once G is scaled to a unit diagonal: D^(-1/2) V Lambda^(-1/2) with D^(-1/2) G D^(-1/2) = V Lambda
// V'. It returns nil if there are none.
func whiten(g *mat.SymDense) *mat.Dense {
	n := g.SymmetricDim()
	scale := make([]float64, n)
	for i := range scale {
		if v := g.At(i, i); v > 0 {
			scale[i] = 1 / math.Sqrt(v)
		}
	}
	unit := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			unit.SetSym(i, j, scale[i]*g.At(i, j)*scale[j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(unit, true) {
		return nil
	}
	values := e.Values(nil) // ascending
	first := 0
	for first < n && !(values[first] > lost*values[n-1]) {
		first++
	}
	if first == n {
		return nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	t := mat.DenseCopyOf(v.Slice(0, n, first, n))
	t.Apply(func(i, j int, u float64) float64 { return scale[i] * u / math.Sqrt(values[first+j]) }, t)
	return t
}
