package lllvm

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/testkit/fixtures"
)

// marginal has the values of a fixture for one x and C that the steps do not need.
type marginal struct {
	E       []float64      `json:"e"`
	AE      fixtures.Dense `json:"A_E"`
	Q       fixtures.Dense `json:"Q"`
	W       fixtures.Dense `json:"W"`
	Inverse fixtures.Dense `json:"KLL_inv_factor"`
	Factor  fixtures.Dense `json:"KLL_factor"`
}

// pointMarginal tests the marginal covariance of the data given x, which no step computes. It
// follows from the graph and x by both forms of the supplement's appendix D:
//
//	K^-1 = eps 1 1' + 2 gamma L - gamma^2 W (Gamma + P_C)^-1 W',  W = Q'/gamma, Gamma = gamma^2 W' Lt W
//	K    = Lt + Lt Q' P_C^-1 Q Lt,  Lt = (eps 1 1' + 2 gamma L)^-1,  P_C = (eps 1 1' + 2 L) x I
//
// with tangent errors e = C Q = A_E x (16, 31).
func (f *fixture) pointMarginal(t *testing.T) {
	n, d, gamma := f.N, f.Dx, f.Gamma[0]
	x := f.Point.X
	q, precision, prior := mat.NewDense(n*d, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n*d, n*d, nil)
	ae := mat.NewDense(n*f.Dy, n*d, nil)
	add := func(m *mat.Dense, i, j int, v float64) { m.Set(i, j, m.At(i, j)+v) }
	for i := range n {
		for j := range n {
			add(precision, i, j, f.Epsilon)
			for r := range d {
				add(prior, i*d+r, j*d+r, f.Epsilon)
			}
			if f.G.Row(i)[j] == 0 {
				continue
			}
			add(precision, i, i, 2*gamma)
			add(precision, i, j, -2*gamma)
			for r := range d {
				add(prior, i*d+r, i*d+r, 2)
				add(prior, i*d+r, j*d+r, -2)
				v := -gamma * (x[j*d+r] - x[i*d+r])
				add(q, i*d+r, i, v)
				add(q, j*d+r, i, v)
				for a := range f.Dy {
					c := f.Point.C.Row(a)
					tangent := gamma * (c[i*d+r] + c[j*d+r])
					add(ae, i*f.Dy+a, i*d+r, tangent)
					add(ae, i*f.Dy+a, j*d+r, -tangent)
				}
			}
		}
	}
	// Products of several matrices.
	of := func(ms ...mat.Matrix) *mat.Dense {
		out := mat.DenseCopyOf(ms[0])
		for _, m := range ms[1:] {
			next := new(mat.Dense)
			next.Mul(out, m)
			out = next
		}
		return out
	}
	inverse := func(m mat.Matrix) *mat.Dense {
		out := new(mat.Dense)
		if err := out.Inverse(m); err != nil {
			t.Fatal(err)
		}
		return out
	}
	lt := inverse(precision)
	var e, w, sum, left, right mat.Dense
	e.Mul(q.T(), mat.NewDense(f.Dy, n*d, f.Point.C.Data).T()) // a row a point
	w.Scale(1/gamma, q.T())
	sum.Add(prior, of(q, lt, q.T())) // gamma W' = Q
	left.Sub(precision, of(q.T(), inverse(&sum), q))
	right.Add(lt, of(lt, q.T(), inverse(prior), q, lt))
	want := f.Point.marginal
	fixtures.Close(t, "e", e.RawMatrix().Data, want.E, direct)
	fixtures.Close(t, "A_E", ae.RawMatrix().Data, want.AE.Data, direct)
	fixtures.Close(t, "Q", q.RawMatrix().Data, want.Q.Data, direct)
	fixtures.Close(t, "W", w.RawMatrix().Data, want.W.Data, direct)
	fixtures.Close(t, "K_LL^-1", left.RawMatrix().Data, want.Inverse.Data, direct)
	fixtures.Close(t, "K_LL", right.RawMatrix().Data, want.Factor.Data, direct)
}
