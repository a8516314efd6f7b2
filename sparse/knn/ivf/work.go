package ivf

import (
	"slices"

	"unfold/internal/simd/dist"
	"unfold/internal/simd/sq8"
	"unfold/internal/simd/topk"
	"unfold/internal/vec"
)

// work is the scratch memory of a search.
type work struct {
	code []int8
	base int32
	// Scores of cells and of places, and positions of some of either.
	near, s, at []int32
	// bound is that which the last call of least ended with.
	bound int64
	// Cells, and where in s the scores of their places begin.
	probed, from []int32
	// Rows to be measured, their distances, and these with the rows.
	rows  []int32
	d     []float32
	exact []float64
	keys  []uint64
}

// borrow returns scratch memory that has room for cells, to be given back to the pool.
func (ix *Index) borrow() *work {
	w := ix.pool.Get()
	if w.code == nil {
		w.code, w.near = make([]int8, ix.scale.Width()), make([]int32, ix.cells.Len()*sq8.Side)
		w.grow(len(w.near))
	}
	return w
}

// grow makes room for n places.
func (w *work) grow(n int) {
	if len(w.s) < n {
		w.s, w.at = make([]int32, n+n/4), make([]int32, n+n/4)
	}
}

// least leaves in w.at the positions of the least n of the scores, or of up to an
// eighth more and those that are equal to the last, ascending, and returns their
// number; it is less if not so many places have a row. First is a squared distance in
// steps that is likely to be a good bound.
func (w *work) least(s []int32, n int, first int32) int {
	high := sq8.Nowhere
	found, bound := topk.Least(w.at, s, n, topk.Range{
		Low: -w.base, High: high, First: int32(min(int64(first)-int64(w.base), int64(high))), Step: first/4 + 1,
	})
	w.bound = int64(bound) + int64(w.base)
	return found
}

// report lists the nearest of w.rows by (exact squared distance, row). Those that are
// too far for a place in the list, by the bound on the error of their distance in
// float32, are not measured in float64.
func (w *work) report(x vec.Matrix[float32], q []float32, index []int32, dist2 []float64) {
	k := len(index)
	if len(w.d) < len(w.rows) {
		w.d, w.exact = make([]float32, 2*len(w.rows)), make([]float64, 2*len(w.rows))
	}
	dist.Rows(w.d, q, x.Data, x.Cols, w.rows)
	w.keys = w.keys[:0]
	for i, r := range w.rows {
		w.keys = append(w.keys, dist.Key(w.d[i], r))
	}
	first := min(len(w.keys), (k+3)/4*4)
	dist.Divide(w.keys, first)
	slices.Sort(w.keys[:first])
	n := w.measure(x, q, w.keys[:first], 0, index, dist2)
	rest := w.keys[first:]
	some := 0
	for _, key := range rest {
		if dist.AtLeast(dist.DistanceOf(key), x.Cols) <= dist2[k-1] {
			rest[some] = key
			some++
		}
	}
	w.measure(x, q, rest[:some], n, index, dist2)
}

// measure inserts rows at their exact distances into a list of n, and returns how long
// it is now.
func (w *work) measure(x vec.Matrix[float32], q []float32, keys []uint64, n int, index []int32, dist2 []float64) int {
	w.rows = w.rows[:0]
	for _, key := range keys {
		w.rows = append(w.rows, dist.RowOf(key))
	}
	dist.Exact(w.exact, q, x.Data, x.Cols, w.rows)
	k := len(index)
	for i, r := range w.rows {
		d2 := w.exact[i]
		if n < k {
			n++
		} else if !before(d2, r, dist2[k-1], index[k-1]) {
			continue
		}
		p := n - 1
		for ; p > 0 && before(d2, r, dist2[p-1], index[p-1]); p-- {
			index[p], dist2[p] = index[p-1], dist2[p-1]
		}
		index[p], dist2[p] = r, d2
	}
	return n
}

// before is the order of lists.
func before(d float64, r int32, e float64, s int32) bool { return d < e || d == e && r < s }
