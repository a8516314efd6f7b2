package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// bridge is a directed edge between two components.
type bridge struct {
	from, to int32
	dist2    float64
}

func (b bridge) edge() Edge {
	return Edge{I: min(b.from, b.to), J: max(b.from, b.to), Dist2: b.dist2}
}

// connect returns the edges of the minimum spanning tree of the components, where the distance of
// two components is that of their closest points. In each of Boruvka's rounds every component joins
// its closest other one. The largest component does not search; the others find it.
//
// A point's nearest foreign point stays so while that point is foreign, and
// gets no closer when components merge. So a round searches only for points
// that lost theirs and whose old distance is below what their component has.
func connect[T vec.Float](ctx context.Context, x vec.Matrix[T], nb *knn.Neighbors, label []int32, size []int, s Settings) ([]bridge, error) {
	c := &connector[T]{x: x, paths: s.Paths, set: knn.Settings{Threads: s.Threads, Distance: s.Distance}, f: NewForest(x.Rows), near: make([]int32, x.Rows), dist2: make([]float64, x.Rows)}
	for i := range c.near {
		c.near[i] = -1
	}
	seen := make([]int32, len(size))
	for i := len(label) - 1; i >= 0; i-- {
		seen[label[i]] = int32(i)
	}
	for i, l := range label {
		c.f.Union(int32(i), seen[l])
	}
	var bridges []bridge
	for now, sizes := label, size; len(sizes) > 1; now, sizes = c.f.Labels() {
		best, err := c.round(ctx, now, sizes)
		if err != nil {
			return nil, fmt.Errorf("graph: joining %d components: %w", len(sizes), err)
		}
		for _, e := range best {
			if !math.IsInf(e.Dist2, 1) && c.f.Union(e.I, e.J) {
				bridges = append(bridges, direct(e, nb, label, size))
			}
		}
	}
	slices.SortFunc(bridges, func(a, b bridge) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return bridges, nil
}

// direct orients a bridge to start in the smaller of the two original components; for equally large
// ones, at the point whose neighbours are farther away.
func direct(e Edge, nb *knn.Neighbors, label []int32, size []int) bridge {
	_, di := nb.Row(int(e.I))
	_, dj := nb.Row(int(e.J))
	order := cmp.Or(
		cmp.Compare(size[label[e.J]], size[label[e.I]]),
		cmp.Compare(di[nb.K-1], dj[nb.K-1]),
	)
	if order > 0 {
		return bridge{from: e.I, to: e.J, dist2: e.Dist2}
	}
	return bridge{from: e.J, to: e.I, dist2: e.Dist2}
}

// connector caches the nearest foreign point of each point.
type connector[T vec.Float] struct {
	x     vec.Matrix[T]
	paths *Paths // nil, or what takes the place of x
	set   knn.Settings
	f     Forest
	// near[i] was i's nearest foreign point at squared distance dist2[i] when
	// it was last searched for; -1 and 0 before that.
	near  []int32
	dist2 []float64
}

// round returns the shortest edge that leaves each component; the largest component gets none, with
// an infinite length.
func (c *connector[T]) round(ctx context.Context, label []int32, size []int) ([]Edge, error) {
	skip := largest(size)
	best := c.shortest(label, len(size), skip)
	var ask []int32
	for i, l := range label {
		if l == skip || c.foreign(i, label) {
			continue
		}
		if c.dist2[i] <= best[l].Dist2 {
			ask = append(ask, int32(i))
		}
	}
	if len(ask) > 0 {
		found, err := c.search(ctx, ask, label)
		if err != nil {
			return nil, err
		}
		for r, i := range ask {
			c.near[i], c.dist2[i] = found.Index[r], found.Dist2[r]
		}
		best = c.shortest(label, len(size), skip)
	}
	return best, nil
}

// search finds the nearest foreign point of each that is asked for.
func (c *connector[T]) search(ctx context.Context, ask, label []int32) (*knn.Neighbors, error) {
	if c.paths != nil {
		return c.paths.nearestUnlike(ctx, ask, label, c.set.Threads)
	}
	return knn.NearestUnlike(ctx, c.x, ask, label, 1, c.set)
}

// foreign reports whether i's known nearest foreign point still is one.
func (c *connector[T]) foreign(i int, label []int32) bool {
	return c.near[i] >= 0 && label[c.near[i]] != label[i]
}

// shortest returns the shortest known edge that leaves each component.
func (c *connector[T]) shortest(label []int32, components int, skip int32) []Edge {
	best := make([]Edge, components)
	for l := range best {
		best[l].Dist2 = math.Inf(1)
	}
	for i, l := range label {
		if l == skip || !c.foreign(i, label) {
			continue
		}
		j := c.near[i]
		e := Edge{I: min(int32(i), j), J: max(int32(i), j), Dist2: c.dist2[i]}
		if e.Compare(best[l]) < 0 {
			best[l] = e
		}
	}
	return best
}
