package knn

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
	"unfold/internal/simd/tile"
	"unfold/sparse/distance"
)

// ReverseNeighbor is a pair of slots: the row in New is within the reach of the row in Row, which
// may therefore list it. Dist2 is their squared distance.
type ReverseNeighbor struct {
	Row, New int32
	Dist2    float64
}

// SearchReverse finds the k nearest other rows of each row in ask, which lists slots. List r
// belongs to ask[r] and is ordered by (squared distance, slot). If there are fewer than k other
// rows, it is padded with slot math.MaxInt32 at an infinite distance.
//
// The same pass finds the reverse neighbours of the rows in ask. reach, if not nil, has for every
// slot below Top the largest squared distance of neighbours that its row would accept, negative for
// none. All pairs within reach are returned, ordered by (Row, Dist2, New).
//
// It costs a product of length Dim for each pair of a row in ask and a row. It returns an error if
// a slot is empty, k is not positive, or ctx ends.
func (s *DynamicExact) SearchReverse(ctx context.Context, ask []int32, k int, reach []float64, set Settings) (*Neighbors, []ReverseNeighbor, error) {
	if k < 1 {
		return nil, nil, fmt.Errorf("knn: %d neighbours asked for, want at least 1", k)
	}
	for _, slot := range ask {
		if !s.Has(slot) {
			return nil, nil, fmt.Errorf("knn: slot %d is asked for and empty", slot)
		}
	}
	lists := EmptyNeighbors(len(ask), k)
	if len(ask) == 0 || s.Len() < 2 {
		return lists, nil, cancelled(ctx)
	}
	found, err := s.reverse(ctx, ask, lists, reach, set)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(found, CompareReverse)
	return lists, found, nil
}

// reverse fills the lists, and returns the pairs within reach.
func (s *DynamicExact) reverse(ctx context.Context, ask []int32, lists *Neighbors, reach []float64, set Settings) ([]ReverseNeighbor, error) {
	if s.distance != distance.Euclidean {
		return s.plainReverse(ctx, ask, lists, reach, set)
	}
	a := newReverseSearch(s, ask, lists, reach)
	a.begin(ctx, set.Threads)
	return a.all(ctx, set)
}

// Within returns only the pairs of SearchReverse: each row in ask with every other row whose reach
// is at least their squared distance. Their order is deterministic but unspecified. Rows with
// negative reach cost little if they are close together.
func (s *DynamicExact) Within(ctx context.Context, ask []int32, reach []float64, set Settings) ([]ReverseNeighbor, error) {
	for _, slot := range ask {
		if !s.Has(slot) {
			return nil, fmt.Errorf("knn: slot %d is asked for and empty", slot)
		}
	}
	if len(ask) == 0 {
		return nil, cancelled(ctx)
	}
	if s.distance != distance.Euclidean {
		return s.plainReverse(ctx, ask, EmptyNeighbors(len(ask), 0), reach, set)
	}
	a := newReverseSearch(s, ask, EmptyNeighbors(len(ask), 0), reach)
	for r := range a.least {
		a.least[r] = float32(math.Inf(1))
	}
	return a.all(ctx, set)
}

// CompareReverse orders pairs by (Row, Dist2, New).
func CompareReverse(a, b ReverseNeighbor) int {
	switch {
	case a.Row != b.Row:
		return int(a.Row) - int(b.Row)
	case a.Dist2 < b.Dist2:
		return -1
	case a.Dist2 > b.Dist2:
		return 1
	}
	return int(a.New) - int(b.New)
}

// reverseSearch is the state of one search. The rows in ask are packed in their own panels; lock[b]
// guards the lists and thresholds of panel b.
type reverseSearch struct {
	s       *DynamicExact
	ask     []int32
	lists   *Neighbors
	reach   []float64
	queries *tile.Panels
	least   []float32 // the least product that enters the list
	lock    []sync.Mutex
	size    int                 // panels of a strip
	found   [][]ReverseNeighbor // strip by strip
	works   par.Lender[reverseWork]
}

// reverseWork is the workspace of one goroutine.
type reverseWork struct {
	rows  [tile.Width]float32 // copies of thresholds, of the rows asked for
	cols  []float32           // and of a strip
	mask  []uint64
	first nearby  // bounds of the first strip
	near  []int32 // slots to measure
	dist2 []float64
}

func newReverseSearch(s *DynamicExact, ask []int32, lists *Neighbors, reach []float64) *reverseSearch {
	p := s.p
	a := &reverseSearch{s: s, ask: ask, lists: lists, reach: reach, size: stripPanels(s.dim)}
	a.queries = tile.NewPanels(len(ask), s.dim, p.Prefix)
	a.least = make([]float32, a.queries.Count()*tile.Width)
	z := make([]float32, s.dim)
	for r, slot := range ask {
		start, tail := load(p, z, s.Row(slot))
		a.queries.Set(r, z, start, tail)
		a.least[r] = lowest
	}
	for r := len(ask); r < len(a.least); r++ {
		a.least[r] = float32(math.Inf(1))
	}
	a.lock = make([]sync.Mutex, a.queries.Count())
	return a
}

// work lends a workspace.
func (a *reverseSearch) work() *reverseWork {
	w := a.works.Get()
	if w.cols == nil {
		w.cols, w.mask = make([]float32, a.size*tile.Width), make([]uint64, a.size*tile.Width)
	}
	return w
}

