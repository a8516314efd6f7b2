package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Parts are the intermediate results that Join needs besides the lists.
type Parts struct {
	// Label and Size are the components, see Label.
	Label []int32
	Size  []int
	// Tree has the edges of the minimum spanning forest of the symmetrised lists, in any order; see
	// SpanningTree.
	Tree []Edge
	// Mutual marks which entries of the lists are mutually reachable, see
	// MutualReach.
	Mutual []bool
}

// Join makes the neighbourhood graph E of the rows of x from the lists and their parts, which must
// belong together. It is the last stage of Build. The settings choose the treatment of components.
func Join[T vec.Float](ctx context.Context, x vec.Matrix[T], nb *knn.Neighbors, p Parts, s Settings) (*Graph, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(p.Label) != nb.N || len(p.Mutual) != len(nb.Index) {
		return nil, fmt.Errorf("graph: %d labels and %d entries that may be mutual for %d lists of %d", len(p.Label), len(p.Mutual), nb.N, nb.K)
	}
	g := &Graph{Components: len(p.Size)}
	var bridges []bridge
	if len(p.Size) > 1 {
		switch s.Components {
		case Largest:
			g.Keep = members(p.Label, largest(p.Size))
			nb, p = p.restrict(nb, g.Keep)
		case Connect:
			if bridges, err = connect(ctx, x, nb, p.Label, p.Size, s); err != nil {
				return nil, err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("graph: stopped: %w", err)
	}
	g.N = nb.N
	g.Tree = append(g.Tree, p.Tree...)
	for _, b := range bridges {
		g.Tree, g.Bridges = append(g.Tree, b.edge()), append(g.Bridges, b.edge())
	}
	SortEdges(g.Tree)
	SortEdges(g.Bridges)
	keep := slices.Clone(p.Mutual)
	for _, e := range p.Tree {
		mark(keep, nb, e.I, e.J)
		mark(keep, nb, e.J, e.I)
	}
	keepNearest(keep, nb.K)
	g.assemble(nb, keep, bridges)
	return g, nil
}

// mark keeps the entry j in the list of point i, if there is one.
func mark(keep []bool, nb *knn.Neighbors, i, j int32) {
	index, _ := nb.Row(int(i))
	if p := slices.Index(index, j); p >= 0 {
		keep[int(i)*nb.K+p] = true
	}
}

// keepNearest keeps the first entry of every list of k entries that would otherwise keep none. The
// nearest neighbour of a point is its neighbour in T, so most lists keep that edge. A list that
// misses the nearest neighbour, or breaks ties in another way than T, may keep nothing. Its point
// would then have no edge in E, and no length scale.
func keepNearest(keep []bool, k int) {
	for first := 0; first < len(keep); first += k {
		if !slices.Contains(keep[first:first+k], true) {
			keep[first] = true
		}
	}
}

// restrict returns the lists and the parts of the points of one component, renumbered
// as restrict does it.
func (p Parts) restrict(nb *knn.Neighbors, keep []int32) (*knn.Neighbors, Parts) {
	var out Parts
	for _, i := range keep {
		out.Mutual = append(out.Mutual, p.Mutual[int(i)*nb.K:(int(i)+1)*nb.K]...)
	}
	for _, e := range p.Tree {
		if i, found := slices.BinarySearch(keep, e.I); found {
			j, _ := slices.BinarySearch(keep, e.J)
			out.Tree = append(out.Tree, Edge{I: int32(i), J: int32(j), Dist2: e.Dist2})
		}
	}
	return restrict(nb, keep), out
}

// SortEdges orders edges by (I, J).
func SortEdges(e []Edge) {
	slices.SortFunc(e, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J))
	})
}

// assemble fills the rows of E with the kept entries of nb and with the bridges, which must be
// sorted by their first points.
func (g *Graph) assemble(nb *knn.Neighbors, keep []bool, bridges []bridge) {
	type entry struct {
		to    int32
		dist2 float64
	}
	var row []entry
	g.Start = make([]int, 1, nb.N+1)
	for i := range nb.N {
		row = row[:0]
		index, dist2 := nb.Row(i)
		for p, j := range index {
			if keep[i*nb.K+p] {
				row = append(row, entry{j, dist2[p]})
			}
		}
		for len(bridges) > 0 && int(bridges[0].from) == i {
			row = append(row, entry{bridges[0].to, bridges[0].dist2})
			bridges = bridges[1:]
		}
		slices.SortFunc(row, func(a, b entry) int { return cmp.Compare(a.to, b.to) })
		for _, e := range row {
			g.To, g.Dist2 = append(g.To, e.to), append(g.Dist2, e.dist2)
		}
		g.Start = append(g.Start, len(g.To))
	}
}
