package student

import (
	"math"

	"unfold/coarse/farfield"
	"unfold/internal/simd/pairwise"
)

// block is the number of sources that a target is paired with at a time. Their columns and
// intermediate values stay in the first-level cache.
const block = 128

// tile is one target against a block of sources. each sets R2, S, Inv, W and V of the block, and
// the target's sigma^2 and 1/Delta^2.
type tile struct {
	pairwise.Block
	sources [][]float64 // d columns
	a       []float64   // Delta_j^2
	least   float64     // the least of a
	mu      []float64   // coordinates of the target, d values
	ai      float64     // Delta_i^2 of the target
	self    int         // the position of the target in the block, or -1
	stride  int         // only every stride-th point is a target

	room [3 * block]float64
}

// workspace returns size values of the visitor's memory.
func workspace(b *farfield.Batch, size int) []float64 {
	if cap(b.Work) < size {
		b.Work = make([]float64, size)
	}
	return b.Work[:size]
}

// each calls f for every target of b and every block of sources, after it has computed the
// distances.
func (t *tile) each(b *farfield.Batch, f func(t *tile, p int)) {
	for from := 0; from < len(b.Weight); from += block {
		to := min(len(b.Weight), from+block)
		n := to - from
		for c, m := range b.Sources.Mu {
			t.sources[c] = m[from:to]
		}
		t.S, t.a, t.W = b.Sources.Sigma2[from:to], b.Sources.Delta2[from:to], b.Weight[from:to]
		t.Inv, t.R2, t.V = t.room[:n], t.room[block:block+n], t.room[2*block:2*block+n]
		t.least = t.a[0]
		for k, a := range t.a {
			t.Inv[k] = 1 / a
			t.least = min(t.least, a)
		}
		for p, i := range b.Points {
			if int(i)%t.stride != 0 {
				continue
			}
			for c, m := range b.Targets.Mu {
				t.mu[c] = m[p]
			}
			t.Sigma2, t.ai = b.Targets.Sigma2[p], b.Targets.Delta2[p]
			t.Inverse = 1 / t.ai
			t.self = -1
			if at := b.Self + p - from; b.Self >= 0 && at >= 0 && at < n {
				t.self = at
			}
			pairwise.Distances(t.R2, t.mu, t.sources)
			f(t, p)
		}
	}
}

// dot returns a'b as four independent partial sums, which run in parallel. total returns the sum of
// a.
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

// logs returns the weighted sum of log v_k. Values of equal weight are multiplied, with one
// logarithm whenever the product becomes small.
func (t *tile) logs() float64 {
	var sum float64
	product, weight := 1.0, 0.0
	for k, v := range t.V {
		if t.W[k] != weight {
			if product != 1 {
				sum += weight * math.Log(product)
			}
			product, weight = 1, t.W[k]
		}
		product *= v
		if product < 1e-150 {
			sum += weight * math.Log(product)
			product = 1
		}
	}
	return sum + weight*math.Log(product)
}