// all compares all strips.
func (a *reverseSearch) all(ctx context.Context, set Settings) ([]ReverseNeighbor, error) {
	strips := par.Pieces(a.s.p.Count(), a.size)
	a.found = make([][]ReverseNeighbor, strips)
	count := par.NewProgress(strips, set.Progress)
	par.Do(set.Threads, strips, func(t int) {
		a.strip(ctx, t)
		count.Step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return slices.Concat(a.found...), nil
}

// begin fills the lists with the nearest rows of the first strip.
func (a *reverseSearch) begin(ctx context.Context, threads int) {
	last := min(a.s.p.Count(), a.size)
	par.Do(threads, len(a.lock), func(b int) {
		w := a.work()
		defer a.works.Put(w)
		if w.first.at == nil {
			w.first = newNearby(last, tile.Height)
			w.first.begin(0, last)
		}
		end := min(len(a.ask), (b+1)*tile.Width)
		for first := b * tile.Width; first < end && ctx.Err() == nil; first += tile.Height {
			w.first.compare(a.s.p, a.queries, first, first == end-1, 0, 0, last)
			for r := first; r < min(end, first+tile.Height); r++ {
				lower := w.first.of(r - first)
				if own := int(a.s.pos[a.ask[r]]); own < len(lower) {
					lower[own] = furthest // no neighbour of itself
				}
				a.mergeNear(w, r, w.first.least(lower, a.lists.K))
				a.mergeNear(w, r, w.first.more(lower, a.s.p.limit(a.least[r])))
			}
		}
	})
}

// mergeNear computes the distances of positions and inserts those that belong in list r.
func (a *reverseSearch) mergeNear(w *reverseWork, r int, at []int32) {
	w.near = w.near[:0]
	for _, j := range at {
		w.near = append(w.near, a.s.slot[j])
	}
	index, dist2 := a.lists.Row(r)
	merge(index, dist2, w.near, a.measure(w, r))
	a.least[r] = a.s.p.threshold(dist2[len(dist2)-1])
}

// strip compares strip t with all rows in ask. The first strip is in the lists already.
func (a *reverseSearch) strip(ctx context.Context, t int) {
	if t == 0 && a.reach == nil {
		return
	}
	p := a.s.p
	w := a.work()
	defer a.works.Put(w)
	first, last := t*a.size, min(p.Count(), (t+1)*a.size)
	wanted := false
	for c := range w.cols {
		w.cols[c] = float32(math.Inf(1))
		if i := first*tile.Width + c; a.reach != nil && i < len(a.s.slot) {
			if dist2 := a.reach[a.s.slot[i]]; dist2 >= 0 {
				w.cols[c] = p.threshold(dist2)
				wanted = true
			}
		}
	}
	if a.lists.K == 0 && !wanted {
		return
	}
	for b := range a.lock {
		if ctx.Err() != nil {
			return
		}
		a.lock[b].Lock()
		copy(w.rows[:], a.least[b*tile.Width:])
		a.lock[b].Unlock()
		if t == 0 {
			for r := range w.rows {
				w.rows[r] = float32(math.Inf(1))
			}
		}
		rows := min(tile.Width, len(a.ask)-b*tile.Width)
		for r := 0; r < rows; r += tile.Height {
			if rows-r == 1 {
				tile.ScanRow(p.level, w.mask[r*(last-first):], a.queries, b*tile.Width+r, w.rows[r], p.Panels, first, last, w.cols)
			} else {
				tile.Scan(p.level, w.mask[r*(last-first):], a.queries, b*tile.Width+r, w.rows[r:], p.Panels, first, last, w.cols)
			}
		}
		a.lock[b].Lock()
		for r := 0; r < rows; r += tile.Height {
			lines := tile.Height
			if rows-r == 1 {
				lines = 1
			}
			a.offerPassed(w, w.mask[r*(last-first):][:(last-first)*lines], b*tile.Width+r, lines, first, t)
		}
		a.lock[b].Unlock()
	}
}

// offerPassed computes the distances of the pairs in a mask. Its lines are rows of ask from first
// on, and its columns start at the given panel.
func (a *reverseSearch) offerPassed(w *reverseWork, mask []uint64, first, lines, panel, strip int) {
	for r := first; r < min(first+lines, len(a.ask)); r++ {
		w.near = w.near[:0]
		for t := r - first; t < len(mask); t += lines {
			for pass := mask[t]; pass != 0; pass &= pass - 1 {
				j := a.s.slot[(panel+t/lines)*tile.Width+bits.TrailingZeros64(pass)]
				if j != a.ask[r] {
					w.near = append(w.near, j)
				}
			}
		}
		for p, d2 := range a.measure(w, r) {
			j := w.near[p]
			if strip > 0 && a.lists.K > 0 {
				a.offer(r, j, d2)
			}
			if a.reach != nil && d2 <= a.reach[j] {
				a.found[strip] = append(a.found[strip], ReverseNeighbor{Row: j, New: a.ask[r], Dist2: d2})
			}
		}
	}
}

// measure returns the squared distances between row ask[r] and those in near.
func (a *reverseSearch) measure(w *reverseWork, r int) []float64 {
	w.dist2 = slices.Grow(w.dist2[:0], len(w.near))[:len(w.near)]
	dist.Exact(w.dist2, a.s.Row(a.ask[r]), a.s.x, a.s.dim, w.near)
	return w.dist2
}

// offer inserts slot j into list r if it belongs there.
func (a *reverseSearch) offer(r int, j int32, d2 float64) {
	index, dist2 := a.lists.Row(r)
	if insert(index, dist2, j, d2) {
		a.least[r] = a.s.p.threshold(dist2[len(dist2)-1])
	}
}
