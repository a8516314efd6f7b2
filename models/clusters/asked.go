package clusters

import (
	"cmp"
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/sparse/graph"
)

// asked is a point that may have pairs shorter than the longest edge between their ends in the
// tree. The other ends are at positions from..to of the order. level, if known, is an upper bound
// of the pairs' length.
type asked struct {
	slot     int32
	level    float64
	own      reached
	from, to int32
}

// askBlock is scratch memory of a search.
type askBlock struct {
	reach []float64
	slots []int32
}

const (
	leastBlock = 25
	mostBlock  = 48
)

// shorter returns pairs that are shorter than the longest edge between their ends in the tree. It
// searches the pairs of asks that are in no neighbour list.
func (l *Live) shorter(ctx context.Context, asks []asked) ([]graph.Edge, error) {
	v := &l.levels
	slices.SortFunc(asks, func(a, b asked) int {
		return cmp.Or(cmp.Compare(v.place[a.slot], v.place[b.slot]), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	size := min(mostBlock, max(leastBlock, len(asks)/32))
	found, errs := make([][]graph.Edge, par.Pieces(len(asks), size)), make([]error, par.Pieces(len(asks), size))
	par.Ranges(l.set.Threads, len(asks), size, func(piece, from, to int) {
		w := l.blocks.Get()
		defer l.blocks.Put(w)
		found[piece], errs[piece] = l.together(ctx, w, asks[from:to])
	})
	return slices.Concat(found...), cmp.Or(errs...)
}

// together is shorter for points that are near each other in the order. All share one bound: the
// largest height between any of them and a position.
func (l *Live) together(ctx context.Context, w *askBlock, asks []asked) ([]graph.Edge, error) {
	v := &l.levels
	first, last := int(v.place[asks[0].slot]), int(v.place[asks[len(asks)-1].slot])
	from, to := asks[0].from, asks[0].to
	least := math.Inf(1)
	w.slots = w.slots[:0]
	for _, a := range asks {
		from, to = min(from, a.from), max(to, a.to)
		least = min(least, max(l.core2[a.slot], l.knownUpTo(a.slot)))
		if n := len(w.slots); n == 0 || w.slots[n-1] != a.slot {
			w.slots = append(w.slots, a.slot)
		}
	}
	w.reach = room(w.reach, l.graph.Top())
	for slot := range w.reach {
		w.reach[slot] = -1
	}
	bound := func(k int, most float64) {
		if slot := v.order[k]; most > max(least, l.core2[slot]) {
			w.reach[slot] = most
		}
	}
	inner := v.between(first, last)
	for k := first; k <= last; k++ {
		bound(k, inner)
	}
	for k, most := first-1, inner; k >= int(from); k-- {
		most = max(most, v.height(k+1))
		bound(k, most)
	}
	for k, most := last+1, inner; k < int(to); k++ {
		most = max(most, v.height(k))
		bound(k, most)
	}
	pairs, err := l.graph.Within(ctx, w.slots, w.reach, 1)
	var found []graph.Edge
	for _, p := range pairs {
		if r2 := l.reach2(p.Row, p.New, p.Dist2); r2 < w.reach[p.Row] && r2 < v.pathMost(p.Row, p.New) {
			found = append(found, graph.Edge{I: min(p.Row, p.New), J: max(p.Row, p.New), Dist2: r2})
		}
	}
	return found, err
}
