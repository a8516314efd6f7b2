package pairwise

import "math"

// direction has the model's values for one direction of a pair.
type direction struct {
	inv        float64 // 1/q
	one, other float64 // P(c=1), P(c=0)
}

// weights is the plain version of weightsAt: it sets term to V of partners from, from+1, ...
func (g *Gauss) weights(u, from, n int) {
	g.distances(u, from, n)
	w, wv := g.points.W[u], g.points.W[from:from+n]
	for k, m2 := range g.term[:n] {
		a, b := g.pair(u, from+k, m2)
		na, nb := a.one*a.inv, b.one*b.inv
		g.term[k] = w * wv[k] * ((na*b.other + nb*a.other) / (a.other * b.other))
	}
}

// excess is the plain version of excessAt: it sets term to the sigma statistics.
func (g *Gauss) excess(u, from, n int) {
	g.distances(u, from, n)
	w, wv := g.points.W[u], g.points.W[from:from+n]
	for k, m2 := range g.term[:n] {
		a, b := g.pair(u, from+k, m2)
		na := a.one * a.inv * (m2*a.inv - g.dims)
		nb := b.one * b.inv * (m2*b.inv - g.dims)
		g.term[k] = w * wv[k] * ((na*b.other + nb*a.other) / (a.other * b.other))
	}
}

// others is the plain version of othersAt: it sets term to the product P of P(c=0) of both
// directions, and rest to 1 - P = P_uv(c=1) + P_uv(c=0) P_vu(c=1).
func (g *Gauss) others(u, from, n int) {
	g.distances(u, from, n)
	for k, m2 := range g.term[:n] {
		a, b := g.pair(u, from+k, m2)
		g.term[k], g.rest[k] = a.other*b.other, a.one+a.other*b.one
	}
}

// distances sets term to |mu_u - mu_v|^2, two coordinates at a time.
func (g *Gauss) distances(u, from, n int) {
	m2, mu := g.term[:n], g.points.Mu
	clear(m2)
	for c := 0; c < len(mu); c += 2 {
		x, xs := mu[c][u], mu[c][from:from+n]
		if c+1 == len(mu) {
			for k := range m2 {
				dx := x - xs[k]
				m2[k] += dx * dx
			}
			return
		}
		y, ys := mu[c+1][u], mu[c+1][from:from+n]
		for k := range m2 {
			dx, dy := x-xs[k], y-ys[k]
			m2[k] += dx*dx + dy*dy
		}
	}
}

// pair returns both directions of a pair whose squared distance is m2, with one division.
func (g *Gauss) pair(u, v int, m2 float64) (a, b direction) {
	p := &g.points
	s, da, db := p.S[u]+p.S[v], p.A[u]+p.B[v], p.A[v]+p.B[u]
	da, db = da*da, db*db
	qa, qb := da+s, db+s
	inv := 1 / (qa * qb)
	a.inv, b.inv = inv*qb, inv*qa
	fa, ga := g.raise(da*a.inv, s*a.inv)
	fb, gb := g.raise(db*b.inv, s*b.inv)
	h := m2 / 2
	exp, rest := expNeg(h*a.inv, &expTable)
	a.one, a.other = fa*exp, ga+fa*rest
	exp, rest = expNeg(h*b.inv, &expTable)
	b.one, b.other = fb*exp, gb+fb*rest
	return a, b
}

// raise converts r and 1 - r to r^(d/2) and 1 - r^(d/2) by doubling,
//
//	1 - r^(2a) = (1 - r^a)(1 + r^a),  1 - r^(a+1) = (1 - r^a) + r^a (1 - r),
//
// for odd d after the root: 1 - sqrt(r) = (1 - r) / (1 + sqrt(r)). All terms are positive, so 1 -
// r^(d/2) is as accurate as 1 - r.
func (g *Gauss) raise(r, less float64) (one, other float64) {
	if g.odd == 1 {
		r = math.Sqrt(r)
		less /= 1 + r
	}
	one, other = r, less
	for bit := g.lead; bit > 0; bit-- {
		one, other = one*one, other*(1+one)
		if g.power>>(bit-1)&1 == 1 {
			one, other = one*r, other+one*less
		}
	}
	return one, other
}

// push is the plain version of pushAt: it adds term times mu_u - mu_v to the sums
// of u and its negative to those of the partners.
func (g *Gauss) push(u, from, n int) {
	v := g.term[:n]
	for c, mu := range g.points.Mu {
		sum := g.points.Sum[c]
		x, xs, sums := mu[u], mu[from:from+n], sum[from:from+n]
		var total float64
		for k := range v {
			f := v[k] * (x - xs[k])
			total += f
			sums[k] -= f
		}
		sum[u] += total
	}
}

// spread is the plain version of spreadAt: it adds term to the sums of both ends.
func (g *Gauss) spread(u, from, n int) {
	sum := g.points.Sum[0]
	sums := sum[from : from+n]
	var total float64
	for k, t := range g.term[:n] {
		total += t
		sums[k] += t
	}
	sum[u] += total
}
