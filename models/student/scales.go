package student

import (
	"fmt"
	"math"

	"unfold/coarse/farfield"
	"unfold/internal/par"
	"unfold/internal/quantile"
	"unfold/sparse"
	"unfold/sparse/knn"
)

// Scales selects how length scales are computed from distances.
type Scales int

const (
	// Native scales are squared distances, delta_ij^2 = |x_i - x_j|^2 / unit and
	// Delta_i^2 = max_j delta_ij^2, clipped to [0.1, 10].
	Native Scales = iota
	// Unit scales are all 1.
	Unit
	// Unclipped scales are Native without clipping. Only near duplicates are raised, to 1e-6, so
	// that the likelihood stays finite.
	Unclipped
)

// ClipLow and ClipHigh bound the clipped scales. leastScale2 is the least of the unclipped ones.
const (
	ClipLow, ClipHigh = 0.1, 10
	leastScale2       = 1e-6
)

// Delta2 returns the squared length scale of a squared distance.
func (s Scales) Delta2(dist2, unit float64) float64 {
	switch s {
	case Native:
		return min(max(dist2/unit, ClipLow), ClipHigh)
	case Unit:
		return 1
	case Unclipped:
		return max(dist2/unit, leastScale2)
	}
	panic(fmt.Sprintf("student: unknown scales %d", s))
}

// Unit returns the divisor of squared distances. It is the median squared length of the edges from
// every point to the first k of its list; for an even number, the mean of the two middle ones. If
// the median is 0, it is the mean, and if that is 0, too, it is 1. For Unit scales it is 1.
func (s Scales) Unit(nb *knn.Neighbors, k int) float64 {
	if s == Unit || nb.N*k == 0 {
		return 1
	}
	all := make([]float64, 0, nb.N*k)
	var sum float64
	for i := range nb.N {
		_, dist2 := nb.Row(i)
		all = append(all, dist2[:k]...)
		for _, v := range dist2[:k] {
			sum += v / float64(nb.N*k)
		}
	}
	switch unit := quantile.Middle(all); {
	case unit > 0:
		return unit
	case sum > 0:
		return sum
	}
	return 1
}

// lengths are the length scales of a point set. They come from distances or, on a map that follows
// the data's density, also from the scales of points.
type lengths struct {
	scales Scales
	unit   float64
	// density is gamma of H21. If it is not 0, radius2 are R_i^2 (n).
	density float64
	radius2 []float64
	// single stores the length scales in single precision even for few points.
	single bool
}

// newLengths returns the length scales of points with near edges to the first k of their lists.
func newLengths(nb *knn.Neighbors, k int, s Settings, unit float64) lengths {
	l := lengths{scales: s.Scales, unit: unit, density: s.Density, single: s.Single}
	if l.density == 0 {
		return l
	}
	l.radius2 = make([]float64, nb.N)
	for i := range l.radius2 {
		_, dist2 := nb.Row(i)
		for _, v := range dist2[:k] {
			l.radius2[i] += v / float64(k)
		}
		l.radius2[i] = Native.Delta2(l.radius2[i], unit)
	}
	return l
}

// pair returns the squared length scale of an edge between two points. With a density, it is
//
//	delta_ij^2 = clip(|x_i - x_j|^2 / (unit R_i R_j)) (R_i R_j)^gamma,
//	R_i^2 = clip(mean_j |x_i - x_j|^2 / unit) over the near edges of i.            (H21)
func (l *lengths) pair(i, j int32, dist2 float64) float64 {
	if l.density == 0 {
		return l.scales.Delta2(dist2, l.unit)
	}
	own := math.Sqrt(l.radius2[i] * l.radius2[j])
	return Native.Delta2(dist2, l.unit*own) * math.Pow(own, l.density)
}

// own is pair with both ends at point i, for Delta_i^2.
func (l *lengths) own(i int32, dist2 float64) float64 { return l.pair(i, i, dist2) }

