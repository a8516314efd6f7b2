package ivf

import (
	"math"

	"unfold/internal/simd/dist"
	"unfold/internal/simd/sq8"
	"unfold/internal/simd/topk"
	"unfold/internal/vec"
)

// work is the scratch memory of a search.
type work struct {
	query sq8.Query
	// Scores of cells and of places, and positions of some of either.
	near, s, at []int32
	// bound is that which the last call of least ended with.
	bound int64
	// Cells, and where in s the scores of their places begin.
	probed, from []int32
	// Rows to be measured, their distances, and the turns in which these are listed.
	rows  []int32
	exact []float64
	turn  []int32
}

// borrow returns scratch memory that has room for cells, to be given back to the pool.
func (ix *Index) borrow() *work {
	w := ix.pool.Get()
	if w.near == nil {
		w.near = make([]int32, ix.cells.Len()*sq8.Side)
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
		Low: -w.query.Base, High: high, First: int32(min(int64(first)-int64(w.query.Base), int64(high))), Step: first/4 + 1,
	})
	w.bound = int64(bound) + int64(w.query.Base)
	return found
}

// report lists the nearest of w.rows by (exact squared distance, row). They are seldom many more
// than the places of the list, so that a look at them in float32 first would spare little.
func (w *work) report(x vec.Matrix[float32], q []float32, index []int32, dist2 []float64) {
	rows := w.rows
	if len(w.exact) < len(rows) {
		w.exact, w.turn = make([]float64, 2*len(rows)), make([]int32, 2*len(rows))
	}
	exact := w.exact[:len(rows)]
	dist.Exact(exact, q, x.Data, x.Cols, rows)
	k, n := len(index), 0
	for _, i := range w.about(exact) {
		d2, r := exact[i], rows[i]
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
}

// buckets is how many parts about cuts the range of its values into.
const buckets = 64

// about returns the positions of values, which are not negative, in an order that is nearly
// theirs, so that each has a short way to its place in a list: part by part of their range.
func (w *work) about(values []float64) []int32 {
	low, high := math.Inf(1), 0.
	for _, v := range values {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	per := (buckets - 1) / (high - low)
	if !(per <= math.MaxFloat64) {
		per = 0 // all are about the same
	}
	part := func(v float64) int { return int((v-low)*per) & (buckets - 1) }
	var start [buckets + 1]int32
	for _, v := range values {
		start[part(v)+1]++
	}
	for b := range buckets {
		start[b+1] += start[b]
	}
	for i, v := range values {
		b := part(v)
		w.turn[start[b]] = int32(i)
		start[b]++
	}
	return w.turn[:len(values)]
}

// before is the order of lists.
func before(d float64, r int32, e float64, s int32) bool { return d < e || d == e && r < s }
