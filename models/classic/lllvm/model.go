package lllvm

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/multifrontal"
)

// Settings are the settings of a Model; the zero value works.
type Settings struct {
	// Dims is the dimension d of the map, 0 means 2.
	Dims int
	// Epsilon is the prior precision of the means of the linear maps C_i and of the data (eq 8,
	// 11); 0 means 1e-3.
	Epsilon float64
	// Alpha is the prior precision of x; 0 means 1e-3. With LearnAlpha, alpha is learnt instead,
	// from the value of Start (eq 72). The maximum is often at x = 0.
	Alpha      float64
	LearnAlpha bool
	// Threads bounds the goroutines; 0 means GOMAXPROCS. It does not change the result.
	Threads int
}

const (
	defaultDims    = 2
	defaultEpsilon = 1e-3
	defaultAlpha   = 1e-3
)

func (s Settings) withDefaults() Settings {
	if s.Dims == 0 {
		s.Dims = defaultDims
	}
	if s.Epsilon == 0 {
		s.Epsilon = defaultEpsilon
	}
	if s.Alpha == 0 {
		s.Alpha = defaultAlpha
	}
	return s
}

// Model is the variational bound for given data and graph, with the workspace of its maximisation.
// A Model is not safe for concurrent use, but several models may share one Graph concurrently.
type Model struct {
	set Settings
	g   *Graph
	y   vec.Matrix[float64] // n x dy
	// tl is tr(L Y'Y), sumY2 is |sum_i y_i|^2.
	tl, sumY2 float64

	sand *sandwich
	// moments has a block of <C'C> or <x x'> of a patch.
	moments vec.Matrix[float64]
	// at has, for each patch, latent coordinate and point, the row of the variable in the front.
	at [][][]int
	// b is <b> by coordinate, d x n; h is <H>, nd x dy.
	b, h vec.Matrix[float64]
}

// NewModel returns the model of the rows of y (n x dy), joined by g. The rows should be centred; y
// is kept without a copy. It returns an error if the shapes do not match, or if there are fewer
// than d+2 points, which are too few to learn from. A value that is not finite is a
// *models.RowError.
func NewModel(g *Graph, y vec.Matrix[float64], s Settings) (*Model, error) {
	s = s.withDefaults()
	switch {
	case y.Rows != g.Len():
		return nil, fmt.Errorf("%d rows for a graph of %d points", y.Rows, g.Len())
	case s.Dims < 1 || s.Dims > y.Cols:
		return nil, fmt.Errorf("%d dimensions of the map for vectors of %d", s.Dims, y.Cols)
	case y.Rows <= s.Dims+1:
		return nil, fmt.Errorf("%d points are too few for %d dimensions of the map: more than %d are needed", y.Rows, s.Dims, s.Dims+1)
	case !(s.Epsilon > 0) || !(s.Alpha > 0):
		return nil, fmt.Errorf("epsilon = %g and alpha = %g have to be positive", s.Epsilon, s.Alpha)
	}
	if err := models.CheckRows(y, nil); err != nil {
		return nil, err
	}
	_, largest := g.Patches()
	m := &Model{set: s, g: g, y: y, sand: newSandwich(largest, s.Threads), moments: vec.New[float64](largest, largest)}
	shape := multifrontal.Matrix{Tree: g.tree, Dims: s.Dims}
	for _, p := range g.parts {
		m.at = append(m.at, p.index(&shape))
	}
	m.b, m.h = vec.New[float64](s.Dims, g.Len()), vec.New[float64](m.size(), y.Cols)
	sum := make([]float64, y.Cols)
	for i, list := range g.Neighbors {
		vec.Axpy(1, y.Row(i), sum)
		for _, j := range list {
			m.tl += vec.SquaredDistance(y.Row(i), y.Row(int(j))) / 2
		}
	}
	m.sumY2 = vec.SquaredNorm(sum)
	return m, nil
}

// size is n d.
func (m *Model) size() int { return m.g.Len() * m.set.Dims }

func (m *Model) blas() gemm.Implementation { return gemm.Implementation{Threads: m.set.Threads} }

