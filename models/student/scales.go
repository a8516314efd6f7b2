package student

import (
	"fmt"
	"slices"

	"unfold/coarse/farfield"
	"unfold/internal/quantile"
	"unfold/sparse"
	"unfold/sparse/knn"
)

// Scales says how length scales come from distances.
type Scales int

const (
	// Native scales are squared distances, delta_ij^2 = |x_i - x_j|^2 / unit and
	// Delta_i^2 = max_j delta_ij^2, clipped to [0.1, 10].
	Native Scales = iota
	// Unit scales are all 1.
	Unit
	// Unclipped scales are Native but for the clipping: only near duplicates
	// are raised, to 1e-6, so that the likelihood stays finite.
	Unclipped
)

// Bounds of the clipped scales, and the least of the others.
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

// Unit returns what squared distances are divided by: the median of the squared
// lengths of the edges from every point to the first k of its list (of an even
// number, the mean of the two in the middle), and 1 for Unit scales. A median of
// 0 gives way to the mean, and that to 1.
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

// Problem holds the constants of the likelihood: who is similar, on what length
// scale, and what every point is held against.
type Problem struct {
	// Similar holds S_ij + S_ji, symmetric, without a diagonal: Near, and what further
	// edges weigh at present (Weigh).
	Similar *sparse.CSR
	// Near and Further count the near and the further edges of the entries of Similar.
	// Further is nil where there are none; then Near is Similar.Data.
	Near, Further []float64
	// Delta2 holds delta_ij^2 for the entries of Similar.
	Delta2 []float64
	// Bandwidth2 are Delta_i^2 (n).
	Bandwidth2 []float64
	// Unit is what squared distances were divided by, and Scales how.
	Unit   float64
	Scales Scales
	// Field are the dissimilar pairs; the caller makes it of Bandwidth2.
	Field farfield.Field
}

// NewProblem returns the problem of directed edges, S_ij = 1, from every point
// to the first k of its neighbours, still without a field. It needs 1 <= k <= nb.K.
func NewProblem(nb *knn.Neighbors, k int, s Scales) *Problem {
	if k < 1 || k > nb.K {
		panic(fmt.Sprintf("student: %d neighbours of lists of %d", k, nb.K))
	}
	return newProblem(nb, nil, k, s, s.Unit(nb, k))
}

// newProblem is NewProblem with squared distances in a given unit, that of an
// earlier problem, so that scales stay what they were as points come and go, and with
// further edges, if any, still without a weight. A further edge of a point to itself
// is none.
func newProblem(nb, further *knn.Neighbors, k int, s Scales, unit float64) *Problem {
	if k < 1 || k > nb.K {
		panic(fmt.Sprintf("student: %d neighbours of lists of %d", k, nb.K))
	}
	p := &Problem{Bandwidth2: make([]float64, nb.N), Unit: unit, Scales: s}
	count := nb.N * k
	if further != nil {
		count += len(further.Index)
	}
	l := edgeList{
		i: make([]int32, 0, count), j: make([]int32, 0, count), delta2: make([]float64, 0, count), w: make([]float64, 0, count),
	}
	for u := range nb.N {
		to, dist2 := nb.Row(u)
		for q, v := range to[:k] {
			e := s.Delta2(dist2[q], p.Unit)
			l.add(int32(u), v, e, 1)
			p.Bandwidth2[u] = max(p.Bandwidth2[u], e)
		}
	}
	near := len(l.i)
	if further != nil {
		for u := range nb.N {
			to, dist2 := further.Row(u)
			for q, v := range to {
				l.add(int32(u), v, s.Delta2(dist2[q], p.Unit), 0)
			}
		}
	}
	c, slot, slotT := sparse.Pattern(nb.N, l.i, l.j)
	c.Scatter(slot, slotT, l.w)
	p.Similar, p.Near, p.Delta2 = c, c.Data, make([]float64, c.NNZ())
	for q, v := range l.delta2 {
		if slot[q] >= 0 {
			p.Delta2[slot[q]], p.Delta2[slotT[q]] = v, v
		}
	}
	if near < len(l.i) {
		p.Near, p.Further = slices.Clone(c.Data), make([]float64, c.NNZ())
		for q := near; q < len(l.i); q++ {
			if slot[q] >= 0 {
				p.Further[slot[q]]++
				p.Further[slotT[q]]++
			}
		}
	}
	return p
}

// edgeList are directed edges with their squared scales and weights.
type edgeList struct {
	i, j      []int32
	delta2, w []float64
}

func (l *edgeList) add(i, j int32, delta2, w float64) {
	l.i, l.j, l.delta2, l.w = append(l.i, i), append(l.j, j), append(l.delta2, delta2), append(l.w, w)
}

// Weigh gives every further edge the weight s.
func (p *Problem) Weigh(s float64) {
	for q, f := range p.Further {
		p.Similar.Data[q] = p.Near[q] + s*f
	}
}

// N is the number of points.
func (p *Problem) N() int { return p.Similar.N }

// edges returns sum_ij S_ij of the near edges.
func (p *Problem) edges() float64 {
	var sum float64
	for _, v := range p.Near {
		sum += v
	}
	return sum / 2
}

// Bytes is the memory of the constants, without the field.
func (p *Problem) Bytes() int64 {
	return p.Similar.Bytes() + 8*int64(len(p.Delta2)+len(p.Bandwidth2)+2*len(p.Further))
}
