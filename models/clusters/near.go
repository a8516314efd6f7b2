package clusters

import (
	"slices"

	"unfold/internal/vec"
)

// candidate is a row and its squared distance.
type candidate struct {
	dist2 float64
	row   int32
}

// beyond says whether a is farther than b.
func (a candidate) beyond(b candidate) bool {
	return a.dist2 > b.dist2 || a.dist2 == b.dist2 && a.row > b.row
}

func (a candidate) compare(b candidate) int {
	switch {
	case a.beyond(b):
		return 1
	case b.beyond(a):
		return -1
	}
	return 0
}

// nearest is the search for the k rows nearest to a point; of those that are as near the one
// of the smaller number.
type nearest[T vec.Float] struct {
	*boxes[T]
	k    int
	row  []T
	heap []candidate // the farthest first
}

// of returns the k rows nearest to row, nearest first. The list is good until the next one.
func (s *nearest[T]) of(row []T) []candidate {
	s.row, s.heap = row, s.heap[:0]
	s.visit(0, s.outside(0))
	slices.SortFunc(s.heap, candidate.compare)
	return s.heap
}

// outside is the squared distance of the point from box v.
func (s *nearest[T]) outside(v int32) (sum float64) {
	d := len(s.row)
	low, high := s.low[int(v)*d:][:d], s.high[int(v)*d:][:d]
	for k, value := range s.row {
		if out := max(low[k]-float64(value), float64(value)-high[k]); out > 0 {
			sum += out * out
		}
	}
	return sum
}

// visit looks through box v, which is so far away.
func (s *nearest[T]) visit(v int32, far float64) {
	if len(s.heap) == s.k && far > s.heap[0].dist2 {
		return
	}
	if r := s.right[v]; r > 0 {
		first, second := v+1, r
		one, other := s.outside(first), s.outside(second)
		if other < one {
			first, second, one, other = second, first, other, one
		}
		s.visit(first, one)
		s.visit(second, other)
		return
	}
	for _, j := range s.order[s.from[v]:s.to[v]] {
		s.offer(candidate{vec.SquaredDistance(s.row, s.x.Row(int(j))), j})
	}
}

// offer keeps a candidate if it is among the k nearest so far.
func (s *nearest[T]) offer(c candidate) {
	if len(s.heap) < s.k {
		s.heap = append(s.heap, c)
		if len(s.heap) == s.k {
			for i := s.k/2 - 1; i >= 0; i-- {
				s.sink(i, s.heap[i])
			}
		}
		return
	}
	if s.heap[0].beyond(c) {
		s.sink(0, c)
	}
}

// sink puts c at i, or below where it is not the farthest.
func (s *nearest[T]) sink(i int, c candidate) {
	h := s.heap
	for child := 2*i + 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child+1].beyond(h[child]) {
			child++
		}
		if !h[child].beyond(c) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = c
}
