package graph

import "unfold/sparse/knn"

// BreadthFirst returns the points in the order of breadth-first searches along the first k entries
// of their lists, each from the first point not reached before. Neighbouring points then have close
// numbers, where the graph allows it (Cuthill and McKee, ACM National Conference 1969; theirs
// visits points of low degree first).
func BreadthFirst(nb *knn.Neighbors, k int) []int32 {
	order := make([]int32, 0, nb.N)
	seen := make([]bool, nb.N)
	visit := func(i int32) {
		if !seen[i] {
			seen[i] = true
			order = append(order, i)
		}
	}
	at := 0
	for first := range int32(nb.N) {
		for visit(first); at < len(order); at++ {
			to, _ := nb.Row(int(order[at]))
			for _, j := range to[:k] {
				visit(j)
			}
		}
	}
	return order
}
