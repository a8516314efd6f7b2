package clusters

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/graph/live"
	"unfold/sparse/knn"
)

// Live keeps the clusters of points while they are inserted and deleted. After any Insert or Delete
// they equal the result of Find for the present points. A point is identified by its slot, as in
// package graph/live. Equal rows are separate points. A Live is not safe for concurrent use.
type Live struct {
	set   Settings
	graph *live.Graph
	core2 []float64 // by slot; empty if there is no point
	was2  []float64 // core2 before the last change
	// inner2 is indexed by slot, too: see Clusters.
	inner2 []float64
	tree   []graph.Edge // ascending by length
	kept   []graph.Edge // memory for the unchanged edges of a change
	// levels is the hierarchy of tree, before that of the tree before the last deletion.
	levels, before levels
	blocks         par.Lender[askBlock]
}

// empty is the squared core distance of a slot without a point.
const empty = -1

// NewLive returns a Live without points for rows of dimension dim. Ties are always Together. The
// error is a *models.SettingError, or that of live.New.
func NewLive(dim int, s Settings) (*Live, error) {
	s, err := s.Filled()
	if err != nil {
		return nil, err
	}
	s.Ties = Together // a tree that is updated has no order of equal edges
	return newLive(dim, s, live.Settings{Lists: max(s.MinSamples, spareNeighbors)})
}

// newLive is NewLive with other lengths of lists, which affect only the time.
func newLive(dim int, s Settings, lists live.Settings) (*Live, error) {
	lists.Neighbors, lists.Threads, lists.Distance = s.MinSamples, s.Threads, s.Distance
	g, err := live.New(dim, lists)
	if err != nil {
		return nil, fmt.Errorf("clusters: %w", err)
	}
	return &Live{set: s, graph: g}, nil
}

// Len returns the number of points.
func (l *Live) Len() int { return l.graph.Len() }

// Slots appends the used slots in ascending order. Row r of Clusters is the point in the r-th of
// them.
func (l *Live) Slots(to []int32) []int32 { return l.graph.Slots(to) }

// Row returns a point's row, which must not be changed.
func (l *Live) Row(slot int32) []float32 { return l.graph.Row(slot) }

// Rows returns a copy of the points' rows, in the order of their slots.
func (l *Live) Rows() vec.Matrix[float32] {
	slots := l.Slots(make([]int32, 0, l.Len()))
	x := vec.New[float32](len(slots), l.graph.Dim())
	for r, slot := range slots {
		copy(x.Row(r), l.Row(slot))
	}
	return x
}

// Bytes returns the memory in use in bytes, as live.Graph.Bytes does.
func (l *Live) Bytes() int64 {
	return l.graph.Bytes() + int64(8*(cap(l.core2)+cap(l.was2)+cap(l.inner2))+16*cap(l.kept)) + l.levels.bytes() + l.before.bytes() +
		l.blocks.Sum(func(w *askBlock) int64 { return int64(8*cap(w.reach) + 4*cap(w.slots)) })
}

// Insert adds copies of the rows of x (n x dim). It returns their slots in ascending order, the
// lowest free ones. If it fails, with an error of live.Graph.Insert, nothing has changed.
func (l *Live) Insert(ctx context.Context, x vec.Matrix[float32]) ([]int32, error) {
	before := l.Len()
	slots, err := l.graph.Insert(ctx, x)
	if len(slots) == 0 { // also on an error
		return nil, err
	}
	// The lists have changed, so the tree must follow even if ctx ends.
	ctx = context.WithoutCancel(ctx)
	if l.whole(before, x.Rows) {
		return slots, l.build(ctx)
	}
	return slots, l.grow(ctx, slots)
}

