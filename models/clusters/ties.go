package clusters

import (
	"cmp"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// tied is an edge with the squared distance of its ends, which orders edges of equal reachability.
type tied struct {
	graph.Edge
	far2 float64
}

func (e tied) compare(f tied) int {
	return cmp.Or(cmp.Compare(e.Dist2, f.Dist2), cmp.Compare(e.far2, f.far2), cmp.Compare(e.I, f.I), cmp.Compare(e.J, f.J))
}

// nearestFirst returns the minimum spanning tree whose edges of equal reachability have the least
// distances, sorted by both. hdbscan, too, connects a point at its core distance to its nearest
// neighbours first. spokes are the edges whose reachability is the core distance of an end.
func nearestFirst(n int, tree, spokes []tied) []graph.Edge {
	all := append(tree, spokes...)
	slices.SortFunc(all, tied.compare)
	forest, out := graph.NewForest(n), make([]graph.Edge, 0, n-1)
	for _, e := range all {
		if forest.Union(e.I, e.J) {
			out = append(out, e.Edge)
		}
	}
	return out
}

// apart is nearestFirst for rows and their neighbour lists.
func apart[T vec.Float](x vec.Matrix[T], nb *knn.Neighbors, core2 []float64, tree []graph.Edge, d distance.Distance) []graph.Edge {
	var edges, spokes []tied
	for _, e := range tree {
		edges = append(edges, tied{e, distance.Between(d, x.Row(int(e.I)), x.Row(int(e.J)))})
	}
	for i := range x.Rows {
		index, dist2 := nb.Row(i)
		for p, j := range index {
			if dist2[p] <= core2[i] && core2[j] <= core2[i] {
				spokes = append(spokes, spoke(int32(i), j, core2[i], dist2[p]))
			}
		}
	}
	return nearestFirst(x.Rows, edges, spokes)
}

// apartGiven is nearestFirst for given distances.
func apartGiven[T vec.Float](d vec.Matrix[T], core2 []float64, tree []graph.Edge) []graph.Edge {
	var edges, spokes []tied
	for _, e := range tree {
		edges = append(edges, tied{e, squareOf(d, e.I, e.J)})
	}
	for i := range int32(d.Rows) {
		for j := range int32(d.Rows) {
			if v := squareOf(d, i, j); i != j && v <= core2[i] && core2[j] <= core2[i] {
				spokes = append(spokes, spoke(i, j, core2[i], v))
			}
		}
	}
	return nearestFirst(d.Rows, edges, spokes)
}

func spoke(i, j int32, reach2, far2 float64) tied {
	return tied{graph.Edge{I: min(i, j), J: max(i, j), Dist2: reach2}, far2}
}
