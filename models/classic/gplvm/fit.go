package gplvm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

// Point is a point at which the likelihood is evaluated: the parameters of the kernel and the
// places, N x q.
type Point struct {
	Theta []float64
	X     vec.Matrix[float64]
}

// free returns the point as the vector of an optimiser: theta', then X by rows.
func (p *Point) free() []float64 {
	v := make([]float64, len(p.Theta)+len(p.X.Data))
	kernel.Free(v, p.Theta)
	copy(v[len(p.Theta):], p.X.Data)
	return v
}

// set is the inverse of free.
func (p *Point) set(v []float64) {
	kernel.Positive(p.Theta, v[:len(p.Theta)])
	copy(p.X.Data, v[len(p.Theta):])
}

// Objective returns the function that optimisers minimise: minus the likelihood with the prior, as
// a function of theta' and X by rows. Each call sets p. The value is infinite if parameters
// underflow or overflow, so that there is no likelihood.
func (m *Model) Objective(p *Point) optimize.Function {
	v := &Value{Theta: make([]float64, len(p.Theta)), X: vec.New[float64](p.X.Rows, p.X.Cols)}
	value := &Value{}
	return func(x, grad []float64) (float64, error) {
		p.set(x)
		out := value
		if grad != nil {
			out = v
		}
		if err := m.Evaluate(out, p.Theta, p.X); err != nil {
			return math.Inf(1), nil
		}
		if out.Jitter > m.jitter {
			m.jitter = out.Jitter
		}
		if grad != nil {
			kernel.ToFree(v.Theta, p.Theta)
			for i, d := range v.Theta {
				grad[i] = -d
			}
			for i, d := range v.X.Data {
				grad[len(p.Theta)+i] = -d
			}
		}
		return -out.Total(), nil
	}
}

// Learn maximises the likelihood from p with scaled conjugate gradients.
func (m *Model) Learn(ctx context.Context, p *Point, s optimize.Settings) (optimize.Result, error) {
	return m.learn(ctx, p, s, optimize.Minimize)
}

// LearnLBFGS is Learn with optimize.LBFGS.
func (m *Model) LearnLBFGS(ctx context.Context, p *Point, s optimize.Settings) (optimize.Result, error) {
	return m.learn(ctx, p, s, optimize.LBFGS)
}

func (m *Model) learn(ctx context.Context, p *Point, s optimize.Settings, minimize func(context.Context, optimize.Function, []float64, optimize.Settings) (optimize.Result, error)) (optimize.Result, error) {
	x := p.free()
	r, err := minimize(ctx, m.Objective(p), x, s)
	p.set(x)
	if err != nil {
		return r, fmt.Errorf("learning the places: %w", err)
	}
	return r, nil
}

// PCA returns whitened principal components of the rows, N x q, the start of learning (3.2).
// Missing values are replaced by the means. The sign is such that the largest entry of each
// direction is positive. If the rows span fewer dimensions than q, components without variance are
// 0.
func (m *Model) PCA(q int) (vec.Matrix[float64], error) {
	if q < 1 || q > m.y.Cols || q >= m.y.Rows {
		return vec.Matrix[float64]{}, fmt.Errorf("%d dimensions of the map for %d points with %d values", q, m.y.Rows, m.y.Cols)
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(m.y.Rows, m.y.Cols, m.y.Data), mat.SVDThin) {
		return vec.Matrix[float64]{}, fmt.Errorf("the principal components of the rows did not converge")
	}
	var v mat.Dense
	svd.VTo(&v)
	values := svd.Values(nil)
	x := vec.New[float64](m.y.Rows, q)
	// Singular values below this are rounding errors, by which whitening would divide.
	least := values[0] * 0x1p-52 * float64(max(m.y.Rows, m.y.Cols))
	for c := range q {
		if values[c] <= least {
			break
		}
		largest := 0
		for j := range m.y.Cols {
			if math.Abs(v.At(j, c)) > math.Abs(v.At(largest, c)) {
				largest = j
			}
		}
		scale := math.Copysign(math.Sqrt(float64(m.y.Rows-1))/values[c], v.At(largest, c))
		for i := range m.y.Rows {
			for j, y := range m.y.Row(i) {
				x.Row(i)[c] += scale * y * v.At(j, c)
			}
		}
	}
	return x, nil
}

// DualPPCA returns the places that maximise the likelihood without the prior for the kernel x.x' +
// beta^-1 [same point] (section 2.3). With eigenvectors u_j and eigenvalues lambda_j of Y Y'/D, the
// columns are u_j (lambda_j - 1/beta)^(1/2). If noise is 0, the most likely one is used: the mean
// of the other eigenvalues. It returns the noise, and the eigenvalues in descending order.
func (m *Model) DualPPCA(q int, noise float64) (x vec.Matrix[float64], variance float64, values []float64, err error) {
	n := m.y.Rows
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1/float64(m.y.Cols), mat.NewDense(n, m.y.Cols, m.y.Data))
	var e mat.EigenSym
	if q < 1 || q >= n || !e.Factorize(s, true) {
		return x, 0, nil, fmt.Errorf("%d dimensions of the map for %d points, or their covariance has no eigenvectors", q, n)
	}
	var u mat.Dense
	e.VectorsTo(&u)
	ascending := e.Values(nil)
	for i := range ascending {
		values = append(values, ascending[n-1-i])
	}
	if noise == 0 {
		for _, v := range values[q:] {
			noise += v / float64(n-q)
		}
	}
	x = vec.New[float64](n, q)
	for c := range q {
		// An eigenvalue below the noise is noise (appendix B.1).
		length := math.Sqrt(max(0, values[c]-noise))
		for i := range n {
			x.Row(i)[c] = length * u.At(i, n-1-c)
		}
	}
	return x, noise, values, nil
}
