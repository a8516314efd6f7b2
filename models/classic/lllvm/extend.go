package lllvm

import (
	"fmt"
	"math"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// Extension places new points with q of the learnt points fixed (main text, section 3). q(x*) and
// q(C*) follow from coordinate ascent of the bound on the graph extended by the new point and its
// edges; the old edges stay. With patches, the new point joins one patch and its neighbours in it.
// An Extension is safe for concurrent use if each goroutine has its own Guest.
type Extension struct {
	p      *patch
	y      vec.Matrix[float64] // of the patch's points, as are the others
	muX    vec.Matrix[float64] // n x d
	muC    vec.Matrix[float64] // nd x dy
	gamma  float64
	alpha  float64
	eps    float64
	dims   int
	cx, cc vec.Matrix[float64] // <x x'> and <C'C>, nd x nd
	sumC   vec.Matrix[float64] // sum_i C_i over all points of the model, d x dy
}

// NewExtension returns the extension of a state within one patch of the graph, whose points have
// the numbers of that patch. With a single patch it keeps the means without a copy.
func (m *Model) NewExtension(st *State, part int) *Extension {
	p, d, all := m.g.parts[part], m.set.Dims, m.g.Len()
	n := p.len()
	e := &Extension{p: p, y: m.y, muX: st.MuX, muC: st.MuC, gamma: st.Gamma, alpha: st.Alpha, eps: m.set.Epsilon, dims: d,
		cx: vec.New[float64](n*d, n*d), cc: vec.New[float64](n*d, n*d), sumC: vec.New[float64](d, m.y.Cols)}
	if !m.g.exact() {
		e.y, e.muX, e.muC = vec.Take(m.y, p.points), vec.Take(st.MuX, p.points), vec.New[float64](n*d, m.y.Cols)
		for r := range d {
			for i, q := range p.points {
				copy(e.muC.Row(r*n+i), st.MuC.Row(r*all+int(q)))
			}
		}
	}
	for r := range d {
		for s := range d {
			e.put(e.cx, r, s, m.momentsX(st, part, r, s))
			e.put(e.cc, r, s, m.momentsC(st, part, r, s))
		}
		for i := range all {
			vec.Axpy(1, st.MuC.Row(r*all+i), e.sumC.Row(r))
		}
	}
	return e
}

func (e *Extension) put(a vec.Matrix[float64], r, s int, block vec.Matrix[float64]) {
	n := e.p.len()
	for i := range n {
		copy(a.Row(r*n + i)[s*n:(s+1)*n], block.Row(i))
	}
}

// Guest is a new point with its q(x*) and q(C*), and the workspace that computes them.
type Guest struct {
	MuX  []float64           // d
	CovX vec.Matrix[float64] // d x d
	MuC  vec.Matrix[float64] // d x dy: row r is column r of C*
	CovC vec.Matrix[float64] // d x d
	// Steps is the number of iterations.
	Steps int

	near []int32
	y    []float64
	// b is the k rows of B = (L + diag(1_N))^-1 for the neighbours N: k x n. B is a generalised
	// inverse of the new Laplacian that is 0 for the new point. Any such inverse will do, because
	// the model only uses differences of its elements.
	b vec.Matrix[float64]
	// These terms stay constant while q(x*) and q(C*) are iterated; see sumsX and sumsC.
	constX []float64           // d
	alongC []float64           // dy
	constC vec.Matrix[float64] // d x dy
	alongX []float64           // dy
	isNear []bool
	ones   []float64
}

// NewGuest returns a workspace for one new point, usable with any patch.
func (m *Model) NewGuest() *Guest {
	_, n := m.g.Patches()
	d, dy := m.set.Dims, m.y.Cols
	return &Guest{
		MuX: make([]float64, d), CovX: vec.New[float64](d, d), MuC: vec.New[float64](d, dy), CovC: vec.New[float64](d, d),
		constX: make([]float64, d), alongC: make([]float64, dy), constC: vec.New[float64](d, dy), alongX: make([]float64, dy),
		isNear: make([]bool, n), ones: make([]float64, n),
	}
}

const (
	guestSteps     = 50
	guestTolerance = 1e-10
)

// Place computes q(x*) and q(C*) of the vector y from its nearest points. C* starts at the mean of
// theirs. It stops when the position moves by less than 1e-10 of the neighbours' spread, and at the
// latest after 50 iterations.
func (e *Extension) Place(g *Guest, y []float64, near []int32) error {
	if err := e.begin(g, y, near); err != nil {
		return err
	}
	e.average(g)
	before := make([]float64, e.dims)
	for g.Steps = 1; ; g.Steps++ {
		copy(before, g.MuX)
		if err := e.updateX(g); err != nil {
			return err
		}
		if err := e.updateC(g); err != nil {
			return err
		}
		moved := vec.SquaredDistance(before, g.MuX)
		if g.Steps == guestSteps || moved <= guestTolerance*guestTolerance*(1+vec.SquaredNorm(g.MuX)) {
			return nil
		}
	}
}

// average sets C* and its covariance to the mean of those of the neighbours.
func (e *Extension) average(g *Guest) {
	n, k := e.p.len(), float64(len(g.near))
	clear(g.MuC.Data)
	clear(g.CovC.Data)
	dy := float64(e.y.Cols)
	for _, j := range g.near {
		for r := range e.dims {
			cr := e.muC.Row(r*n + int(j))
			vec.Axpy(1/k, cr, g.MuC.Row(r))
			for s := range e.dims {
				both := e.cc.Row(r*n + int(j))[s*n+int(j)] - vec.Dot(cr, e.muC.Row(s*n+int(j)))
				g.CovC.Row(r)[s] += both / dy / k
			}
		}
	}
}

// begin computes B and the sums over all old points.
func (e *Extension) begin(g *Guest, y []float64, near []int32) error {
	n := e.p.len()
	for _, j := range g.near {
		g.isNear[j] = false
	}
	g.near, g.y = near, y
	for p, j := range near {
		if j < 0 || int(j) >= n || g.isNear[j] {
			g.near = near[:p]
			return fmt.Errorf("neighbour %d: point %d of %d cannot be named, or not twice", p, j, n)
		}
		g.isNear[j] = true
	}
	if len(near) == 0 {
		return fmt.Errorf("a new point has to have neighbours")
	}
	if err := e.inverse(g); err != nil {
		return err
	}
	e.sumsX(g)
	e.sumsC(g)
	return nil
}

// inverse sets b. With F = (L + 11'/n)^-1, which the graph has, and the columns U of the
// neighbours,
//
//	(L + U U')^-1 = (F^-1 + U U' - 11'/n)^-1,
//
// and since F 1 = 1, the matrix without the last term, M = F - F U (I + U'FU)^-1 U'F, gives B = M +
// M 1 1' M / (n - 1'M 1). Only the columns B U are needed. With S = (I + U'FU)^-1 they follow from
// M U = F U S.
func (e *Extension) inverse(g *Guest) error {
	n, k := e.p.len(), len(g.near)
	if g.b.Rows != k || g.b.Cols != n {
		g.b = vec.New[float64](k, n)
	}
	small := vec.New[float64](k, k)
	for p, j := range g.near {
		row := e.p.inverse.Row(int(j))
		copy(g.b.Row(p), row)
		for q, i := range g.near {
			small.Row(p)[q] = row[i]
		}
		small.Row(p)[p]++
	}
	if err := spd.Factor(small, 1); err != nil {
		return fmt.Errorf("the graph with the new point: %w", err)
	}
	spd.Solve(small, g.b, 1) // S U'F, the transpose of F U S
	// M 1 = 1 - F U S 1 (as U'F 1 = 1).
	ones, total := g.ones[:n], 0.0
	for i := range n {
		ones[i] = 1
	}
	for p := range k {
		for i, v := range g.b.Row(p) {
			ones[i] -= v
		}
	}
	for _, v := range ones {
		total += v
	}
	for p, j := range g.near {
		vec.Axpy(ones[j]/(float64(n)-total), ones, g.b.Row(p))
	}
	return nil
}

// sumsX computes the constant parts of sum_j <A>_*j mu_j, over the edges j, q among old points. In
//
//	gamma/2 sum_p sum_(j,q) (B_pq - B_pj) <(C_p + C*)' (C_q + C_j)> mu_j
//	= gamma/2 sum_i sum_p <(C_p + C*)' C_i> sum_(l~i) (B_pl - B_pi) (mu_i - mu_l),
//
// the part with C_p is constX, and alongC is the vector that C*' multiplies.
func (e *Extension) sumsX(g *Guest) {
	n, d := e.p.len(), e.dims
	clear(g.constX)
	clear(g.alongC)
	sum := make([]float64, d)
	all := make([]float64, d)
	for i, list := range e.p.lists {
		mu, weights := e.muX.Row(i), e.p.weights[i]
		clear(all)
		for p, near := range g.near {
			b := g.b.Row(p)
			clear(sum)
			for t, l := range list {
				w := weights[t] * (b[l] - b[i])
				for s, v := range e.muX.Row(int(l)) {
					sum[s] += w * (mu[s] - v)
				}
			}
			for r := range d {
				row := e.cc.Row(r*n + int(near))
				for s, v := range sum {
					g.constX[r] += row[s*n+i] * v
				}
			}
			vec.Axpy(1, sum, all)
		}
		for s, v := range all {
			vec.Axpy(v, e.muC.Row(s*n+i), g.alongC)
		}
	}
}

// sumsC computes the constant parts of sum_j C_j <Gamma>_j*, over the edges j, l among old points.
// In
//
//	gamma/2 sum_j C_j sum_q sum_(l~j) (B_ql - B_qj) <(x_l - x_j) (x_q - x*)'>,
//
// the part with x_q, transposed, is constC, and alongX is the vector that -x*' multiplies.
func (e *Extension) sumsC(g *Guest) {
	n, d := e.p.len(), e.dims
	clear(g.constC.Data)
	clear(g.alongX)
	both, own := vec.New[float64](d, d), make([]float64, d) // of C_j: by s and r, by r
	for j, list := range e.p.lists {
		mu, weights := e.muX.Row(j), e.p.weights[j]
		clear(both.Data)
		clear(own)
		for q, near := range g.near {
			b := g.b.Row(q)
			for t, l32 := range list {
				l, w := int(l32), weights[t]*(b[l32]-b[j])
				for r, v := range e.muX.Row(l) {
					own[r] += w * (v - mu[r])
				}
				for s := range d {
					row := e.cx.Row(s*n + int(near))
					for r := range d {
						both.Row(s)[r] += w * (row[r*n+l] - row[r*n+j])
					}
				}
			}
		}
		for r := range d {
			c := e.muC.Row(r*n + j)
			for s := range d {
				vec.Axpy(both.Row(s)[r], c, g.constC.Row(s))
			}
			vec.Axpy(own[r], c, g.alongX)
		}
	}
}

// updateX: Sigma_x*^-1 = <A>_** + (alpha + 2k) I, mu_x* = Sigma_x* (<b>_* - sum_j
// (<A>_*j - 2 [j near]) mu_j).
func (e *Extension) updateX(g *Guest) error {
	n, d, dy := e.p.len(), e.dims, float64(e.y.Cols)
	half := e.gamma / 2
	prec, right := vec.New[float64](d, d), make([]float64, d)
	for r := range d {
		right[r] = -half * (g.constX[r] + vec.Dot(g.MuC.Row(r), g.alongC))
	}
	diff := make([]float64, len(g.y))
	for p, i32 := range g.near {
		i := int(i32)
		subtract(diff, g.y, e.y.Row(i))
		for r := range d {
			right[r] += e.gamma*(vec.Dot(g.MuC.Row(r), diff)+vec.Dot(e.muC.Row(r*n+i), diff)) + 2*e.muX.Row(i)[r]
		}
		for _, j32 := range g.near {
			j, w := int(j32), half*g.b.Row(p)[j32]
			for r := range d {
				for s := range d {
					own := dy*g.CovC.Row(r)[s] + vec.Dot(g.MuC.Row(r), g.MuC.Row(s))
					pStar := vec.Dot(e.muC.Row(r*n+i), g.MuC.Row(s))
					starQ := vec.Dot(g.MuC.Row(r), e.muC.Row(s*n+j))
					both := e.cc.Row(r*n + i)[s*n+j]
					prec.Row(r)[s] += w * (both + pStar + starQ + own)
					// This term is the edge between j and the new point, in <A>_*j.
					right[r] += w * (pStar + both + own + starQ) * e.muX.Row(j)[s]
				}
			}
		}
	}
	return e.solve(prec, e.alpha+2*float64(len(g.near)), g.CovX, func(inv vec.Matrix[float64]) {
		for r := range d {
			g.MuX[r] = vec.Dot(inv.Row(r), right)
		}
	})
}

// updateC: Sigma_C*^-1 = <Gamma>_** + (epsilon + 2k) I, mu_C* = (gamma <H>_* -
// sum_j C_j (<Gamma>_j* + (epsilon - 2 [j near]) I)) Sigma_C*.
func (e *Extension) updateC(g *Guest) error {
	n, d := e.p.len(), e.dims
	half := e.gamma / 2
	prec, right := vec.New[float64](d, d), vec.New[float64](d, e.y.Cols)
	for s := range d {
		vec.Axpy(-half, g.constC.Row(s), right.Row(s))
		vec.Axpy(half*g.MuX[s], g.alongX, right.Row(s))
		vec.Axpy(-e.eps, e.sumC.Row(s), right.Row(s))
	}
	diff := make([]float64, len(g.y))
	for q, i32 := range g.near {
		i := int(i32)
		xi := e.muX.Row(i)
		subtract(diff, e.y.Row(i), g.y)
		for s := range d {
			vec.Axpy(e.gamma*(xi[s]-g.MuX[s]), diff, right.Row(s))
			vec.Axpy(2, e.muC.Row(s*n+i), right.Row(s))
		}
		for _, j32 := range g.near {
			j, w := int(j32), half*g.b.Row(q)[j32]
			for r := range d {
				for s := range d {
					own := g.CovX.Row(r)[s] + g.MuX[r]*g.MuX[s]
					both := e.cx.Row(r*n + j)[s*n+i] // <x_j x_q'>
					// <(x_j - x*)(x_q - x*)'>
					m := both - e.muX.Row(j)[r]*g.MuX[s] - g.MuX[r]*xi[s] + own
					prec.Row(r)[s] += w * m
					// This term is the edge between j and the new point: -B_jq <(x* - x_j)(x_q -
					// x*)'>.
					vec.Axpy(-w*m, e.muC.Row(r*n+j), right.Row(s))
				}
			}
		}
	}
	return e.solve(prec, e.eps+2*float64(len(g.near)), g.CovC, func(inv vec.Matrix[float64]) {
		clear(g.MuC.Data)
		for s := range d {
			for r := range d {
				vec.Axpy(inv.Row(s)[r], right.Row(r), g.MuC.Row(s))
			}
		}
	})
}

// solve sets cov to the inverse of prec + shift I and calls use with it.
func (e *Extension) solve(prec vec.Matrix[float64], shift float64, cov vec.Matrix[float64], use func(vec.Matrix[float64])) error {
	for r := range e.dims {
		prec.Row(r)[r] += shift
	}
	if err := spd.Factor(prec, 1); err != nil {
		return fmt.Errorf("the precision of a new point: %w", err)
	}
	spd.Invert(prec, 1)
	copy(cov.Data, prec.Data)
	use(cov)
	if sum := vec.SquaredNorm(cov.Data); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("the covariance of a new point is not finite")
	}
	return nil
}
