package graph

import (
	"slices"

	"unfold/internal/radix"
)

// ByLength returns the indices of the edges in the order of Edge.Compare. Lengths must not be NaN.
func ByLength(edges []Edge) []int32 {
	order := new(radix.Sorter).Order(len(edges), func(e int) float64 { return edges[e].Dist2 }, make([]int32, 0, len(edges)))
	// Equal lengths go by the ends.
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && edges[order[to]].Dist2 == edges[order[from]].Dist2 {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(order[from:to], func(x, y int32) int { return edges[x].Compare(edges[y]) })
		}
		from = to
	}
	return order
}
