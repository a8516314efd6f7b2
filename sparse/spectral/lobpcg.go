package spectral

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"unfold/sparse"
	"unfold/sparse/solve"
	"unfold/sparse/vec"
)

const (
	// guard vectors beside those asked for keep the last of them from
	// converging slowly.
	guard = 3
	// sweeps of conjugate gradients that precondition a residual: more do not save
	// an iteration.
	sweeps = 2
)

// lobpcg is the state of the iteration: x are the vectors (orthonormal), lx is
// L x, theta their Rayleigh quotients, p the last change.
type lobpcg struct {
	a     *solve.Laplacian
	cg    *solve.CG
	basis basis
	norm  float64 // of L, for rounding
	x, lx vec.Matrix[float64]
	p     vec.Matrix[float64]
	theta []float64
	r     vec.Matrix[float64]
}

// iterate runs LOBPCG with count+guard vectors.
func iterate(ctx context.Context, w *sparse.CSR, count int, s Settings) (*Result, error) {
	n, m := w.N, count+guard
	it := &lobpcg{
		a:     solve.NewLaplacian(w, nil),
		cg:    solve.NewCG(n, m, solve.Settings{Tolerance: 0.1, MaxIterations: sweeps, Preconditioner: solve.Cholesky, Threads: s.Threads}),
		basis: basis{threads: s.Threads},
		r:     vec.New[float64](n, m),
	}
	for _, v := range it.a.Diagonal {
		it.norm = max(it.norm, 2*v)
	}
	if err := it.start(ctx, m, s.Seed); err != nil {
		return nil, err
	}
	res := &Result{}
	for {
		res.Residual, res.Converged = it.residual(count, s.Tolerance)
		if s.Progress != nil {
			s.Progress(res.Iterations, res.Residual)
		}
		if res.Converged || res.Iterations >= s.MaxIterations {
			break
		}
		res.Iterations++
		if err := it.improve(ctx); err != nil {
			return nil, err
		}
	}
	res.Values = append([]float64(nil), it.theta[:count]...)
	res.Vectors = vec.New[float64](n, count)
	for i := range n {
		copy(res.Vectors.Row(i), it.x.Row(i)[:count])
	}
	return res, nil
}

// start takes random vectors, smoothed by the preconditioner.
func (it *lobpcg) start(ctx context.Context, m int, seed uint64) error {
	n := it.a.W.N
	r := rand.New(rand.NewPCG(seed, 0x5bec7a1))
	for k := range it.r.Data {
		it.r.Data[k] = r.NormFloat64()
	}
	y, err := it.precondition(ctx)
	if err != nil {
		return err
	}
	q := it.basis.orthonormal(y)
	if q.Cols < m {
		return errors.New("spectral: the start has too few directions; is the graph connected?")
	}
	it.x, it.p = vec.New[float64](n, 0), vec.New[float64](n, 0)
	it.lx = vec.New[float64](n, 0)
	return it.ritz(q, m)
}

// precondition returns an approximate solution y of L y = r, without mean.
func (it *lobpcg) precondition(ctx context.Context) (vec.Matrix[float64], error) {
	center(it.r)
	y := vec.New[float64](it.r.Rows, it.r.Cols)
	_, err := it.cg.Solve(ctx, it.a, it.r, y)
	// On the singular L a search direction may vanish to rounding; what has
	// been found until then is a good preconditioned residual.
	if err != nil && !errors.Is(err, solve.ErrIndefinite) {
		return y, err
	}
	center(y)
	return y, nil
}

// residual sets r = L x - x theta and returns the largest relative residual of
// the first count columns.
func (it *lobpcg) residual(count int, tolerance float64) (float64, bool) {
	m := it.x.Cols
	sum := make([]float64, m)
	for i := range it.x.Rows {
		r, x, lx := it.r.Row(i), it.x.Row(i), it.lx.Row(i)
		for c := range m {
			r[c] = lx[c] - it.theta[c]*x[c]
			sum[c] += r[c] * r[c]
		}
	}
	worst, converged := 0.0, true
	for c := range count {
		norm := math.Sqrt(sum[c])
		worst = max(worst, norm/it.theta[c])
		converged = converged && norm <= tolerance*it.theta[c]+8*0x1p-52*it.norm
	}
	return worst, converged
}

// improve does one iteration: the best vectors in the span of x, the
// preconditioned residuals and p.
func (it *lobpcg) improve(ctx context.Context) error {
	w, err := it.precondition(ctx)
	if err != nil {
		return err
	}
	b := &it.basis
	y := b.join(w, it.p)
	b.scale(y) // so that rounding and rank are judged column by column
	b.remove(y, it.x)
	y = b.orthonormal(y)
	b.remove(y, it.x)
	y = b.orthonormal(y)
	return it.ritz(y, it.x.Cols)
}

// ritz replaces x by the m lowest Ritz vectors of the span of x and y, which
// together are orthonormal, and p by their parts in y.
func (it *lobpcg) ritz(y vec.Matrix[float64], m int) error {
	b := &it.basis
	ly := vec.New[float64](y.Rows, y.Cols)
	it.a.Mul(ly, y, b.threads)
	size := it.x.Cols + y.Cols
	h := mat.NewSymDense(size, nil)
	put := func(at, to int, g *mat.Dense) {
		rows, cols := g.Dims()
		for i := range rows {
			for j := range cols {
				if at+i <= to+j {
					h.SetSym(at+i, to+j, g.At(i, j))
				}
			}
		}
	}
	if it.x.Cols > 0 {
		put(0, 0, b.gram(it.x, it.lx))
		put(0, it.x.Cols, b.gram(it.x, ly))
	}
	put(it.x.Cols, it.x.Cols, b.gram(y, ly))
	var e mat.EigenSym
	if !e.Factorize(h, true) {
		return errors.New("spectral: the small eigenvalue problem did not converge; are all weights finite?")
	}
	var c mat.Dense
	e.VectorsTo(&c)
	it.theta = append(it.theta[:0], e.Values(nil)[:m]...)
	cy := c.Slice(it.x.Cols, size, 0, m)
	p, lp := b.combine(y, cy), b.combine(ly, cy)
	if it.x.Cols == 0 {
		it.x, it.lx, it.p = p, lp, vec.New[float64](y.Rows, 0)
		return nil
	}
	cx := c.Slice(0, it.x.Cols, 0, m)
	x, lx := b.combine(it.x, cx), b.combine(it.lx, cx)
	for k, v := range p.Data {
		x.Data[k] += v
		lx.Data[k] += lp.Data[k]
	}
	it.x, it.lx, it.p = x, lx, p
	return nil
}

// center subtracts the mean of every column.
func center(x vec.Matrix[float64]) {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			mean[c] += v
		}
	}
	for c := range mean {
		mean[c] /= float64(x.Rows)
	}
	for i := range x.Rows {
		row := x.Row(i)
		for c, v := range mean {
			row[c] -= v
		}
	}
}
