package knn

// Permute renumbers the points in place: point order[p] becomes p, as a point and in every list.
// order must contain every number once. Equal distances keep their positions in a list, so that
// Permute by the inverse (Inverse) restores nb to the last bit.
func (nb *Neighbors) Permute(order []int32) {
	number := Inverse(order)
	for q, i := range nb.Index {
		nb.Index[q] = number[i]
	}
	// Rows move along the cycles of the permutation; number is -1 for moved rows.
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

// Inverse returns the inverse permutation: element order[p] is p.
func Inverse(order []int32) []int32 {
	out := make([]int32, len(order))
	for p, i := range order {
		out[i] = int32(p)
	}
	return out
}
