package baseline

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/pca"
	"unfold/models/placing"
)

const (
	// topographicSteps is the maximum number of iterations. They end earlier at a gain of
	// gainTolerance in the penalised log-likelihood, by element of a vector.
	topographicSteps = 300
	gainTolerance    = 1e-8
	// leastNoise is the lower bound of the variance 1/beta, in units, since vectors may lie exactly
	// on the sheet.
	leastNoise = 1e-10
	// leastSingular is the share of the first singular value below which others are rounding
	// errors.
	leastSingular = 1e-10
	// sumParts is the number of separate partial sums over vectors, for any number of threads.
	sumParts = 16
)

// learnTopographic fits a map to the rows of x by EM, starting at principal components.
func learnTopographic(ctx context.Context, x vec.Matrix[float32], s Settings) (*topographic, course, error) {
	if err := enough(GTM, s.Dims, x.Cols); err != nil {
		return nil, course{}, err
	}
	t, u := newTopographic(s), unitsOf(x)
	t.mean = u.Shift
	if err := t.begin(ctx, x, u, s); err != nil {
		return nil, course{}, err
	}
	c, err := t.climb(ctx, x, u, s)
	if err != nil {
		return nil, c, err
	}
	// Densities in the data's units are those in the map's units times scale^q.
	more := float64(len(x.Data)) * math.Log(u.Scale)
	c.initial, c.loglik = c.initial+more, c.loglik+more
	vec.Scale(1/u.Scale, t.weights.Data)
	t.variance /= u.Scale * u.Scale
	t.loglik = c.loglik
	t.mapNodes()
	return t, c, nil
}

// course is the result of an iterative fit.
type course struct {
	iterations int
	converged  bool
	// initial and loglik are the log-likelihoods before and after. penalised has the values of all
	// iterations, including the prior.
	initial, loglik float64
	penalised       []float64
}

// begin maps the latent points linearly to the plane of the first principal components, with the
// variances of these, as closely as the basis functions allow. The noise is the variance of the
// next component, or the square of half the spacing of the points if that is larger.
func (t *topographic) begin(ctx context.Context, x vec.Matrix[float32], u placing.Units, s Settings) error {
	d, q := s.Dims, x.Cols
	p, err := pca.Fit(ctx, x, min(d+1, q), pca.Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return err
	}
	// Latent points have a mean square of square/K along an axis.
	square := columnSquares(t.nodes)[0] / float64(t.nodes.Rows)
	stretch := func(c int) float64 { return u.Scale * math.Sqrt(max(0, p.Variance[c])/square) }
	plane := mat.NewDense(t.nodes.Rows, q, nil)
	for k := range t.nodes.Rows {
		row := plane.RawRowView(k)
		for c := range d {
			for e, v := range p.Components.Row(c) {
				row[e] += t.nodes.Row(k)[c] * stretch(c) * float64(v)
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(t.design(), mat.SVDThin) {
		return errUnsolved
	}
	var w mat.Dense
	svd.SolveTo(&w, plane, svd.Rank(leastSingular))
	t.setWeights(&w)
	half := t.grid.spacing() * stretch(0) / 2
	t.variance = max(leastNoise, half*half)
	if d < q {
		t.variance = max(t.variance, u.Scale*u.Scale*p.Variance[d])
	}
	return nil
}

// design returns the matrix of basis functions at the latent points, Phi, K x (B+1).
func (t *topographic) design() *mat.Dense {
	phi := mat.NewDense(t.nodes.Rows, t.centres.Rows+1, nil)
	for k := range t.nodes.Rows {
		t.basis(phi.RawRowView(k), t.nodes.Row(k))
	}
	return phi
}

// setWeights sets W and the images of the latent points.
func (t *topographic) setWeights(w *mat.Dense) {
	rows, cols := w.Dims()
	t.weights = vec.New[float64](rows, cols)
	for b := range rows {
		copy(t.weights.Row(b), w.RawRowView(b))
	}
	t.mapNodes()
}

// climb iterates EM until the gain is below the tolerance.
func (t *topographic) climb(ctx context.Context, x vec.Matrix[float32], u placing.Units, s Settings) (course, error) {
	var c course
	phi := t.design()
	for {
		e, err := t.expect(ctx, x, u, s.Threads)
		if err != nil {
			return c, err
		}
		now := e.loglik - s.Ridge/2*vec.SquaredNorm(t.weights.Data)
		c.penalised, c.loglik = append(c.penalised, now), e.loglik
		if c.iterations == 0 {
			c.initial = e.loglik
		} else {
			c.converged = now-c.penalised[c.iterations-1] <= gainTolerance*float64(len(x.Data))
		}
		if c.converged || c.iterations >= s.Steps {
			return c, nil
		}
		if err := t.maximize(e, phi, s.Ridge); err != nil {
			return c, err
		}
		c.iterations++
	}
}

// sums has the sums over vectors that the M step needs.
type sums struct {
	share  []float64           // g_k = sum_j r_jk
	vector vec.Matrix[float64] // sum_j r_jk y_j, K x q
	square float64             // sum_j |y_j|^2
	loglik float64             // (10)
	n      int
}

func newSums(k, q int) *sums {
	return &sums{share: make([]float64, k), vector: vec.New[float64](k, q)}
}

func (e *sums) add(o *sums) {
	vec.Axpy(1, o.share, e.share)
	vec.Axpy(1, o.vector.Data, e.vector.Data)
	e.square, e.loglik, e.n = e.square+o.square, e.loglik+o.loglik, e.n+o.n
}

// expect is the E step. It computes the responsibilities of one vector at a time and adds them to
// the sums.
func (t *topographic) expect(ctx context.Context, x vec.Matrix[float32], u placing.Units, threads int) (*sums, error) {
	size := par.Pieces(x.Rows, sumParts)
	parts := make([]*sums, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(p, from, to int) {
		e := newSums(t.image.Rows, t.image.Cols)
		parts[p] = e
		r, y := make([]float64, t.image.Rows), make([]float64, x.Cols)
		for j := from; j < to && ctx.Err() == nil; j++ {
			u.Apply(y, x.Row(j))
			e.loglik += t.respond(r, y)
			e.square += vec.SquaredNorm(y)
			for k, v := range r {
				if v > 0 { // it underflows far away
					e.share[k] += v
					vec.Axpy(v, y, e.vector.Row(k))
				}
			}
		}
		e.n = to - from
	})
	all := newSums(t.image.Rows, t.image.Cols)
	for _, e := range parts {
		all.add(e)
	}
	return all, ctx.Err()
}

// maximize is the M step: W by (12), and then beta by (13).
func (t *topographic) maximize(e *sums, phi *mat.Dense, ridge float64) error {
	k, b := phi.Dims()
	normal := mat.NewSymDense(b, nil)
	for i := range b {
		normal.SetSym(i, i, ridge*t.variance)
	}
	for i := range k {
		normal.SymRankOne(normal, e.share[i], phi.RowView(i))
	}
	var right, w mat.Dense
	right.Mul(phi.T(), mat.NewDense(k, e.vector.Cols, e.vector.Data))
	var chol mat.Cholesky
	if !chol.Factorize(normal) || chol.SolveTo(&w, &right) != nil {
		return fmt.Errorf("the basis functions are too much alike: give fewer or narrower ones, or a ridge above %g", ridge)
	}
	t.setWeights(&w)
	left := e.square
	for i := range k {
		image := t.image.Row(i)
		left += e.share[i]*vec.SquaredNorm(image) - 2*vec.Dot(image, e.vector.Row(i))
	}
	t.variance = max(leastNoise, left/float64(e.n*e.vector.Cols))
	return nil
}
