package live

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Graph is the neighbourhood graph of the points it holds. It is not safe for
// concurrent use. Results of its methods are valid until the next Insert or Delete.
type Graph struct {
	dim   int
	set   Settings
	rows  *knn.DynamicExact
	lists lists
	live  set // never shrinks
	n     int // points
	top   int // above all their slots
	// changed are the slots whose entries of K the last change changed.
	changed set

	forest forest
	marks  marks
	reach  reach
}

// New returns a graph without points, for rows of dimension dim.
func New(dim int, s Settings) (*Graph, error) {
	s, err := s.withDefaults(dim)
	if err != nil {
		return nil, err
	}
	g := &Graph{dim: dim, set: s, rows: knn.NewDynamicExact(s.Distance, dim), lists: lists{k: s.Neighbors, least: s.Lists, most: s.Lists + s.Spare}}
	g.marks.words = words(s.Neighbors)
	g.reach.words = g.marks.words
	return g, nil
}

// Settings returns the settings with their defaults filled in.
func (g *Graph) Settings() Settings { return g.set }

// Len returns the number of points.
func (g *Graph) Len() int { return g.n }

// Dim returns the dimension of the rows.
func (g *Graph) Dim() int { return g.dim }

// Top returns the lowest number that is above all slots in use.
func (g *Graph) Top() int { return g.top }

// Has reports whether there is a point in a slot.
func (g *Graph) Has(slot int32) bool { return slot >= 0 && int(slot) < g.top && g.live.has(slot) }

// Slots appends the slots in use, ascending.
func (g *Graph) Slots(to []int32) []int32 { return g.live.members(to) }

// Row returns a point's row, which must not be changed. Like all methods about one
// slot it panics if there is no point in it.
func (g *Graph) Row(slot int32) []float32 {
	g.must(slot)
	return g.rows.Row(slot)
}

// Neighbors returns the k nearest other points of a point and their squared
// distances, ordered by (squared distance, slot); all others if there are no k.
func (g *Graph) Neighbors(slot int32) (index []int32, dist2 []float64) {
	g.must(slot)
	return g.lists.nearest(slot)
}

// Known returns all neighbours that a point's list holds, spare ones included: no other
// point is nearer than the last of them. They are all others if there are few.
func (g *Graph) Known(slot int32) (index []int32, dist2 []float64) {
	g.must(slot)
	index, dist2 = g.lists.full(slot)
	return slices.Clip(index), slices.Clip(dist2)
}

// Within returns the pairs of a point that is asked for and another whose reach, a squared
// distance by slot and negative for none, is not below theirs. See knn.DynamicExact.Within.
func (g *Graph) Within(ctx context.Context, ask []int32, reach []float64, threads int) ([]knn.ReverseNeighbor, error) {
	return g.rows.Within(ctx, ask, reach, knn.Settings{Threads: threads})
}

// KDist2 returns the squared distance of a point's k-th neighbour, +Inf if it
// has no k.
func (g *Graph) KDist2(slot int32) float64 { return g.rankDist2(slot, g.set.Neighbors) }

func (g *Graph) rankDist2(slot int32, rank int) float64 {
	_, dist2 := g.Neighbors(slot)
	if rank > len(dist2) {
		return math.Inf(1)
	}
	return dist2[rank-1]
}

func (g *Graph) must(slot int32) {
	if !g.Has(slot) {
		panic(fmt.Sprintf("live: no point in slot %d", slot))
	}
}

// copyRows returns copies of the rows of slots.
func (g *Graph) copyRows(slots []int32) vec.Matrix[float32] {
	x := vec.New[float32](len(slots), g.dim)
	for r, slot := range slots {
		copy(x.Row(r), g.rows.Row(slot))
	}
	return x
}

// vacant returns the n lowest slots that are not in use, ascending.
func (g *Graph) vacant(n int) []int32 {
	slots := make([]int32, 0, n)
	for w := 0; len(slots) < n; w++ {
		free := ^uint64(0)
		if w < len(g.live) {
			free = ^g.live[w]
		}
		for ; free != 0 && len(slots) < n; free &= free - 1 {
			slots = append(slots, int32(w*64+bits.TrailingZeros64(free)))
		}
	}
	return slots
}

// grow makes room for slots below top.
func (g *Graph) grow(top int) {
	g.live = resized(g.live, max(len(g.live), words(top)))
	g.lists.resize(top)
}

// trim lowers top to the slots in use.
func (g *Graph) trim() {
	for g.top > 0 && !g.live.has(int32(g.top-1)) {
		g.top--
	}
	g.lists.resize(g.top)
}

// Bytes returns the memory of the graph, with its rows and all scratch memory that is kept
// included.
func (g *Graph) Bytes() int64 {
	return g.rows.Bytes() + g.lists.bytes() + int64(8*(cap(g.live)+cap(g.changed))) + g.forest.bytes() + g.marks.bytes() + g.reach.bytes()
}
