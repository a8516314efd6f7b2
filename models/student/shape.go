package student

import (
	"math"

	"unfold/internal/simd/pairwise"
)

// shape holds the constants of the kernels for any d and a. If a = d/2, P(c=0) is a ratio of
// polynomials (H10): with x = s + r^2/d, z = 1 + x/Delta^2, g = 1 + sqrt z
//
//	1/nu = z^(d/2) - 1 = (x/Delta^2) S_h(z)               h = d/2,      d even,
//	                   = (x/Delta^2) (S_h(z) + z^h/g)     h = (d-1)/2,  d odd,
//
// with S_h(z) = 1 + z + ... + z^(h-1). There is no cancellation. The repulsion is
//
//	nu w/V = nu/Q = 1 / (x z S_h(z)),   g / (x z (g S_h(z) + z^h)).
type shape struct {
	d    int
	a    float64
	fast bool // a = d/2
	pairwise.Powers
	// top bounds z. Beyond it powers might overflow, and the terms are negligible.
	top float64
}

func newShape(d int, a float64) *shape {
	return &shape{
		d: d, a: a, fast: a == float64(d)/2, Powers: pairwise.NewPowers(d),
		top: math.Pow(10, 140/(float64(d)/2+1)),
	}
}

// push sets V to w_j V_ij, the sum over both directions, and to 0 for the target itself.
func (k *shape) push(t *tile) {
	if k.fast {
		t.Top = k.top * min(t.ai, t.least)
		pairwise.Repulsions(&t.Block)
	} else {
		t.slow(k, Pair.Push)
	}
	if t.self >= 0 {
		t.V[t.self] = 0
	}
}

// oneOverOdds returns 1/nu = z^(d/2) - 1 for y = z - 1.
func (k *shape) oneOverOdds(y float64) float64 {
	s, p := k.Geometric(1 + y)
	if k.Odd == 1 {
		return y * (s + p/(1+math.Sqrt(1+y)))
	}
	return y * s
}

// others sets V to the product of P(c=0) of both directions, and to 1 for the target itself. For
// tails other than d/2 the product may be 0: see slowLogs.
func (k *shape) others(t *tile) {
	d := float64(k.d)
	for j := range t.V {
		x := t.Sigma2 + t.S[j] + t.R2[j]/d
		na, nb := k.oneOverOdds(min(x/t.ai, k.top)), k.oneOverOdds(min(x*t.Inv[j], k.top))
		t.V[j] = na * nb / ((1 + na) * (1 + nb))
	}
	if t.self >= 0 {
		t.V[t.self] = 1
	}
}

// slow sets V to the weighted sum of f over both directions of each pair, and to 0 for the target
// itself.
func (t *tile) slow(k *shape, f func(Pair) float64) {
	p := Pair{Sigma2I: t.Sigma2, Dims: k.d, Tail: k.a}
	for j := range t.V {
		p.Sigma2J, p.Dist2 = t.S[j], t.R2[j]
		p.Scale2 = t.ai
		one := f(p)
		p.Scale2 = t.a[j]
		t.V[j] = t.W[j] * (one + f(p))
	}
	if t.self >= 0 {
		t.V[t.self] = 0
	}
}

// slowLogs returns the weighted sum of log P(c=0) of both directions.
func (k *shape) slowLogs(t *tile) float64 {
	t.slow(k, Pair.LogOther)
	return total(t.V)
}
