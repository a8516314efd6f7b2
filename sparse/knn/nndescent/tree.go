package nndescent

import (
	"math"
	"math/rand/v2"

	"unfold/internal/quantile"
	"unfold/sparse/distance"
)

// points are rows in their own order, each aligned to a cache line if it fills several.
type points struct {
	n, dim, stride int
	data           []float32
	by             distance.Distance
}

const line = 16

func newPoints(n, dim int, by distance.Distance) points {
	stride := strideOf(dim)
	return points{n, dim, stride, make([]float32, n*stride), by}
}

func strideOf(dim int) int {
	if dim < 2*line {
		return dim
	}
	return (dim + line - 1) / line * line
}

func (p points) row(i int32) []float32 {
	at := int(i) * p.stride
	return p.data[at : at+p.dim : at+p.dim]
}

// distances writes the distances of row q and others to out, or other values in their order.
func (p points) distances(out []float32, q int32, others []int32) {
	distance.About(p.by, out, p.row(q), p.data, p.stride, others)
}

// tree is a random projection tree (Dasgupta and Freund 2008), divided at medians: leaf b has rows
// order[cut(b)] to order[cut(b+1)]. The cuts depend only on the number of rows.
type tree struct {
	order []int32
}

// cuts returns the starts of the leaves of a tree over n rows, followed by n.
func cuts(n, leaf int) []int {
	var out []int
	var split func(from, to int)
	split = func(from, to int) {
		if to-from <= leaf {
			out = append(out, from)
			return
		}
		middle := (from + to) / 2
		split(from, middle)
		split(middle, to)
	}
	split(0, n)
	return append(out, n)
}

// grow returns a tree over all rows.
func (p points) grow(leaf int, seed, number uint64) tree {
	t := tree{order: make([]int32, p.n)}
	for i := range t.order {
		t.order[i] = int32(i)
	}
	g := splitter{
		p: p, leaf: leaf, rng: rand.New(rand.NewPCG(seed, number)),
		a: make([]float32, p.n), b: make([]float32, p.n), keys: make([]uint64, p.n),
	}
	g.split(t.order)
	return t
}

type splitter struct {
	p    points
	leaf int
	rng  *rand.Rand
	a, b []float32
	keys []uint64
}

// split orders rows by the difference of their distances to two of them, which is a projection on
// the line through both if distances are squares of Euclidean ones, and continues with the halves.
func (g *splitter) split(rows []int32) {
	if len(rows) <= g.leaf {
		return
	}
	i := g.rng.IntN(len(rows))
	j := g.rng.IntN(len(rows) - 1)
	if j >= i {
		j++
	}
	a, b, keys := g.a[:len(rows)], g.b[:len(rows)], g.keys[:len(rows)]
	g.p.distances(a, rows[i], rows)
	g.p.distances(b, rows[j], rows)
	for r, row := range rows {
		keys[r] = uint64(ordered(a[r]-b[r]))<<32 | uint64(uint32(row))
	}
	middle := len(rows) / 2
	quantile.Divide(keys, middle)
	for r, k := range keys {
		rows[r] = int32(uint32(k))
	}
	g.split(rows[:middle])
	g.split(rows[middle:])
}

// ordered returns bits that compare like the values; NaN, the difference of two infinities, counts
// as 0.
func ordered(v float32) uint32 {
	if v != v {
		v = 0
	}
	b := math.Float32bits(v)
	if b>>31 != 0 {
		return ^b
	}
	return b | 1<<31
}
