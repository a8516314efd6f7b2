package lvm

import (
	"math"
	"math/bits"
)

// width is how many partners of a row the inner loops handle at a time; their
// intermediate values stay in the first-level cache.
const width = 256

// row is one node u of a block against a run of partners v: the node's values,
// the partners' as slices of equal length, and the sums to add to.
type row struct {
	w, sigma2, a, b float64
	wv, sigma2v     []float64
	av, bv          []float64
	mu, sum         []float64   // u's coordinates and sums
	muv, sumv       [][]float64 // the partners', by coordinate
	skip            []int32     // positions in the run that carry no weight, ascending
}

// lanes are the intermediate values of one run, both directions of each pair
// (the first n and the second n of the double ones).
type lanes struct {
	m2, v      [width]float64
	inv        [2 * width]float64 // 1/q
	e          [2 * width]float64 // |mu_u - mu_v|^2 / (2q)
	one, other [2 * width]float64 // r^(d/2), 1 - r^(d/2); then P(c=1), P(c=0)
}

// prepare computes, for every partner, |mu_u - mu_v|^2 and in both directions
//
//	q = Delta^2 + sigma_u^2 + sigma_v^2,  e = |mu_u - mu_v|^2 / (2q),  r = Delta^2/q
//
// and r^(d/2), 1 - r^(d/2). One division serves both directions.
func (l *lanes) prepare(r *row) {
	n := len(r.wv)
	m2, s2, av, bv := l.m2[:n], r.sigma2v[:n], r.av[:n], r.bv[:n]
	invA, invB := l.inv[:n], l.inv[n:2*n]
	eA, eB := l.e[:n], l.e[n:2*n]
	oneA, oneB := l.one[:n], l.one[n:2*n]
	otherA, otherB := l.other[:n], l.other[n:2*n]
	distances(r, m2)
	for k := range m2 {
		s := r.sigma2 + s2[k]
		da, db := r.a+bv[k], av[k]+r.b
		da, db = da*da, db*db
		qa, qb := da+s, db+s
		inv := 1 / (qa * qb)
		ia, ib := inv*qb, inv*qa
		h := m2[k] / 2
		invA[k], invB[k] = ia, ib
		eA[k], eB[k] = h*ia, h*ib
		oneA[k], oneB[k] = da*ia, db*ib
		otherA[k], otherB[k] = s*ia, s*ib
	}
	if d := len(r.mu); d != 2 {
		raise(l.one[:2*n], l.other[:2*n], d)
	}
}

// distances sets m2 to |mu_u - mu_v|^2, two coordinates at a time.
func distances(r *row, m2 []float64) {
	clear(m2)
	for c := 0; c < len(r.mu); c += 2 {
		x, xs := r.mu[c], r.muv[c][:len(m2)]
		if c+1 == len(r.mu) {
			for k := range m2 {
				dx := x - xs[k]
				m2[k] += dx * dx
			}
			return
		}
		y, ys := r.mu[c+1], r.muv[c+1][:len(m2)]
		for k := range m2 {
			dx, dy := x-xs[k], y-ys[k]
			m2[k] += dx*dx + dy*dy
		}
	}
}

// raise turns r and 1 - r into r^(d/2) and 1 - r^(d/2) by doubling,
//
//	1 - r^(2a) = (1 - r^a)(1 + r^a),  1 - r^(a+1) = (1 - r^a) + r^a (1 - r),
//
// for odd d after taking the root: 1 - sqrt(r) = (1 - r) / (1 + sqrt(r)). All
// terms are positive, so 1 - r^(d/2) is as accurate as 1 - r.
func raise(one, other []float64, d int) {
	other = other[:len(one)]
	power := uint(d / 2)
	if d%2 == 1 {
		power = uint(d)
		for k, r := range one {
			g := math.Sqrt(r)
			one[k], other[k] = g, other[k]/(1+g)
		}
	}
	below := bits.Len(power) - 1 // binary digits after the first
	for k, r := range one {
		less := other[k]
		p, q := r, less
		for b := below - 1; b >= 0; b-- {
			p, q = p*p, q*(1+p)
			if power>>b&1 == 1 {
				p, q = p*r, q+p*less
			}
		}
		one[k], other[k] = p, q
	}
}

