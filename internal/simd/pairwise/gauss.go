package pairwise

import (
	"math"
	"math/bits"
)

// gaussWidth is the number of partners of a row that are processed at a time, so that their terms
// stay in the first-level cache.
const gaussWidth = 256

// Points are the points of a block, as columns of one length n.
type Points struct {
	S    []float64   // sigma^2
	A, B []float64   // Delta_uv = A[u] + B[v]
	W    []float64   // weights, D_uv = W[u] W[v]
	Mu   [][]float64 // coordinates, d columns
	Sum  [][]float64 // Push (d columns) and Spread (one) add to it
}

// Gauss processes the pairs of points of a block under the Gaussian model, row by row: u with all v
// > u, both directions of a pair together. With
//
//	q = Delta^2 + sigma_u^2 + sigma_v^2,  e = |mu_u - mu_v|^2 / (2q),  r = Delta^2/q
//
// the probability is P(c=1) = r^(d/2) exp(-e). Neither it nor P(c=0) = (1 - r^(d/2)) + r^(d/2) (1 -
// exp(-e)) needs a subtraction that cancels.
//
// The zero value needs Reset before use. A Gauss has a few kilobytes of workspace and is not safe
// for concurrent use.
type Gauss struct {
	// The assembly depends on the order of the fields.
	points Points
	dims   float64
	// r^(d/2) is x^power with x = r, or the root of r if odd; lead is the index of the highest bit
	// of power.
	power, lead, odd uint64
	// term has the terms of the current partners: weights of differences, terms of the sigma
	// statistics, or P(c=0) of both directions multiplied, with 1 - P in rest.
	term, rest [gaussWidth]float64
	// keep has a bit for each of the current partners, zero for those to skip.
	keep   [gaussWidth / 64]uint64
	origin int
}

// Reset makes g process the points p, whose slices it keeps. Skip lists number the first point
// origin. It panics if lengths differ; Sum may be empty if only LogOther is called.
func (g *Gauss) Reset(p Points, origin int) {
	n, d := len(p.W), len(p.Mu)
	if len(p.S) != n || len(p.A) != n || len(p.B) != n || d == 0 {
		panic("pairwise: columns of points have different lengths")
	}
	for _, columns := range [2][][]float64{p.Mu, p.Sum} {
		for _, c := range columns {
			if len(c) != n {
				panic("pairwise: columns of points have different lengths")
			}
		}
	}
	g.points, g.origin, g.dims = p, origin, float64(d)
	g.odd = uint64(d % 2)
	g.power = uint64(d)
	if g.odd == 0 {
		g.power /= 2
	}
	g.lead = uint64(bits.Len64(g.power)) - 1
}

// Push adds the mu statistics of row u: V_uv (mu_u - mu_v) to Sum of u and its
// negative to Sum of v, with
//
//	V_uv = w_u w_v (P_uv(c=1) / P_uv(c=0) / q_uv + (uv -> vu)).
//
// It skips the partners in skip, ascending.
func (g *Gauss) Push(u int, skip []int32) { g.pushRow(u, skip, level) }

// Spread adds the sigma statistics of row u to Sum[0] of both ends,
//
//	w_u w_v (P_uv(c=1) / P_uv(c=0) / q_uv (|mu_u - mu_v|^2/q_uv - d) + (uv -> vu)),
//
// without the partners in skip, ascending.
func (g *Gauss) Spread(u int, skip []int32) { g.spreadRow(u, skip, level) }

// LogOther returns the sum over v > u of w_u w_v (log P_uv(c=0) + log P_vu(c=0)), without the
// partners in skip, ascending.
func (g *Gauss) LogOther(u int, skip []int32) float64 { return g.logRow(u, skip, level) }

// leave sets the term of the partners of skip in from..from+n and returns the rest of skip.
func (g *Gauss) leave(skip []int32, from, n int, term float64) []int32 {
	from += g.origin
	for len(skip) > 0 && int(skip[0]) < from+n {
		at := int(skip[0]) - from
		g.term[at], g.rest[at] = term, 0
		skip = skip[1:]
	}
	return skip
}

// mark sets keep for partners from..from+n except those in skip, and returns the rest of skip.
func (g *Gauss) mark(skip []int32, from, n int) []int32 {
	for w := range g.keep {
		g.keep[w] = ^uint64(0)
	}
	if n < gaussWidth {
		g.keep[n/64] = 1<<(n%64) - 1
	}
	from += g.origin
	for len(skip) > 0 && int(skip[0]) < from+n {
		at := int(skip[0]) - from
		g.keep[at/64] &^= 1 << (at % 64)
		skip = skip[1:]
	}
	return skip
}

// logs returns the weighted sum of the logarithms of the n terms. For terms near one it uses their
// complements.
func (g *Gauss) logs(u, from, n int) float64 {
	rest, w := g.rest[:n], g.points.W[from:from+n]
	var total float64
	for k, p := range g.term[:n] {
		if x := rest[k]; x < 0.5 {
			total += w[k] * math.Log1p(-x)
		} else {
			total += w[k] * math.Log(p)
		}
	}
	return g.points.W[u] * total
}
