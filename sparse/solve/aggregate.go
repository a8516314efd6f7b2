package solve

import "unfold/sparse"

const (
	// strong is the least weight, relative to the largest of a row, that makes
	// two points candidates for one aggregate.
	strong = 0.25
	// dominant is the ratio of Gamma to the sum of weights from which a point
	// is left to the diagonal alone.
	dominant = 2
	// none is the aggregate of such points.
	none = -1
)

// aggregate puts the points of a weighted graph into groups of strong neighbours
// (Vanek, Mandel and Brezina 1996): first every point whose strong neighbours are
// all free forms a group with them, then the others join the group of their
// strongest neighbour, or stay alone. of[i] is the group of point i, or none.
func aggregate(w *sparse.CSR, gamma, diagonal []float64) (of []int32, count int) {
	const free = -2
	of = make([]int32, w.N)
	bound := make([]float64, w.N) // of strong weights
	for i := range of {
		of[i] = free
		if gamma[i] >= dominant*(diagonal[i]-gamma[i]) {
			of[i] = none
			continue
		}
		_, v := w.Row(i)
		for _, x := range v {
			bound[i] = max(bound[i], strong*x)
		}
	}
	for i := range of {
		if of[i] != free {
			continue
		}
		index, v := w.Row(i)
		alone := true
		for p, j := range index {
			if v[p] >= bound[i] && of[j] >= 0 {
				alone = false
				break
			}
		}
		if !alone {
			continue
		}
		of[i] = int32(count)
		for p, j := range index {
			if v[p] >= bound[i] && of[j] == free {
				of[j] = int32(count)
			}
		}
		count++
	}
	first := int32(count)
	for i := range of {
		if of[i] != free {
			continue
		}
		index, v := w.Row(i)
		best, to := 0.0, int32(none)
		for p, j := range index {
			if o := of[j]; v[p] > best && o >= 0 && o < first {
				best, to = v[p], o
			}
		}
		if to == none {
			to = int32(count)
			count++
		}
		of[i] = to
	}
	return of, count
}
