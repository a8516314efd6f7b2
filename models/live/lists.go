package live

import (
	"context"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/sparse/graph"
	"unfold/sparse/graph/live"
	"unfold/sparse/knn"
)

// mostCore is the largest s of eq 23 for which mutual reachability is updated incrementally. Each
// step multiplies the number of points that a change affects by k, so beyond it computing from
// scratch is faster (docs/refresh.md).
const mostCore = 2

// lists are rows in slots and their nearest neighbours, updated as rows are added and removed. With
// Gaussian tails they include the parts of the model's graph, up to mostCore.
type lists struct{ *live.Graph }

// newLists makes the lists of the rows of x, in slots from 0 on.
func newLists(ctx context.Context, x vec.Matrix[float32], set Settings) (*lists, error) {
	kept := live.Settings{Neighbors: set.neighbors(), Lists: set.lists(), Distance: set.LVM.Distance, Threads: set.LVM.Threads}
	if set.LVM.Tails == lvm.Gaussian && set.LVM.Saul.Core <= mostCore {
		kept.Core, kept.Parts = set.LVM.Saul.Core, live.Similar
	}
	g, err := live.New(x.Cols, kept)
	if err != nil {
		return nil, err
	}
	_, err = g.Insert(ctx, x)
	return &lists{g}, err
}

// change deletes the rows in the slots gone, which ascend, and then adds the rows of x. It returns
// their slots. A call that fails leaves the lists unchanged: after the deletion it ignores the end
// of ctx.
func (l *lists) change(ctx context.Context, gone []int32, x vec.Matrix[float32]) ([]int32, error) {
	if len(gone) > 0 {
		if err := l.Delete(ctx, gone); err != nil {
			return nil, err
		}
		ctx = context.WithoutCancel(ctx)
	}
	if x.Rows == 0 {
		return nil, ctx.Err()
	}
	return l.Insert(ctx, x)
}

// compact returns the used slots in ascending order, and the neighbour lists of the points numbered
// in that order. If there are few points, each list contains all others. parts are the parts of the
// model's graph; nil if they are not kept or there are few points.
func (l *lists) compact() (slots []int32, nb *knn.Neighbors, parts *graph.Parts) {
	if c, err := l.Compact(); err == nil { // it fails if there are too few points
		if c.Mutual != nil {
			p := c.Parts()
			parts = &p
		}
		return c.Slots, c.Neighbors, parts
	}
	slots = l.Slots(nil)
	rank := make(map[int32]int32, len(slots))
	for r, s := range slots {
		rank[s] = int32(r)
	}
	nb = knn.NewNeighbors(len(slots), max(0, len(slots)-1))
	for r, s := range slots {
		to, length := nb.Row(r)
		index, dist2 := l.Neighbors(s)
		copy(length, dist2)
		for p, j := range index {
			to[p] = rank[j]
		}
	}
	return slots, nb, nil
}

// restoreLists puts rows into slots, which ascend; nil means 0, 1, ... Free slots among them are
// first filled and then emptied, so that new points reuse them.
func restoreLists(ctx context.Context, x vec.Matrix[float32], slots []int32, set Settings) (*lists, error) {
	if len(slots) == 0 || int(slots[len(slots)-1]) == x.Rows-1 {
		return newLists(ctx, x, set)
	}
	all := vec.New[float32](int(slots[len(slots)-1])+1, x.Cols)
	var free []int32
	for slot, i := int32(0), 0; int(slot) < all.Rows; slot++ {
		copy(all.Row(int(slot)), x.Row(i))
		if slot == slots[i] {
			i++
		} else {
			free = append(free, slot)
		}
	}
	l, err := newLists(ctx, all, set)
	if err != nil {
		return nil, err
	}
	return l, l.Delete(ctx, free)
}
