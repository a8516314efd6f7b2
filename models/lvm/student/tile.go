package student

import (
	"math"

	"unfold/coarse/field"
)

// block is how many sources a target meets at a time: their columns and the
// intermediate values stay in the first-level cache.
const block = 128

// tile is one target against a block of sources.
type tile struct {
	d       int
	sources [][]float64 // d columns
	s, a, w []float64   // sigma_j^2, Delta_j^2, weight
	inv     []float64   // 1/Delta_j^2
	least   float64     // the least Delta_j^2
	r2, x   []float64   // |mu_i - mu_j|^2, and x of H10
	v       []float64   // what a kernel makes of it
	z       []float64   // twice as long: of the target's scale and the sources',
	root    []float64   // and of each z 1 + sqrt z, S_h(z) and z^h
	sum     []float64
	power   []float64
	mu      []float64 // the target: d coordinates,
	si, ai  float64   // sigma_i^2, Delta_i^2
	self    int       // the position of the target, or -1

	room [12 * block]float64
}

// workspace returns size values of the visitor's memory.
func workspace(b *field.Batch, size int) []float64 {
	if cap(b.Work) < size {
		b.Work = make([]float64, size)
	}
	return b.Work[:size]
}

// each calls f for every target of b against every block of sources, with the
// distances filled in.
func (t *tile) each(b *field.Batch, f func(t *tile, p int)) {
	for from := 0; from < len(b.Weight); from += block {
		to := min(len(b.Weight), from+block)
		n := to - from
		for c, m := range b.Sources.Mu {
			t.sources[c] = m[from:to]
		}
		t.s, t.a, t.w = b.Sources.Sigma2[from:to], b.Sources.Delta2[from:to], b.Weight[from:to]
		room := t.room[:]
		take := func(n int) []float64 {
			v := room[:n:n]
			room = room[n:]
			return v
		}
		t.inv, t.r2, t.x, t.v = take(n), take(n), take(n), take(n)
		t.z, t.root, t.sum, t.power = take(2*n), take(2*n), take(2*n), take(2*n)
		t.least = t.a[0]
		for k, a := range t.a {
			t.inv[k] = 1 / a
			t.least = min(t.least, a)
		}
		for p := range b.Points {
			for c, m := range b.Targets.Mu {
				t.mu[c] = m[p]
			}
			t.si, t.ai = b.Targets.Sigma2[p], b.Targets.Delta2[p]
			t.self = -1
			if at := b.Self + p - from; b.Self >= 0 && at >= 0 && at < n {
				t.self = at
			}
			t.distances()
			f(t, p)
		}
	}
}

// distances fills r2, four columns at a time.
func (t *tile) distances() {
	r2 := t.r2
	rest := t.d % 4
	switch rest {
	case 0:
		clear(r2)
	case 1:
		x0, m0 := t.mu[0], t.sources[0][:len(r2)]
		for k := range r2 {
			d0 := x0 - m0[k]
			r2[k] = d0 * d0
		}
	case 2:
		x0, x1, m0, m1 := t.mu[0], t.mu[1], t.sources[0][:len(r2)], t.sources[1][:len(r2)]
		for k := range r2 {
			d0, d1 := x0-m0[k], x1-m1[k]
			r2[k] = d0*d0 + d1*d1
		}
	case 3:
		x0, x1, x2 := t.mu[0], t.mu[1], t.mu[2]
		m0, m1, m2 := t.sources[0][:len(r2)], t.sources[1][:len(r2)], t.sources[2][:len(r2)]
		for k := range r2 {
			d0, d1, d2 := x0-m0[k], x1-m1[k], x2-m2[k]
			r2[k] = d0*d0 + d1*d1 + d2*d2
		}
	}
	for c := rest; c < t.d; c += 4 {
		x0, x1, x2, x3 := t.mu[c], t.mu[c+1], t.mu[c+2], t.mu[c+3]
		m0, m1 := t.sources[c][:len(r2)], t.sources[c+1][:len(r2)]
		m2, m3 := t.sources[c+2][:len(r2)], t.sources[c+3][:len(r2)]
		for k, s := range r2 {
			d0, d1, d2, d3 := x0-m0[k], x1-m1[k], x2-m2[k], x3-m3[k]
			r2[k] = s + ((d0*d0 + d1*d1) + (d2*d2 + d3*d3))
		}
	}
}

// gather adds sum_k v_k mu_k to sum[:d] and sum_k v_k to sum[d].
func (t *tile) gather(sum []float64) {
	v, c := t.v, 0
	for ; c+4 <= t.d; c += 4 {
		m0, m1 := t.sources[c][:len(v)], t.sources[c+1][:len(v)]
		m2, m3 := t.sources[c+2][:len(v)], t.sources[c+3][:len(v)]
		var s0, s1, s2, s3 float64
		for k, f := range v {
			s0 += f * m0[k]
			s1 += f * m1[k]
			s2 += f * m2[k]
			s3 += f * m3[k]
		}
		sum[c] += s0
		sum[c+1] += s1
		sum[c+2] += s2
		sum[c+3] += s3
	}
	if c+2 <= t.d {
		m0, m1 := t.sources[c][:len(v)], t.sources[c+1][:len(v)]
		var s0, s1, s float64
		for k, f := range v {
			s0 += f * m0[k]
			s1 += f * m1[k]
			s += f
		}
		sum[c] += s0
		sum[c+1] += s1
		if c += 2; c == t.d {
			sum[t.d] += s
			return
		}
	}
	if c < t.d {
		sum[c] += dot(v, t.sources[c])
	}
	sum[t.d] += total(v)
}

// dot returns a'b by four sums side by side; total is the sum of a.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(a); k += 4 {
		s0 += a[k] * b[k]
		s1 += a[k+1] * b[k+1]
		s2 += a[k+2] * b[k+2]
		s3 += a[k+3] * b[k+3]
	}
	for ; k < len(a); k++ {
		s0 += a[k] * b[k]
	}
	return (s0 + s1) + (s2 + s3)
}

func total(a []float64) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(a); k += 4 {
		s0 += a[k]
		s1 += a[k+1]
		s2 += a[k+2]
		s3 += a[k+3]
	}
	for ; k < len(a); k++ {
		s0 += a[k]
	}
	return (s0 + s1) + (s2 + s3)
}

// logs returns the weighted sum of log v_k: equal weights in a row are
// multiplied up, with a logarithm where the product becomes small.
func (t *tile) logs() float64 {
	var sum float64
	product, weight := 1.0, 0.0
	for k, v := range t.v {
		if t.w[k] != weight {
			if product != 1 {
				sum += weight * math.Log(product)
			}
			product, weight = 1, t.w[k]
		}
		product *= v
		if product < 1e-150 {
			sum += weight * math.Log(product)
			product = 1
		}
	}
	return sum + weight*math.Log(product)
}
