package knn

// Permute gives the points other numbers, in place: the point order[p] gets the number p, as a
// point and wherever a list names it. order holds every number once. Equal distances keep their
// places in a list, so that Permute by the inverse (Inverse) restores nb to the last bit.
func (nb *Neighbors) Permute(order []int32) {
	number := Inverse(order)
	for q, i := range nb.Index {
		nb.Index[q] = number[i]
	}
	// Rows move along the cycles of the permutation; number is -1 of those that have moved.
	index, dist2 := make([]int32, nb.K), make([]float64, nb.K)
	for first := range order {
		if number[first] < 0 {
			continue
		}
		own, along := nb.Row(first)
		copy(index, own)
		copy(dist2, along)
		to := first
		for from := int(order[to]); from != first; from = int(order[to]) {
			i, d := nb.Row(from)
			own, along = nb.Row(to)
			copy(own, i)
			copy(along, d)
			number[from], to = -1, from
		}
		own, along = nb.Row(to)
		copy(own, index)
		copy(along, dist2)
	}
}

// Inverse returns the permutation that undoes order: at order[p] stands p.
func Inverse(order []int32) []int32 {
	out := make([]int32, len(order))
	for p, i := range order {
		out[i] = int32(p)
	}
	return out
}
