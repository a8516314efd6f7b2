package clusters

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

const (
	// spareNeighbors is the least length of lists, which then contain most edges of the tree.
	spareNeighbors = 16
	// firstAsked is the number of points of a component that are searched at first, and askedFactor
	// the factor by which it grows.
	firstAsked, askedFactor = 16, 4
	// firstFound is the number of foreign points that a search finds at first.
	firstFound = 4
	// boxedColumns is the largest number of columns for which boxes save more time than they cost.
	boxedColumns = 16
)

// spanner finds the minimum spanning tree of all pairs of points under mutual reachability (2) with
// Boruvka's algorithm: each component but the largest takes its shortest outgoing edge. Neighbour
// lists determine most of these edges. A point outside i's list is at least as far as the last of
// the list. So i is searched among all rows only if the list leaves the edge open: with boxes for
// few columns, else with tiles of products.
type spanner[T vec.Float] struct {
	x      vec.Matrix[T]
	nb     *knn.Neighbors
	core2  []float64
	set    knn.Settings
	listed bool      // the lists are final even if they are short
	boxes  *boxes[T] // nil if there are many columns
	// near[i] is the other end of i's shortest known edge to another component, of reachability
	// r2[i]; -1 if none is known. low[i] is a lower bound of all edges from i to other components.
	near []int32
	r2   []float64
	low  []float64
}

// spanningTree returns the n-1 edges of a minimum spanning tree. Dist2 is the squared reachability.
// Ties are broken arbitrarily.
func spanningTree[T vec.Float](ctx context.Context, x vec.Matrix[T], nb *knn.Neighbors, core2 []float64, set Settings) ([]graph.Edge, error) {
	s := &spanner[T]{x: x, nb: nb, core2: core2, set: set.knn(), listed: set.Recall < 1, near: make([]int32, x.Rows), r2: make([]float64, x.Rows), low: slices.Clone(core2)}
	for i := range s.near {
		s.near[i] = -1
	}
	if boxed(set.Distance, x.Cols) {
		s.boxes = newBoxes(set.Distance, x, core2, set.Threads)
	}
	forest := graph.NewForest(x.Rows)
	tree := make([]graph.Edge, 0, x.Rows-1)
	for label, size := forest.Labels(); len(size) > 1; label, size = forest.Labels() {
		best, err := s.round(ctx, label, size)
		if err != nil {
			return nil, fmt.Errorf("clusters: joining %d components: %w", len(size), err)
		}
		for _, i := range best {
			if i >= 0 && forest.Union(i, s.near[i]) {
				tree = append(tree, graph.Edge{I: min(i, s.near[i]), J: max(i, s.near[i]), Dist2: s.r2[i]})
			}
		}
	}
	return tree, nil
}

// round returns for each component the point at which its shortest outgoing edge begins, -1 for the
// largest component.
func (s *spanner[T]) round(ctx context.Context, label []int32, size []int) ([]int32, error) {
	largest := int32(0)
	for l, n := range size {
		if n > size[largest] {
			largest = int32(l)
		}
	}
	best := make([]int32, len(size))
	for l := range best {
		best[l] = -1
	}
	for i, l := range label {
		if l == largest {
			continue
		}
		if s.near[i] < 0 || label[s.near[i]] == l {
			s.look(int32(i), label)
		}
		s.improve(best, int32(i), l)
	}
	var open []int32
	for i, l := range label {
		if l != largest && s.open(best, int32(i), l) {
			open = append(open, int32(i))
		}
	}
	slices.SortFunc(open, func(i, j int32) int {
		return cmp.Or(cmp.Compare(label[i], label[j]), cmp.Compare(s.low[i], s.low[j]), cmp.Compare(i, j))
	})
	if s.boxes != nil {
		return best, s.inBoxes(ctx, open, label, best)
	}
	return best, s.inTiles(ctx, open, label, size, best)
}

// open reports whether point i may have an edge that is shorter than the best of its component l.
func (s *spanner[T]) open(best []int32, i, l int32) bool {
	return best[l] < 0 || !s.listed && s.low[i] < s.r2[best[l]]
}

// inTiles finds the shortest edges of open points. It starts with a few points of each component,
// after which most of the others are no longer open.
func (s *spanner[T]) inTiles(ctx context.Context, open, label []int32, size []int, best []int32) error {
	asked := make([]int, len(size))
	for most := firstAsked; len(open) > 0; most *= askedFactor {
		clear(asked)
		var ask, later []int32
		for _, i := range open {
			l := label[i]
			if !s.open(best, i, l) {
				continue
			}
			if asked[l]++; asked[l] <= most {
				ask = append(ask, i)
			} else {
				later = append(later, i)
			}
		}
		if err := s.search(ctx, ask, label, size); err != nil {
			return err
		}
		for _, i := range ask {
			s.improve(best, i, label[i])
		}
		open = later
	}
	return nil
}

// shortest returns the length of i's shortest known edge; infinite if there is none or i is
// negative.
func (s *spanner[T]) shortest(i int32) float64 {
	if i < 0 || s.near[i] < 0 {
		return math.Inf(1)
	}
	return s.r2[i]
}

// improve makes i's edge the best of its component if it is shorter.
func (s *spanner[T]) improve(best []int32, i, l int32) {
	if s.near[i] >= 0 && (best[l] < 0 || s.r2[i] < s.r2[best[l]]) {
		best[l] = i
	}
}

// take records the shortest edge from i to one of the given points in other components.
func (s *spanner[T]) take(i int32, index []int32, dist2 []float64, label []int32) {
	s.near[i] = -1
	for p, j := range index {
		if label[j] == label[i] {
			continue
		}
		if r2 := max(s.core2[i], s.core2[j], dist2[p]); s.near[i] < 0 || r2 < s.r2[i] {
			s.near[i], s.r2[i] = j, r2
		}
	}
}

// look finds i's shortest edge in its list and raises its lower bound.
func (s *spanner[T]) look(i int32, label []int32) {
	index, dist2 := s.nb.Row(int(i))
	s.take(i, index, dist2, label)
	s.low[i] = max(s.low[i], min(s.shortest(i), max(s.core2[i], dist2[len(dist2)-1])))
}

// search finds the shortest edges of some points among all rows.
func (s *spanner[T]) search(ctx context.Context, ask, label []int32, size []int) error {
	for k := firstFound; len(ask) > 0; k *= askedFactor {
		// The number of foreign points is at most that outside the largest component.
		most := s.x.Rows
		for _, i := range ask {
			most = min(most, s.x.Rows-size[label[i]])
		}
		k = min(k, most)
		found, err := knn.NearestUnlike(ctx, s.x, ask, label, k, s.set)
		if err != nil {
			return err
		}
		var again []int32
		for r, i := range ask {
			index, dist2 := found.Row(r)
			s.take(i, index, dist2, label)
			if k < s.x.Rows-size[label[i]] && s.r2[i] > max(s.core2[i], dist2[k-1]) {
				s.low[i] = max(s.low[i], dist2[k-1])
				again = append(again, i)
				continue
			}
			s.low[i] = s.r2[i]
		}
		ask = again
	}
	return nil
}