// Delete removes points by their slots. If it fails, with an error of live.Graph.Delete, nothing
// has changed.
func (l *Live) Delete(ctx context.Context, slots []int32) error {
	if err := l.graph.Delete(ctx, slots); err != nil || len(slots) == 0 {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if l.whole(l.Len(), len(slots)) {
		return l.build(ctx)
	}
	return l.shrink(ctx, slots)
}

// whole reports whether the tree is computed from scratch. It is, if at most as many points are
// unchanged as a list is long, or as have changed.
func (l *Live) whole(stay, change int) bool {
	return stay <= l.graph.Settings().Lists || stay <= change
}

// build computes the tree of all points from scratch.
func (l *Live) build(ctx context.Context) error {
	l.measure()
	slots := l.Slots(nil)
	if len(slots) < 2 {
		l.tree = nil
		return nil
	}
	x, core2 := l.Rows(), make([]float64, len(slots))
	for r, slot := range slots {
		core2[r] = l.core2[slot]
	}
	nb, err := l.lists(ctx, x)
	if err != nil {
		return err
	}
	tree, err := spanningTree(ctx, x, nb, core2, l.set)
	if err != nil {
		return err
	}
	for e := range tree {
		tree[e].I, tree[e].J = slots[tree[e].I], slots[tree[e].J]
	}
	l.tree = l.levels.kruskal(nil, tree, len(slots), l.graph.Top())
	return nil
}

// lists returns the neighbour lists of all points. x are their rows.
func (l *Live) lists(ctx context.Context, x vec.Matrix[float32]) (*knn.Neighbors, error) {
	if c, err := l.graph.Compact(); err == nil { // it fails if there are too few points
		return c.Neighbors, nil
	}
	return knn.Graph(ctx, x, x.Rows-1, l.set.knn())
}

// measureTogether is the number of slots in one task of a pass over all slots.
const measureTogether = 4096

// measure updates the core distances.
func (l *Live) measure() {
	top := l.graph.Top()
	for len(l.core2) < top {
		l.core2, l.inner2 = append(l.core2, empty), append(l.inner2, 0)
	}
	l.was2 = append(l.was2[:0], l.core2...)
	par.Ranges(l.set.Threads, len(l.core2), measureTogether, func(_, from, to int) {
		for i := int32(from); i < int32(to); i++ {
			l.core2[i] = empty
			if l.graph.Has(i) {
				_, dist2 := l.graph.Neighbors(i)
				if m := len(dist2); m > 0 {
					l.core2[i] = dist2[m-1]
				}
				l.inner2[i] = 0
				if m := len(dist2); m > 1 {
					l.inner2[i] = dist2[m-2]
				}
			}
		}
	})
}

// reach2 returns the squared mutual reachability of two slots at a squared distance.
func (l *Live) reach2(i, j int32, dist2 float64) float64 { return max(l.core2[i], l.core2[j], dist2) }

// edge returns the edge between two slots.
func (l *Live) edge(i, j int32) graph.Edge {
	return graph.Edge{I: min(i, j), J: max(i, j), Dist2: l.reach2(i, j, distance.Between(l.set.Distance, l.Row(i), l.Row(j)))}
}

// Clusters returns the clusters of the present points in the order of their slots. If there are
// fewer than 2, the error matches models.ErrBadInput.
func (l *Live) Clusters() (*Clusters, error) { return l.ClustersOf(l.Slots(make([]int32, 0, l.Len()))) }

// ClustersOf is Clusters in the order of slots. It panics unless slots contains each used slot
// exactly once.
func (l *Live) ClustersOf(slots []int32) (*Clusters, error) {
	if len(slots) != l.Len() {
		panic(fmt.Sprintf("clusters: an order of %d points of %d", len(slots), l.Len()))
	}
	if len(slots) < 2 {
		return nil, models.BadInputf("%d rows have no clusters; give at least 2", len(slots))
	}
	core2, inner2, rank := make([]float64, len(slots)), make([]float64, len(slots)), make([]int32, l.graph.Top())
	for r, slot := range slots {
		rank[slot], core2[r], inner2[r] = int32(r), l.core2[slot], l.inner2[slot]
	}
	tree := make([]graph.Edge, len(l.tree))
	for e, edge := range l.tree {
		tree[e] = graph.Edge{I: rank[edge.I], J: rank[edge.J], Dist2: edge.Dist2}
	}
	return found(core2, inner2, tree, l.set), nil
}
