package live

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Insert adds copies of the rows of x and returns their slots, ascending: the lowest that
// are not in use. Equal rows are distinct points.
//
// It costs a product of length Dim for every row and every point, for at least as many
// rows as there are points knn.Graph of all. If it fails, because of another
// dimension, with a *knn.ValueError because a value is not finite, or because ctx
// ended, the graph is as it was.
func (g *Graph) Insert(ctx context.Context, x vec.Matrix[float32]) ([]int32, error) {
	if err := g.rows.Check(x, g.set.Threads); err != nil {
		return nil, fmt.Errorf("live: insert: %w", err)
	}
	if x.Rows == 0 {
		return nil, ctx.Err()
	}
	slots := g.vacant(x.Rows)
	changed, err := g.enter(ctx, slots, x)
	if err != nil {
		return nil, fmt.Errorf("live: insert: %w", err)
	}
	g.follow(changed)
	return slots, nil
}

// enter adds rows and returns the slots whose entries of K changed, theirs included.
func (g *Graph) enter(ctx context.Context, slots []int32, x vec.Matrix[float32]) (set, error) {
	if x.Rows >= g.n {
		return g.rebuild(ctx, slots, x)
	}
	if err := g.rows.Put(slots, x, g.set.Threads); err != nil {
		return nil, err
	}
	top := max(g.top, int(slots[len(slots)-1])+1)
	g.grow(top)
	found, within, err := g.rows.SearchReverse(ctx, slots, g.lists.most, g.lists.reach, knn.Settings{Threads: g.set.Threads})
	if err != nil {
		g.rows.Remove(slots)
		g.lists.resize(g.top)
		return nil, err
	}
	g.top, g.n = top, g.n+x.Rows
	changed := newSet(top)
	for r, slot := range slots {
		g.live.add(slot)
		index, dist2 := found.Row(r)
		g.lists.replace(slot, index, dist2, g.n)
		changed.add(slot)
	}
	for _, w := range within {
		if p := g.lists.offer(w.Row, w.New, w.Dist2); p >= 0 && p < g.lists.k {
			changed.add(w.Row)
		}
	}
	return changed, nil
}

// rebuild adds rows and makes all lists again.
func (g *Graph) rebuild(ctx context.Context, slots []int32, x vec.Matrix[float32]) (set, error) {
	n := g.n + x.Rows
	order := g.Slots(make([]int32, 0, n))
	order = append(order, slots...)
	slices.Sort(order)
	all := x
	if g.n != 0 {
		all = vec.New[float32](n, g.dim)
		for r, slot := range slots {
			at, _ := slices.BinarySearch(order, slot)
			copy(all.Row(at), x.Row(r))
		}
		for r, slot := range order {
			if g.Has(slot) {
				copy(all.Row(r), g.rows.Row(slot))
			}
		}
	}
	nb := knn.EmptyNeighbors(n, 0)
	if n > 1 {
		var err error
		if nb, err = knn.Graph(ctx, all, min(g.lists.most, n-1), knn.Settings{Threads: g.set.Threads, Distance: g.set.Distance}); err != nil {
			return nil, err
		}
	}
	if err := g.rows.Put(slots, x, g.set.Threads); err != nil {
		return nil, err
	}
	g.top, g.n = int(order[n-1])+1, n
	g.grow(g.top)
	changed := newSet(g.top)
	for r, slot := range order {
		g.live.add(slot)
		changed.add(slot)
		index, dist2 := nb.Row(r)
		for p, j := range index {
			index[p] = order[j]
		}
		g.lists.replace(slot, index, dist2, n)
	}
	return changed, nil
}
