package lllvm

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/models"
	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/blas"
	"unfold/sparse/vec/spd"
)

// Settings of a Model; the zero value works.
type Settings struct {
	// Dims is the dimension d of the map, 0 means 2.
	Dims int
	// Epsilon holds the mean of the maps C_i and of the data near zero (eq 8,
	// 11); 0 means 1e-3.
	Epsilon float64
	// Alpha is the precision that holds x near zero, 0 means 1e-3. LearnAlpha
	// maximises the bound over it instead (eq 72), from Start's; the maximum is
	// often at x = 0.
	Alpha      float64
	LearnAlpha bool
	// Threads bounds the goroutines, 0 means GOMAXPROCS. It does not change the
	// result.
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

// Model is the bound of given data and graph, with the workspace in which it is
// maximised. It is not safe for concurrent use; models of one Graph are.
type Model struct {
	set Settings
	g   *Graph
	y   vec.Matrix[float64] // n x dy
	// tl is tr(L Y'Y), sumY2 is |sum_i y_i|^2.
	tl, sumY2 float64

	sand *sandwich
	// moments is a block of <C'C> or <x x'>, n x n.
	moments vec.Matrix[float64]
	// b is <b> by coordinate, d x n; h is <H>, nd x dy.
	b, h vec.Matrix[float64]
}

// NewModel returns the model of the rows of y (n x dy), which should be centred
// and is kept, joined as g says. It fails if the shapes do not fit, with a
// *models.RowError if a value is not finite, and if there are fewer than d+2
// points, on which nothing can be learnt.
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
	m := &Model{set: s, g: g, y: y, sand: newSandwich(g.Len(), s.Threads), moments: vec.New[float64](g.Len(), g.Len())}
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

func (m *Model) blas() blas.Implementation { return blas.Implementation{Threads: m.set.Threads} }

// UpdateX maximises the bound over q(x) (eq 45, 46):
//
//	Sigma_x^-1 = <A> + alpha I + 2 L,  mu_x = Sigma_x <b>.
//
// It returns what was added to the diagonal to keep it positive, usually 0.
func (m *Model) UpdateX(st *State) (jitter float64, err error) {
	m.blocks(st.CovX, func(r, s int) { m.momentsC(st, r, s) }, 1, st.Gamma/2)
	m.eachDiagonalBlock(st.CovX, func(block []float64, stride int) {
		m.addLaplacian(block, stride)
		for i := range m.g.Len() {
			block[i*stride+i] += st.Alpha
		}
	})
	m.linearX(st)
	logDet, jitter, err := m.invert(st.CovX)
	if err != nil {
		return jitter, fmt.Errorf("the precision of q(x): %w", err)
	}
	n := m.g.Len()
	mu := make([]float64, m.size())
	for i := range mu {
		mu[i] = vec.Dot(st.CovX.Row(i), m.b.Data)
	}
	for r := range m.set.Dims {
		for i := range n {
			st.MuX.Row(i)[r] = mu[r*n+i]
		}
	}
	st.kl[ofX] = m.priorX(st, -logDet)
	trace, square := m.norms(st)
	linear := vec.Dot(mu, m.b.Data)
	// <A> = Sigma_x^-1 - Pi^-1, so <e' Sigma_y e> = tr <A>(Sigma_x + mu mu') = gamma/2 T
	// is what these leave.
	st.t = 2 / st.Gamma * (float64(m.size()) - st.kl[ofX].trace + linear - st.kl[ofX].square - jitter*(trace+square))
	st.th = linear / st.Gamma
	return jitter, m.finish(st, "q(x)")
}

// UpdateC maximises the bound over q(C) (eq 58, 59):
//
//	Sigma_C^-1 = <Gamma> + epsilon 1 1' + 2 L,  mu_C = gamma <H> Sigma_C.
func (m *Model) UpdateC(st *State) (jitter float64, err error) {
	m.blocks(st.CovC, func(r, s int) { m.momentsX(st, r, s) }, -1, st.Gamma/2)
	m.eachDiagonalBlock(st.CovC, func(block []float64, stride int) {
		m.addLaplacian(block, stride)
		for i := range m.g.Len() {
			row := block[i*stride : i*stride+m.g.Len()]
			for j := range row {
				row[j] += m.set.Epsilon
			}
		}
	})
	m.linearC(st)
	logDet, jitter, err := m.invert(st.CovC)
	if err != nil {
		return jitter, fmt.Errorf("the precision of q(C): %w", err)
	}
	nd, dy := m.size(), m.y.Cols
	// As mu_C' = gamma <H>' Sigma_C: dy may be small, and rows are what may be few.
	turned := vec.New[float64](dy, nd)
	m.blas().Dgemm(gonum.Trans, gonum.NoTrans, dy, nd, nd, st.Gamma, m.h.Data, dy, st.CovC.Data, nd, 0, turned.Data, nd)
	for k := range dy {
		for i, v := range turned.Row(k) {
			st.MuC.Row(i)[k] = v
		}
	}
	st.kl[ofC] = m.priorC(st, -logDet)
	st.th = vec.Dot(st.MuC.Data, m.h.Data)
	st.t = 2 / st.Gamma * (float64(dy)*(float64(nd)-st.kl[ofC].trace) + st.Gamma*st.th - st.kl[ofC].square)
	if jitter > 0 {
		trace := 0.0
		for i := range nd {
			trace += st.CovC.Row(i)[i]
		}
		st.t -= 2 / st.Gamma * jitter * (float64(dy)*trace + vec.SquaredNorm(st.MuC.Data))
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

// UpdateAlpha maximises the bound over alpha, if Settings.LearnAlpha says so, or
// sets it to Settings.Alpha.
func (m *Model) UpdateAlpha(st *State) error {
	alpha := m.set.Alpha
	if m.set.LearnAlpha {
		alpha = m.bestAlpha(st)
	}
	if err := m.setAlpha(st, alpha); err != nil {
		return err
	}
	st.kl[ofX] = m.priorX(st, st.kl[ofX].logDet)
	return m.finish(st, "alpha")
}

// bestAlpha solves eq 72: d sum_j 1/(alpha + 2 w_j) = tr Sigma_x + |mu_x|^2. The
// left side is convex and falls, and lies between d/alpha and nd/alpha: Newton's
// steps from d over the right side rise to the root.
func (m *Model) bestAlpha(st *State) float64 {
	trace, square := m.norms(st)
	d, want := float64(m.set.Dims), trace+square
	alpha := d / want
	for range 100 {
		f, slope := 0.0, 0.0
		for _, w := range m.g.eigenvalues() {
			q := 1 / (alpha + 2*w)
			f += d * q
			slope += d * q * q
		}
		step := (f - want) / slope
		alpha += step
		if !(step > 1e-15*alpha) {
			break
		}
	}
	return alpha
}

func (m *Model) setAlpha(st *State, alpha float64) (err error) {
	if alpha == st.Alpha && st.shifted != 0 {
		return nil
	}
	st.Alpha = alpha
	if !m.set.LearnAlpha {
		st.shifted, err = m.g.logDetShifted(alpha, m.set.Threads)
		return err
	}
	st.shifted = 0
	for _, w := range m.g.eigenvalues() {
		st.shifted += math.Log(alpha + 2*w)
	}
	return nil
}

// finish brings the bound up to date.
func (m *Model) finish(st *State, what string) error {
	st.Bound = m.bound(st)
	if total := st.Bound.Total(); math.IsNaN(total) || math.IsInf(total, 0) {
		return fmt.Errorf("the bound after the update of %s is %g", what, total)
	}
	return nil
}

// blocks fills the blocks (r,s), s <= r, of an nd x nd matrix with sandwiches of
// moments, which fill makes.
func (m *Model) blocks(a vec.Matrix[float64], fill func(r, s int), sign, scale float64) {
	n := m.g.Len()
	for r := range m.set.Dims {
		for s := range r + 1 {
			fill(r, s)
			out := m.sand.compute(m.g.whole, m.moments, sign, scale, r == s)
			for i := range n {
				most := n
				if r == s {
					most = i + 1
				}
				copy(a.Row(r*n + i)[s*n:][:most], out.Row(i))
			}
		}
	}
}

func (m *Model) eachDiagonalBlock(a vec.Matrix[float64], f func(block []float64, stride int)) {
	n := m.g.Len()
	for r := range m.set.Dims {
		f(a.Data[r*n*a.Cols+r*n:], a.Cols)
	}
}

// addLaplacian adds 2 L to a block.
func (m *Model) addLaplacian(block []float64, stride int) {
	for i, list := range m.g.Neighbors {
		row := block[i*stride:]
		row[i] += 2 * float64(len(list))
		for _, j := range list {
			row[j] -= 2
		}
	}
}

// momentsX sets moments to <x_ir x_js>.
func (m *Model) momentsX(st *State, r, s int) {
	n := m.g.Len()
	par.Ranges(m.set.Threads, n, taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			cov, mu, out := st.CovX.Row(r*n + i)[s*n:], st.MuX.Row(i)[r], m.moments.Row(i)
			for j := range out {
				out[j] = cov[j] + mu*st.MuX.Row(j)[s]
			}
		}
	})
}

// momentsC sets moments to <C_i' C_j>_rs = dy (Sigma_C)_ir,js + (mu_C' mu_C)_ir,js.
func (m *Model) momentsC(st *State, r, s int) {
	n, dy := m.g.Len(), m.y.Cols
	par.Ranges(m.set.Threads, n, taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			copy(m.moments.Row(i), st.CovC.Row(r*n + i)[s*n:(s+1)*n])
		}
	})
	m.blas().Dgemm(gonum.NoTrans, gonum.Trans, n, n, dy, 1, st.MuC.Data[r*n*dy:], dy, st.MuC.Data[s*n*dy:], dy, float64(dy), m.moments.Data, n)
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

// eachEdge calls f with every point i, each neighbour j of it and y_j - y_i. Those of one
// point come in their order, from one goroutine.
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

// invert overwrites a precision, whose lower triangle is there, with the
// covariance, and returns log |precision|.
func (m *Model) invert(a vec.Matrix[float64]) (logDet, jitter float64, err error) {
	spd.Mirror(a, m.set.Threads)
	if jitter, err = spd.FactorJitter(a, m.set.Threads); err != nil {
		return 0, jitter, err
	}
	logDet = spd.LogDet(a)
	spd.Invert(a, m.set.Threads)
	return logDet, jitter, nil
}