// UpdateX maximises the bound over q(x) (eq 45, 46):
//
//	Sigma_x^-1 = <A> + alpha I + 2 L,  mu_x = Sigma_x <b>.
//
// It returns the amount added to the diagonal to keep the matrix positive definite, usually 0.
func (m *Model) UpdateX(st *State) (jitter float64, err error) {
	a := st.CovX
	jitter, err = m.factor(a, func() {
		m.blocks(a, func(part, r, s int) vec.Matrix[float64] { return m.momentsC(st, part, r, s) }, 1, st.Gamma/2, precision)
		a.AddDiagonal(st.Alpha)
	})
	if err != nil {
		return jitter, fmt.Errorf("the precision of q(x): %w", err)
	}
	m.linearX(st)
	n, mu := m.g.Len(), vec.New[float64](m.size(), 1)
	copy(mu.Data, m.b.Data)
	logDet := a.LogDet()
	if !m.g.exact() {
		a.Solve(mu, m.set.Threads)
	}
	a.Invert(m.set.Threads)
	if m.g.exact() {
		m.times(a.Fronts[0], mu)
	}
	for r := range m.set.Dims {
		for i := range n {
			st.MuX.Row(i)[r] = mu.Data[r*n+i]
		}
	}
	st.kl[ofX] = m.priorX(st, -logDet)
	trace, square := m.norms(st)
	linear := vec.Dot(mu.Data, m.b.Data)
	// <A> = Sigma_x^-1 - Pi^-1, so <e' Sigma_y e> = tr <A>(Sigma_x + mu mu') = gamma/2 T follows
	// from terms that are already computed.
	st.t = 2 / st.Gamma * (float64(m.size()) - st.kl[ofX].trace + linear - st.kl[ofX].square - jitter*(trace+square))
	st.th = linear / st.Gamma
	return jitter, m.finish(st, "q(x)")
}

// UpdateC maximises the bound over q(C) (eq 58, 59):
//
//	Sigma_C^-1 = <Gamma> + epsilon 1 1' + 2 L,  mu_C = gamma <H> Sigma_C.
func (m *Model) UpdateC(st *State) (jitter float64, err error) {
	a := st.CovC
	jitter, err = m.factor(a, func() {
		m.blocks(a, func(part, r, s int) vec.Matrix[float64] { return m.momentsX(st, part, r, s) }, -1, st.Gamma/2, m.precisionC)
		m.addAnchor(a)
	})
	if err != nil {
		return jitter, fmt.Errorf("the precision of q(C): %w", err)
	}
	m.linearC(st)
	for k, v := range m.h.Data {
		st.MuC.Data[k] = st.Gamma * v
	}
	logDet := a.LogDet()
	if !m.g.exact() {
		a.Solve(st.MuC, m.set.Threads)
	}
	more, err := m.withOnes(st)
	if err != nil {
		return jitter, fmt.Errorf("the precision of q(C): %w", err)
	}
	logDet += more
	nd, dy := m.size(), m.y.Cols
	st.kl[ofC] = m.priorC(st, -logDet)
	st.th = vec.Dot(st.MuC.Data, m.h.Data)
	st.t = 2 / st.Gamma * (float64(dy)*(float64(nd)-st.kl[ofC].trace) + st.Gamma*st.th - st.kl[ofC].square)
	if jitter > 0 {
		st.t -= 2 / st.Gamma * jitter * (float64(dy)*st.CovC.Trace() + vec.SquaredNorm(st.MuC.Data))
	}
	return jitter, m.finish(st, "q(C)")
}

// UpdateGamma maximises the bound over gamma:
//
//	gamma = dy (n-1)/2 / (T/4 - tr(mu_C'H) + tr(L Y'Y)).
func (m *Model) UpdateGamma(st *State) error {
	left := st.t/4 - st.th + m.tl
	if !(left > 0) {
		return fmt.Errorf("the noise has no variance left (%g): the vectors are reproduced exactly; are they constant or fewer than their dimension?", left)
	}
	st.Gamma = float64(m.y.Cols) * float64(m.g.Len()-1) / 2 / left
	return m.finish(st, "gamma")
}

// UpdateAlpha maximises the bound over alpha if Settings.LearnAlpha is set. Otherwise it sets alpha
// to Settings.Alpha.
func (m *Model) UpdateAlpha(st *State) error {
	alpha := m.set.Alpha
	if m.set.LearnAlpha {
		var err error
		if alpha, err = m.bestAlpha(st); err != nil {
			return err
		}
	}
	before := st.Alpha
	if err := m.setAlpha(st, alpha); err != nil {
		return err
	}
	if alpha != before {
		st.kl[ofX] = m.priorX(st, st.kl[ofX].logDet)
	}
	return m.finish(st, "alpha")
}

// finish brings the bound up to date.
func (m *Model) finish(st *State, what string) error {
	st.Bound = m.bound(st)
	if total := st.Bound.Total(); math.IsNaN(total) || math.IsInf(total, 0) {
		return fmt.Errorf("the bound after the update of %s is %g", what, total)
	}
	return nil
}

