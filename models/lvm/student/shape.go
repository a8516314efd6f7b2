package student

import (
	"math"
	"math/bits"
)

// shape is what the kernels of any d and a need to know. If a = d/2, P(c=0) is
// a ratio of polynomials (H10): with x = s + r^2/d, z = 1 + x/Delta^2, g = 1 + sqrt z
//
//	1/nu = z^(d/2) - 1 = (x/Delta^2) S_h(z)               h = d/2,      d even,
//	                   = (x/Delta^2) (S_h(z) + z^h/g)     h = (d-1)/2,  d odd,
//
// S_h(z) = 1 + z + ... + z^(h-1), where nothing cancels, and the repulsion is
//
//	nu w/V = nu/Q = 1 / (x z S_h(z)),   g / (x z (g S_h(z) + z^h)).
type shape struct {
	d    int
	a    float64
	fast bool // a = d/2
	odd  bool
	h    uint
	lead uint // the highest bit of h
	// top bounds z: beyond, powers might leave the number range, and nothing that
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

// geometrics returns S_h and z^h for all z of a tile, h > 0.
func (k *shape) geometrics(t *tile) (sum, power []float64) {
	zs := t.z
	sum, power = t.sum[:len(zs)], t.power[:len(zs)]
	for j, z := range zs {
		sum[j], power[j] = 1, z
	}
	for b := k.lead; b > 0; b-- {
		if k.h>>(b-1)&1 == 0 {
			for j, p := range power {
				sum[j] += sum[j] * p
				power[j] = p * p
			}
			continue
		}
		for j, z := range zs {
			s, p := sum[j], power[j]
			sum[j] = 1 + z*(s+s*p)
			power[j] = p * p * z
		}
	}
	return sum, power
}

// push fills v with w_j V_ij, both directions together, and 0 for the target
// itself.
func (k *shape) push(t *tile) {
	switch {
	case !k.fast:
		t.slow(k, Pair.Push)
	case k.odd:
		k.ratios(t)
		k.pushOdd(t)
	default:
		k.ratios(t)
		k.pushEven(t)
	}
	if t.self >= 0 {
		t.v[t.self] = 0
	}
}

// ratios fills x, and z with z of the target's scale and after it
// z of the sources' scales.
func (k *shape) ratios(t *tile) {
	x := t.x
	n := len(x)
	r2, s, inv := t.r2[:len(x)], t.s[:len(x)], t.inv[:len(x)]
	za, zb := t.z[:n][:len(x)], t.z[n : 2*n][:len(x)]
	ia, share, si := 1/t.ai, 1/float64(k.d), t.si
	top := k.top * min(t.ai, t.least)
	for j := range x {
		v := r2[j]*share + (si + s[j])
		if v > top {
			v = top
		}
		x[j] = v
		za[j] = 1 + v*ia
		zb[j] = 1 + v*inv[j]
	}
}

// pushEven is push for d even: z S_h(z) in place of z, and then one division.
func (k *shape) pushEven(t *tile) {
	v := t.v
	n := len(v)
	all := t.z[:2*n]
	switch k.h {
	case 1:
	case 2:
		for j, z := range all {
			all[j] = z * (1 + z)
		}
	case 4:
		for j, z := range all {
			all[j] = z * (1 + z) * (1 + z*z)
		}
	case 5:
		for j, z := range all {
			all[j] = z * (1 + z*(1+z)*(1+z*z))
		}
	default:
		sum, _ := k.geometrics(t)
		sum = sum[:len(all)]
		for j, z := range all {
			all[j] = z * sum[j]
		}
	}
	da, db := all[:n][:len(v)], all[n:][:len(v)]
	x, w := t.x[:len(v)], t.w[:len(v)]
	for j := range v {
		a, b := da[j], db[j]
		v[j] = w[j] * (a + b) / (x[j] * a * b)
	}
}

// pushOdd is push for d odd: z (S_h(z) + z^h/g) in place of z.
func (k *shape) pushOdd(t *tile) {
	v := t.v
	n := len(v)
	all := t.z[:2*n]
	root := t.root[:len(all)]
	for j, z := range all {
		root[j] = 1 + math.Sqrt(z)
	}
	switch k.h {
	case 0:
	case 1:
		for j, z := range all {
			all[j] = z * (root[j] + z)
		}
	case 2:
		for j, z := range all {
			all[j] = z * (root[j]*(1+z) + z*z)
		}
	default:
		sum, power := k.geometrics(t)
		sum, power = sum[:len(all)], power[:len(all)]
		for j, z := range all {
			all[j] = z * (root[j]*sum[j] + power[j])
		}
	}
	da, db := all[:n][:len(v)], all[n:][:len(v)]
	ga, gb := root[:n][:len(v)], root[n:][:len(v)]
	x, w := t.x[:len(v)], t.w[:len(v)]
	for j := range v {
		a, b := da[j], db[j]
		v[j] = w[j] * (ga[j]*b + gb[j]*a) / (x[j] * a * b)
	}
}

// oneOverOdds returns 1/nu = z^(d/2) - 1 for y = z - 1.
func (k *shape) oneOverOdds(y float64) float64 {
	s, p := k.geometric(1 + y)
	if k.odd {
		return y * (s + p/(1+math.Sqrt(1+y)))
	}
	return y * s
}

// others fills v with P(c=0) of both directions multiplied, and 1 for the target
// itself; for tails other than d/2, where that may be 0, see slowLogs.
func (k *shape) others(t *tile) {
	d := float64(k.d)
	for j := range t.v {
		x := t.si + t.s[j] + t.r2[j]/d
		na, nb := k.oneOverOdds(min(x/t.ai, k.top)), k.oneOverOdds(min(x*t.inv[j], k.top))
		t.v[j] = na * nb / ((1 + na) * (1 + nb))
	}
	if t.self >= 0 {
		t.v[t.self] = 1
	}
}

// slow fills v with the weighted sum of f over both directions of each pair, and
// 0 for the target itself.
func (t *tile) slow(k *shape, f func(Pair) float64) {
	p := Pair{Sigma2I: t.si, Dims: k.d, Tail: k.a}
	for j := range t.v {
		p.Sigma2J, p.Dist2 = t.s[j], t.r2[j]
		p.Scale2 = t.ai
		one := f(p)
		p.Scale2 = t.a[j]
		t.v[j] = t.w[j] * (one + f(p))
	}
	if t.self >= 0 {
		t.v[t.self] = 0
	}
}

// slowLogs returns the weighted sum of log P(c=0) of both directions.
func (k *shape) slowLogs(t *tile) float64 {
	t.slow(k, Pair.LogOther)
	return total(t.v)
}
