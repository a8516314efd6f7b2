package student

import (
	"math"
	"math/bits"
)

// shape is what the kernels of any d and a need to know. If a = d/2, P(c=0) is
// a ratio of polynomials (H10), with y = (s + r^2/d)/Delta^2 and z = 1 + y:
//
//	1/nu = z^(d/2) - 1 = y S_h(z)                       h = d/2,      d even,
//	     = y (S_h(z) + z^h/(1+g)),  g = sqrt z,         h = (d-1)/2,  d odd,
//
// S_h(z) = 1 + z + ... + z^(h-1), where nothing cancels, and the repulsion is
//
//	nu w/V = nu/Q = 1 / (Delta^2 z y S_h) or its like.
type shape struct {
	d    int
	a    float64
	fast bool // a = d/2
	odd  bool
	h    uint
	lead uint // the highest bit of h
	// top bounds y: beyond, powers might leave the number range, and nothing that
	// is added up matters.
	top float64
}

func newShape(d int, a float64) *shape {
	k := &shape{d: d, a: a, fast: a == float64(d)/2, odd: d%2 == 1, h: uint(d / 2)}
	if k.h > 0 {
		k.lead = uint(bits.Len(k.h)) - 1
	}
	k.top = math.Pow(10, 140/(float64(d)/2+1))
	return k
}

// geometric returns S_h(z) and z^h by doubling: S_2m = S_m (1 + z^m),
// S_(m+1) = 1 + z S_m.
func (k *shape) geometric(z float64) (sum, power float64) {
	if k.h == 0 {
		return 0, 1
	}
	sum, power = 1, z
	for b := k.lead; b > 0; b-- {
		sum += sum * power
		power *= power
		if k.h>>(b-1)&1 == 1 {
			sum = 1 + z*sum
			power *= z
		}
	}
	return sum, power
}

// push fills v with w_j V_ij, both directions together, and 0 for the target
// itself.
func (k *shape) push(t *tile) {
	switch {
	case !k.fast:
		t.slow(k, func(p Pair) float64 { return p.Push() })
	case k.odd:
		k.pushOdd(t)
	default:
		k.pushEven(t)
	}
	if t.self >= 0 {
		t.v[t.self] = 0
	}
}

func (k *shape) pushEven(t *tile) {
	v := t.v
	r2, s, inv, w := t.r2[:len(v)], t.s[:len(v)], t.inv[:len(v)], t.w[:len(v)]
	ia, share := 1/t.ai, 1/float64(k.d)
	for j := range v {
		ib := inv[j]
		x := r2[j]*share + (t.si + s[j])
		ya, yb := min(x*ia, k.top), min(x*ib, k.top)
		za, zb := 1+ya, 1+yb
		sa, _ := k.geometric(za)
		sb, _ := k.geometric(zb)
		da, db := za*ya*sa, zb*yb*sb
		v[j] = w[j] * (ia*db + ib*da) / (da * db)
	}
}

func (k *shape) pushOdd(t *tile) {
	v := t.v
	r2, s, inv, w := t.r2[:len(v)], t.s[:len(v)], t.inv[:len(v)], t.w[:len(v)]
	ia, share := 1/t.ai, 1/float64(k.d)
	for j := range v {
		ib := inv[j]
		x := r2[j]*share + (t.si + s[j])
		ya, yb := min(x*ia, k.top), min(x*ib, k.top)
		za, zb := 1+ya, 1+yb
		ga, gb := 1+math.Sqrt(za), 1+math.Sqrt(zb)
		sa, pa := k.geometric(za)
		sb, pb := k.geometric(zb)
		da, db := za*ya*(ga*sa+pa), zb*yb*(gb*sb+pb)
		v[j] = w[j] * (ia*ga*db + ib*gb*da) / (da * db)
	}
}

// spread fills v with w_j nu (w r^2/V - d)/V of both directions, the
// dissimilar part of H9, and 0 for the target itself.
func (k *shape) spread(t *tile) {
	if !k.fast {
		t.slow(k, func(p Pair) float64 { return p.Odds() * p.Slope() })
	} else {
		d := float64(k.d)
		for j := range t.v {
			s := t.si + t.s[j]
			sum := 0.0
			for _, a := range [2]float64{t.ai, t.a[j]} {
				q := a + s + t.r2[j]/d
				sum += (t.r2[j]/q - d) / ((a + s) * k.oneOverOdds(min((s+t.r2[j]/d)/a, k.top)))
			}
			t.v[j] = t.w[j] * sum
		}
	}
	if t.self >= 0 {
		t.v[t.self] = 0
	}
}

// oneOverOdds returns 1/nu = z^(d/2) - 1.
func (k *shape) oneOverOdds(y float64) float64 {
	s, p := k.geometric(1 + y)
	if k.odd {
		return y * (s + p/(1+math.Sqrt(1+y)))
	}
	return y * s
}

// others fills v with P(c=0) of both directions multiplied, and 1 for the target
// itself; for tails other than d/2, where weights may be large, see slowLogs.
func (k *shape) others(t *tile) {
	d := float64(k.d)
	for j := range t.v {
		x := t.si + t.s[j] + t.r2[j]/d
		ya, yb := min(x/t.ai, k.top), min(x*t.inv[j], k.top)
		na, nb := k.oneOverOdds(ya), k.oneOverOdds(yb)
		t.v[j] = na / (1 + na) * (nb / (1 + nb))
	}
	if t.self >= 0 {
		t.v[t.self] = 1
	}
}

// slow fills v with the weighted sum of f over both directions of each pair.
func (t *tile) slow(k *shape, f func(Pair) float64) {
	p := Pair{Sigma2I: t.si, Dims: k.d, Tail: k.a}
	for j := range t.v {
		p.Sigma2J, p.Dist2 = t.s[j], t.r2[j]
		p.Scale2 = t.ai
		one := f(p)
		p.Scale2 = t.a[j]
		t.v[j] = t.w[j] * (one + f(p))
	}
}

// slowLogs returns the weighted sum of log P(c=0) of both directions.
func (k *shape) slowLogs(t *tile) float64 {
	t.slow(k, Pair.LogOther)
	if t.self >= 0 {
		t.v[t.self] = 0
	}
	return total(t.v)
}