// linearX sets b to <b_i> = gamma sum_j eta_ij (<C_i> + <C_j>)' (y_i - y_j) (eq 49).
func (m *Model) linearX(st *State) {
	n := m.g.Len()
	clear(m.b.Data)
	m.eachEdge(func(i, j int, diff []float64) {
		for r := range m.set.Dims {
			m.b.Row(r)[i] -= st.Gamma * (vec.Dot(st.MuC.Row(r*n+i), diff) + vec.Dot(st.MuC.Row(r*n+j), diff))
		}
	})
}

// linearC sets h to <H_i> = sum_j eta_ij (y_j - y_i) <x_j - x_i>' (eq 63).
func (m *Model) linearC(st *State) {
	n := m.g.Len()
	clear(m.h.Data)
	m.eachEdge(func(i, j int, diff []float64) {
		for r := range m.set.Dims {
			vec.Axpy(st.MuX.Row(j)[r]-st.MuX.Row(i)[r], diff, m.h.Row(r*n+i))
		}
	})
}

// eachEdge calls f with every point i, each of its neighbours j, and y_j - y_i. The calls for one
// point are made in order by one goroutine.
func (m *Model) eachEdge(f func(i, j int, diff []float64)) {
	par.Ranges(m.set.Threads, m.g.Len(), taskRows, func(_, from, to int) {
		diff := make([]float64, m.y.Cols)
		for i := from; i < to; i++ {
			for _, j := range m.g.Neighbors[i] {
				subtract(diff, m.y.Row(int(j)), m.y.Row(i))
				f(i, int(j), diff)
			}
		}
	})
}

func subtract(dst, a, b []float64) {
	for k := range dst {
		dst[k] = a[k] - b[k]
	}
}

// times overwrites b with S b for symmetric S. It computes the transpose of b' S, which is faster
// when b has few columns, and takes a fraction of the time of solving with a factor.
func (m *Model) times(s, b vec.Matrix[float64]) {
	turned := vec.New[float64](b.Cols, b.Rows)
	if b.Cols == 1 {
		par.Ranges(m.set.Threads, b.Rows, taskRows, func(_, from, to int) {
			for i := from; i < to; i++ {
				turned.Data[i] = m.blas().Ddot(b.Rows, s.Row(i), 1, b.Data, 1)
			}
		})
	} else {
		m.blas().Dgemm(gonum.Trans, gonum.NoTrans, b.Cols, b.Rows, b.Rows, 1, b.Data, b.Cols, s.Data, s.Cols, 0, turned.Data, b.Rows)
	}
	for k := range b.Cols {
		for i, v := range turned.Row(k) {
			b.Row(i)[k] = v
		}
	}
}

// factor factors the matrix that assemble builds in a, after clearing it. If rounding made the
// matrix indefinite, it adds 1e-12 of the mean diagonal element to the diagonal and tries again
// with ten times as much, up to 1e-2. jitter is the amount that was added.
func (m *Model) factor(a *multifrontal.Matrix, assemble func()) (jitter float64, err error) {
	mean := 0.0
	for try := range jitters + 1 {
		assemble()
		if try == 0 {
			mean = a.Trace() / float64(m.size())
		}
		a.AddDiagonal(jitter)
		if err = a.Factor(m.set.Threads); err == nil {
			return jitter, nil
		}
		if !(mean > 0) || math.IsInf(mean, 0) || try == jitters {
			break
		}
		jitter = max(10*jitter, leastJitter*mean)
	}
	return jitter, &IndefiniteError{Mean: mean, Jitter: jitter, Cause: err}
}

const (
	jitters     = 11
	leastJitter = 1e-12
)

// IndefiniteError reports a matrix that is not positive definite.
type IndefiniteError struct {
	// Mean is the mean of the diagonal. Jitter is the largest amount added to it, or 0 if no amount
	// could help.
	Mean, Jitter float64
	// Cause is the error of the last factorization.
	Cause error
}

func (e *IndefiniteError) Error() string {
	if e.Jitter == 0 {
		return fmt.Sprintf("%v (the mean of its diagonal is %g, to which nothing can be added)", e.Cause, e.Mean)
	}
	return fmt.Sprintf("%v, with %.3g added to a diagonal of the mean %.3g, the last of %d tries", e.Cause, e.Jitter, e.Mean, jitters)
}

func (e *IndefiniteError) Unwrap() error { return e.Cause }