// probabilities turns f = r^(d/2) and 1 - f into P(c=1) = f E and P(c=0) =
// (1 - f) + f (1 - E), E = exp(-e): eq 5 and SM 17 without cancellation.
// Partners that are skipped get P(c=1) = 0, which takes them out of all sums.
func (l *lanes) probabilities(r *row) {
	n := len(r.wv)
	e, one, other := l.e[:2*n], l.one[:2*n], l.other[:2*n]
	// The loop is that of expNeg, written out because the compiler does not
	// inline it.
	table := &expTable
	for k, x := range e {
		if x > expMax {
			x = expMax
		}
		z := expShift - x*expInvLn2
		code := math.Float64bits(z)
		j := z - expShift
		t := (-x - j*expLn2Hi) - j*expLn2Lo
		p := &table[code%expSteps]
		power := math.Float64frombits(p.bits + code<<(52-7))
		t = power * (p.tail + t + t*t*(1.0/2+t*(1.0/6)+t*t*(1.0/24+t*(1.0/120))))
		f := one[k]
		one[k] = f * (power + t)
		other[k] += f * ((1 - power) - t)
	}
	for _, k := range r.skip {
		one[k], one[n+int(k)] = 0, 0
	}
}

// push adds the mu statistics of eq 11: v (mu_u - mu_v) to u and its negative
// to v, with v = D_uv nu_uv / q_uv + D_vu nu_vu / q_vu, in units of the scale of D.
func (l *lanes) push(r *row) {
	n := len(r.wv)
	v, w, wv := l.v[:n], r.w, r.wv
	invA, invB := l.inv[:n], l.inv[n:2*n]
	oneA, oneB := l.one[:n], l.one[n:2*n]
	otherA, otherB := l.other[:n], l.other[n:2*n]
	for k := range v {
		na, nb := oneA[k]*invA[k], oneB[k]*invB[k]
		za, zb := otherA[k], otherB[k]
		v[k] = w * wv[k] * ((na*zb + nb*za) / (za * zb))
	}
	for c := 0; c < len(r.mu); c += 2 {
		x, xs, sumX := r.mu[c], r.muv[c][:n], r.sumv[c][:n]
		if c+1 == len(r.mu) {
			var sx float64
			for k := range v {
				gx := v[k] * (x - xs[k])
				sx += gx
				sumX[k] -= gx
			}
			r.sum[c] += sx
			return
		}
		y, ys, sumY := r.mu[c+1], r.muv[c+1][:n], r.sumv[c+1][:n]
		var sx, sy float64
		for k := range v {
			gx, gy := v[k]*(x-xs[k]), v[k]*(y-ys[k])
			sx, sy = sx+gx, sy+gy
			sumX[k] -= gx
			sumY[k] -= gy
		}
		r.sum[c] += sx
		r.sum[c+1] += sy
	}
}

// spread adds the sigma statistics of eq 17: t to both ends, with t =
// D_uv (nu_uv / q_uv) (|mu_u - mu_v|^2 / q_uv - d) + (uv -> vu), in the same units.
func (l *lanes) spread(r *row) {
	n := len(r.wv)
	w, wv, m2, sums := r.w, r.wv, l.m2[:n], r.sumv[0][:n]
	invA, invB := l.inv[:n], l.inv[n:2*n]
	oneA, oneB := l.one[:n], l.one[n:2*n]
	otherA, otherB := l.other[:n], l.other[n:2*n]
	d := float64(len(r.mu))
	var s float64
	for k := range sums {
		ia, ib := invA[k], invB[k]
		za, zb := otherA[k], otherB[k]
		na := oneA[k] * ia * (m2[k]*ia - d)
		nb := oneB[k] * ib * (m2[k]*ib - d)
		t := w * wv[k] * ((na*zb + nb*za) / (za * zb))
		s += t
		sums[k] += t
	}
	r.sum[0] += s
}
