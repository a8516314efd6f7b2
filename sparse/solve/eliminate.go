package solve

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// half is one direction of an edge during the elimination: an entry in the list of one end, with
// the other end and its entry there. Four of them fit in a cache line.
type half struct {
	weight         float32 // 0 for an edge that is no more
	to, back, next int32
}

// elimination is the state of the algorithm of Kyng and Sachdeva 2016. Exactly eliminating point v
// with weights w_1 <= w_2 <= ... of sum W (Gamma included) would join all its neighbours with
// weights w_i w_j / W. Instead, each neighbour i but the last is joined to a later one, j with
// probability w_j / S_i (S_i is the sum of the weights after i), by an edge of weight w_i S_i / W.
// The mean is the same, and there are no more edges than before. Gamma, an edge to the ground, is
// distributed exactly.
type elimination struct {
	halves []half
	unit   float64 // a power of two that weights are multiplied by, to be at most 1
	queue  queue
	rng    *rand.Rand

	list []neighbour // of the present point, ascending by weight
	sums []float64   // of their weights, running
}

// neighbour is an entry in the list of the current point.
type neighbour struct {
	weight float64
	to, at int32
}

// point has the state of a point during the elimination in one struct, since all of it is read when
// the point is a neighbour.
type point struct {
	ground     float64
	head       int32 // first entry, -1 if none
	place      int32 // of the point in the present list, -1 if it is not there
	degree     int32 // number of edges, some of them double
	next, prev int32 // in the bucket of the queue
}

// newElimination lists the edges of a.
func newElimination(a *Laplacian, seed uint64) *elimination {
	n := a.W.N
	e := &elimination{halves: make([]half, a.W.NNZ()), rng: rand.New(rand.NewPCG(seed, 0xacdc))}
	e.unit = unit(a.Diagonal)
	points, cursor := make([]point, n), make([]int32, n)
	for i := range n {
		v := &points[i]
		v.head, v.place = -1, -1
		index, w := a.W.Row(i)
		v.ground = excess(a.Diagonal[i], w) * e.unit
		for p, j := range index {
			at := int32(a.W.Start[i] + p)
			// W is symmetric and its columns ascend, so row j reaches column i after all smaller
			// ones.
			back := int32(a.W.Start[j]) + cursor[j]
			cursor[j]++
			e.halves[at] = half{weight: single(w[p] * e.unit), to: j, back: back, next: -1}
			if w[p] == 0 {
				continue
			}
			e.halves[at].next, v.head = v.head, at
			v.degree++
		}
	}
	e.queue = newQueue(points, e.rng)
	return e
}

// unit returns the power of two that scales the largest diagonal to one or less.
func unit(diagonal []float64) float64 {
	largest := 0.0
	for _, v := range diagonal {
		largest = max(largest, v)
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(1000, -exponent))
}

// single rounds a weight to float32, but never to zero, which would delete the edge.
func single(w float64) float32 {
	if w > 0 {
		return float32(max(w, 0x1p-126))
	}
	return float32(w)
}

// gather makes the list of v's neighbours, each once, and returns the sum of weights.
func (e *elimination) gather(v int32) float64 {
	e.list, e.sums = e.list[:0], e.sums[:0]
	points := e.queue.points
	for at := points[v].head; at >= 0; at = e.halves[at].next {
		h := &e.halves[at]
		if h.weight == 0 {
			continue
		}
		to := &points[h.to]
		if first := to.place; first >= 0 {
			e.list[first].weight += float64(h.weight)
			e.halves[h.back].weight = 0
			e.queue.move(h.to, -1)
			continue
		}
		to.place = int32(len(e.list))
		e.list = append(e.list, neighbour{float64(h.weight), h.to, at})
	}
	sortNeighbours(e.list)
	var total float64
	for _, u := range e.list {
		points[u.to].place = -1
		total += u.weight
		e.sums = append(e.sums, total)
	}
	return total
}

// sortNeighbours sorts by weight, then by number; most lists are short.
func sortNeighbours(list []neighbour) {
	if len(list) > 32 {
		slices.SortFunc(list, func(u, v neighbour) int {
			if c := cmp.Compare(u.weight, v.weight); c != 0 {
				return c
			}
			return cmp.Compare(u.to, v.to)
		})
		return
	}
	for k := 1; k < len(list); k++ {
		u, p := list[k], k
		for ; p > 0 && (list[p-1].weight > u.weight || list[p-1].weight == u.weight && list[p-1].to > u.to); p-- {
			list[p] = list[p-1]
		}
		list[p] = u
	}
}

// join replaces the edges of v, which are in e.list, by edges among its neighbours.
func (e *elimination) join(v int32, all float64) {
	last := len(e.list) - 1
	points := e.queue.points
	ground := points[v].ground
	for k, u := range e.list {
		points[u.to].ground += ground * u.weight / all
		back := e.halves[u.at].back
		if k == last {
			e.halves[back].weight = 0
			e.queue.move(u.to, -1)
			return
		}
		after := e.sums[last] - e.sums[k]
		drawn := e.sums[k] + e.rng.Float64()*after
		to := e.list[min(last, max(k+1, sort.SearchFloat64s(e.sums, drawn)))].to
		// The two entries of the old edge are reused for the new one.
		w := single(u.weight * after / all)
		e.halves[back].to, e.halves[back].weight = to, w
		e.halves[u.at] = half{weight: w, to: u.to, back: back, next: points[to].head}
		points[to].head = u.at
		e.queue.move(to, 1)
	}
}

// queue orders points by their number of edges, exactly up to the last bucket.
type queue struct {
	points []point
	first  []int32 // of a bucket
	low    int
}

const buckets = 256

func newQueue(points []point, rng *rand.Rand) queue {
	q := queue{points: points, first: make([]int32, buckets)}
	for b := range q.first {
		q.first[b] = -1
	}
	for _, v := range rng.Perm(len(points)) { // neighbours in the input are often alike
		q.insert(int32(v))
	}
	return q
}

func (p *point) bucket() int { return min(int(p.degree), buckets-1) }

func (q *queue) insert(v int32) {
	p := &q.points[v]
	b := p.bucket()
	p.next, p.prev = q.first[b], -1
	if p.next >= 0 {
		q.points[p.next].prev = v
	}
	q.first[b] = v
	q.low = min(q.low, b)
}

func (q *queue) remove(v int32) {
	p := &q.points[v]
	if p.prev >= 0 {
		q.points[p.prev].next = p.next
	} else {
		q.first[p.bucket()] = p.next
	}
	if p.next >= 0 {
		q.points[p.next].prev = p.prev
	}
}

// move updates the number of edges of v.
func (q *queue) move(v, by int32) {
	q.remove(v)
	q.points[v].degree += by
	q.insert(v)
}

// pop removes a point with the fewest edges.
func (q *queue) pop() int32 {
	for q.first[q.low] < 0 {
		q.low++
	}
	v := q.first[q.low]
	q.remove(v)
	return v
}