// Problem holds the constants of the likelihood: the similar pairs, their length scales, and the
// dissimilar pairs of every point.
type Problem struct {
	// Similar has an entry for every pair of points with an edge in either direction. It is a
	// symmetric pattern without a diagonal and without values.
	Similar *sparse.CSR
	// weights are S_ij + S_ji of the entries: those of near edges, and the present weights of
	// further ones (Weigh).
	weights pairWeights
	// delta2 are delta_ij^2 of the entries of Similar.
	delta2 pairLengths
	// Bandwidth2 are Delta_i^2 (n).
	Bandwidth2 []float64
	// Unit is the divisor of squared distances. Scales selects how scales follow from the quotient.
	Unit   float64
	Scales Scales
	// Intrinsic is the intrinsic dimension of the points for the default weight of dissimilar pairs, 0
	// if it is unknown or the weight is given.
	Intrinsic float64
	// Field sums over the dissimilar pairs. The caller makes it from Bandwidth2.
	Field farfield.Field
}

// NewProblem returns the problem of directed edges, S_ij = 1, from every point to the first k of
// its neighbours. It has no field yet. It panics unless 1 <= k <= nb.K.
func NewProblem(nb *knn.Neighbors, k int, s Scales) *Problem {
	if k < 1 || k > nb.K {
		panic(fmt.Sprintf("student: %d neighbours of lists of %d", k, nb.K))
	}
	return newProblem(nb, nil, edgeWeights{rank: nearWeights(k, 0)}, lengths{scales: s, unit: s.Unit(nb, k)}, 0)
}

// newProblem is NewProblem with given length scales, weights of near edges and further edges, which
// may be nil and have no weight yet. The unit may be that of an earlier problem, so that scales
// stay the same when points are added and removed. A further edge from a point to itself is
// ignored.
func newProblem(nb, further *knn.Neighbors, near edgeWeights, s lengths, threads int) *Problem {
	k := len(near.rank)
	if k < 1 || k > nb.K {
		panic(fmt.Sprintf("student: %d neighbours of lists of %d", k, nb.K))
	}
	e := &adjacency{nb: nb, further: further, near: near, scale: s}
	c := e.pattern(threads)
	p := &Problem{Similar: c, delta2: newPairLengths(s.single || SingleLengths(nb.N), c.NNZ()), Bandwidth2: make([]float64, nb.N), Unit: s.unit, Scales: s.scales}
	numbers := newNumbering(c.NNZ(), par.Pieces(nb.N, rowPiece))
	par.Ranges(threads, nb.N, rowPiece, func(t, from, to int) {
		piece := numbers.piece(t, c.Start[from], c.Start[to])
		for u := from; u < to; u++ {
			_, dist2 := nb.Row(u)
			for _, d := range dist2[:k] {
				p.Bandwidth2[u] = max(p.Bandwidth2[u], s.own(int32(u), d))
			}
			for q := c.Start[u]; q < c.Start[u+1]; q++ {
				i, j := int32(u), c.Index[q]
				w, length := e.pair(min(i, j), max(i, j))
				piece.set(q, w)
				p.delta2.set(q, length)
			}
		}
	})
	p.weights = numbers.weights(threads)
	return p
}

// Weigh sets the weight of every further edge to s.
func (p *Problem) Weigh(s float64) { p.weights.weigh(s) }

// N returns the number of points.
func (p *Problem) N() int { return p.Similar.N }

// edges returns sum_ij S_ij of the near edges.
func (p *Problem) edges() float64 {
	var sum float64
	for q := range p.Similar.Index {
		sum += p.weights.near(q)
	}
	return sum / 2
}

// Bytes returns the memory of the constants in bytes, without the field.
func (p *Problem) Bytes() int64 {
	return p.Similar.Bytes() + p.delta2.bytes() + 8*int64(len(p.Bandwidth2)) + p.weights.bytes()
}
