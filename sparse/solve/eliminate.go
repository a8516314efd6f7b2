package solve

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// half is one direction of an edge while points are eliminated: an entry in the
// list of one end that knows the other end and the entry there.
type half struct {
	weight         float64 // 0 for an edge that is no more
	to, back, next int32
}

// elimination is the state of the algorithm of Kyng and Sachdeva 2016. Eliminating
// point v with weights w_1 <= w_2 <= ... of sum W (Gamma included) joins all
// its neighbours with weights w_i w_j / W. Instead, each but the last is
// joined to one of those after it, j with probability w_j / S_i, S_i the sum of
// the weights after i, by an edge of weight w_i S_i / W: the same on average, and
// no more edges than before. Gamma, an edge to the ground, is shared out exactly.
type elimination struct {
	halves []half
	head   []int32
	ground []float64
	queue  queue
	rng    *rand.Rand

	list  []int32   // entries of the present point, ascending by weight
	sums  []float64 // of their weights, running
	place []int32   // entry of a neighbour in list, -1 if there is none
}

// newElimination lists the edges of a.
func newElimination(a *Laplacian, seed uint64) *elimination {
	n := a.W.N
	e := &elimination{
		halves: make([]half, a.W.NNZ()), head: make([]int32, n), ground: make([]float64, n),
		rng: rand.New(rand.NewPCG(seed, 0xacdc)), place: make([]int32, n),
	}
	degree, cursor := make([]int32, n), make([]int32, n)
	for i := range n {
		e.head[i], e.place[i] = -1, -1
		index, w := a.W.Row(i)
		e.ground[i] = excess(a.Diagonal[i], w)
		for p, j := range index {
			at := int32(a.W.Start[i] + p)
			// W is symmetric and its columns ascend: row j meets column i after
			// all smaller ones.
			back := int32(a.W.Start[j]) + cursor[j]
			cursor[j]++
			e.halves[at] = half{weight: w[p], to: j, back: back, next: -1}
			if w[p] == 0 {
				continue
			}
			e.halves[at].next, e.head[i] = e.head[i], at
			degree[i]++
		}
	}
	e.queue = newQueue(degree, e.rng)
	return e
}

// gather makes the list of v's neighbours, each once, and returns the sum of weights.
func (e *elimination) gather(v int32) float64 {
	e.list, e.sums = e.list[:0], e.sums[:0]
	for at := e.head[v]; at >= 0; at = e.halves[at].next {
		h := &e.halves[at]
		if h.weight == 0 {
			continue
		}
		if first := e.place[h.to]; first >= 0 {
			e.halves[first].weight += h.weight
			e.halves[h.back].weight = 0
			e.queue.move(h.to, -1)
			continue
		}
		e.place[h.to] = at
		e.list = append(e.list, at)
	}
	slices.SortFunc(e.list, func(p, q int32) int {
		a, b := &e.halves[p], &e.halves[q]
		switch {
		case a.weight < b.weight:
			return -1
		case a.weight > b.weight:
			return 1
		}
		return int(a.to - b.to)
	})
	var total float64
	for _, at := range e.list {
		e.place[e.halves[at].to] = -1
		total += e.halves[at].weight
		e.sums = append(e.sums, total)
	}
	return total
}

// join replaces the edges of v, whose list is made, by those among its neighbours.
func (e *elimination) join(v int32, all float64) {
	last := len(e.list) - 1
	for k, at := range e.list {
		h := e.halves[at]
		e.ground[h.to] += e.ground[v] * h.weight / all
		if k == last {
			e.halves[h.back].weight = 0
			e.queue.move(h.to, -1)
			return
		}
		after := e.sums[last] - e.sums[k]
		drawn := e.sums[k] + e.rng.Float64()*after
		to := e.halves[e.list[min(last, max(k+1, sort.SearchFloat64s(e.sums, drawn)))]].to
		// The two entries of the old edge serve the new one.
		w := h.weight * after / all
		e.halves[h.back].to, e.halves[h.back].weight = to, w
		e.halves[at] = half{weight: w, to: h.to, back: h.back, next: e.head[to]}
		e.head[to] = at
		e.queue.move(to, 1)
	}
}

// queue orders points by their number of edges, roughly: beyond the last bucket all
// are alike.
type queue struct {
	degree     []int32
	first      []int32 // of a bucket
	next, prev []int32
	low        int
}

const buckets = 256

func newQueue(degree []int32, rng *rand.Rand) queue {
	n := len(degree)
	q := queue{degree: degree, first: make([]int32, buckets), next: make([]int32, n), prev: make([]int32, n)}
	for b := range q.first {
		q.first[b] = -1
	}
	for _, v := range rng.Perm(n) { // neighbours in the input are often alike
		q.insert(int32(v))
	}
	return q
}

func (q *queue) bucket(v int32) int { return min(int(q.degree[v]), buckets-1) }

func (q *queue) insert(v int32) {
	b := q.bucket(v)
	q.next[v], q.prev[v] = q.first[b], -1
	if f := q.first[b]; f >= 0 {
		q.prev[f] = v
	}
	q.first[b] = v
	q.low = min(q.low, b)
}

func (q *queue) remove(v int32) {
	if p := q.prev[v]; p >= 0 {
		q.next[p] = q.next[v]
	} else {
		q.first[q.bucket(v)] = q.next[v]
	}
	if x := q.next[v]; x >= 0 {
		q.prev[x] = q.prev[v]
	}
}

// move notes that v has more or fewer edges.
func (q *queue) move(v, by int32) {
	q.remove(v)
	q.degree[v] += by
	q.insert(v)
}

// take removes a point with the fewest edges.
func (q *queue) take() int32 {
	for q.first[q.low] < 0 {
		q.low++
	}
	v := q.first[q.low]
	q.remove(v)
	return v
}
