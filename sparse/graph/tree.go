package graph

import (
	"slices"

	"unfold/sparse/knn"
)

// Symmetrize returns the undirected edges of the neighbour lists, each once: the adjacency K + K^T
// - K K^T (elementwise product) of the paper. of[i*K+p] is the edge of the p-th neighbour of point
// i.
func Symmetrize(nb *knn.Neighbors) (edges []Edge, of []int32) {
	of = make([]int32, nb.N*nb.K)
	for i := range nb.N {
		index, dist2 := nb.Row(i)
		for p, j := range index {
			if int(j) < i {
				// If i is among the neighbours of the smaller j, the edge exists already.
				back, _ := nb.Row(int(j))
				if q := slices.Index(back, int32(i)); q >= 0 {
					of[i*nb.K+p] = of[int(j)*nb.K+q]
					continue
				}
			}
			of[i*nb.K+p] = int32(len(edges))
			edges = append(edges, Edge{I: min(int32(i), j), J: max(int32(i), j), Dist2: dist2[p]})
		}
	}
	return edges, of
}

// SpanningTree returns the indices, ascending, of the edges in the minimum spanning tree of n
// points, or forest if the edges do not connect them. It uses Kruskal's algorithm, shortest edge
// first, ties by (I, J).
func SpanningTree(n int, edges []Edge) []int32 {
	f := NewForest(n)
	in, left := make([]bool, len(edges)), n-1
	for _, e := range ByLength(edges) {
		if left <= 0 {
			break
		}
		if f.Union(edges[e].I, edges[e].J) {
			in[e] = true
			left--
		}
	}
	tree := make([]int32, 0, max(n-1-left, 0))
	for e, is := range in {
		if is {
			tree = append(tree, int32(e))
		}
	}
	return tree
}
