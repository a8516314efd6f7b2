package graph

// Edge is an undirected edge between points I < J with Euclidean length^2 Dist2.
type Edge struct {
	I, J  int32
	Dist2 float64
}

// Compare orders edges by (Dist2, I, J): a total order, so that the minimum
// spanning tree is unique even if lengths tie.
func (e Edge) Compare(f Edge) int {
	switch {
	case e.Dist2 < f.Dist2:
		return -1
	case e.Dist2 > f.Dist2:
		return 1
	case e.I != f.I:
		return int(e.I) - int(f.I)
	}
	return int(e.J) - int(f.J)
}

// Graph is the neighbourhood graph E of a point set (Saul 2020, eq 24) with the tree and components
// it was built from. Points are numbered 0..N-1.
//
// E is directed and stored by rows: the edges of point i are
// To[Start[i]:Start[i+1]], ascending, with their squared lengths in Dist2.
type Graph struct {
	N     int
	Start []int
	To    []int32
	Dist2 []float64

	// Tree is the minimum spanning tree T of the symmetrised kNN graph: N-1
	// edges, ascending by (I, J).
	Tree []Edge
	// Bridges are the edges that were added to connect components, a subset
	// of Tree; empty if the kNN graph was connected or Largest was chosen.
	Bridges []Edge
	// Components is the number of connected components before bridging.
	Components int
	// Keep lists, ascending, the input rows that are points of the graph: point p is row Keep[p].
	// Nil means all rows.
	Keep []int32
}

// Edges returns the number of directed edges, sum_ij E_ij.
func (g *Graph) Edges() int { return len(g.To) }

// Row returns the out-neighbours of point i in E and their squared distances.
func (g *Graph) Row(i int) (to []int32, dist2 []float64) {
	a, b := g.Start[i], g.Start[i+1]
	return g.To[a:b:b], g.Dist2[a:b:b]
}

// Has reports whether E_ij = 1.
func (g *Graph) Has(i, j int32) bool {
	to, _ := g.Row(int(i))
	lo, hi := 0, len(to)
	for lo < hi {
		m := (lo + hi) / 2
		if to[m] < j {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(to) && to[lo] == j
}
