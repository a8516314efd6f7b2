package pairwise

import "math"

// Block is one target with the sources of a block, for any number of dimensions d and tails a =
// d/2. All slices have equal length.
type Block struct {
	R2  []float64 // |mu_i - mu_j|^2
	S   []float64 // sigma_j^2
	Inv []float64 // 1/Delta_j^2
	W   []float64 // weights
	V   []float64 // set by Repulsions

	Sigma2  float64 // sigma_i^2
	Inverse float64 // 1/Delta_i^2
	Share   float64 // 1/d
	// Top is an upper bound for q = sigma_i^2 + sigma_j^2 + r^2/d, so that no power overflows.
	Top float64
	Powers
}

// distances is the plain version of Distances, for the sources from on. It handles four columns at
// a time.
func distances(r2, mu []float64, columns [][]float64, from int) {
	r2 = r2[from:]
	column := func(c int) []float64 { return columns[c][from : from+len(r2)] }
	rest := len(mu) % 4
	clear(r2)
	for c := range rest {
		x, m := mu[c], column(c)[:len(r2)]
		for k := range r2 {
			r2[k] += (x - m[k]) * (x - m[k])
		}
	}
	for c := rest; c < len(mu); c += 4 {
		x0, x1, x2, x3 := mu[c], mu[c+1], mu[c+2], mu[c+3]
		m0, m1, m2, m3 := column(c)[:len(r2)], column(c + 1)[:len(r2)], column(c + 2)[:len(r2)], column(c + 3)[:len(r2)]
		for k, s := range r2 {
			d0, d1, d2, d3 := x0-m0[k], x1-m1[k], x2-m2[k], x3-m3[k]
			r2[k] = s + ((d0*d0 + d1*d1) + (d2*d2 + d3*d3))
		}
	}
}

// repulsions is the plain version of Repulsions, for the sources after from.
func repulsions(b *Block, from int) {
	for k := from; k < len(b.V); k++ {
		x := b.R2[k]*b.Share + (b.Sigma2 + b.S[k])
		if x > b.Top {
			x = b.Top
		}
		za, zb := 1+x*b.Inverse, 1+x*b.Inv[k]
		sa, pa := b.Geometric(za)
		sb, pb := b.Geometric(zb)
		if b.Odd == 0 {
			u, v := za*sa, zb*sb
			b.V[k] = b.W[k] * (u + v) / (x * u * v)
			continue
		}
		ga, gb := 1+math.Sqrt(za), 1+math.Sqrt(zb)
		u, v := za*(ga*sa+pa), zb*(gb*sb+pb)
		b.V[k] = b.W[k] * (ga*v + gb*u) / (x * u * v)
	}
}

// gather is the plain version of Gather, for the sources after from.
func gather(sum, v []float64, columns [][]float64, from int) {
	v = v[from:]
	column := func(c int) []float64 { return columns[c][from : from+len(v)] }
	c := 0
	for ; c+4 <= len(columns); c += 4 {
		m0, m1, m2, m3 := column(c)[:len(v)], column(c + 1)[:len(v)], column(c + 2)[:len(v)], column(c + 3)[:len(v)]
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
	var total float64
	for _, f := range v {
		total += f
	}
	for ; c < len(columns); c++ {
		m := column(c)[:len(v)]
		var s float64
		for k, f := range v {
			s += f * m[k]
		}
		sum[c] += s
	}
	sum[c] += total
}

// SetDims sets Share and Powers for d dimensions, d at least 1.
func (b *Block) SetDims(d int) {
	b.Share = 1 / float64(d)
	b.Powers = NewPowers(d)
}
