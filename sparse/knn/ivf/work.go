package ivf

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
	"unfold/internal/simd/sq8"
	"unfold/internal/simd/topk"
	"unfold/internal/vec"
)

// work is the scratch memory of a search.
type work struct {
	query sq8.Query
	// near has scores of cells, s of places, and at positions of some of either.
	near, s, at []int32
	// bound is the bound that the last call of least found.
	bound int64
	// probed are cells, and from the starts of their places' scores in s.
	probed, from []int32
	// rows are the rows to compute exactly, with their distances and the order in which they are
	// listed.
	rows  []int32
	exact []float64
	turn  []int32
	// key are the distances in single precision, rank their ranks, and order their positions in
	// ascending order.
	key, rank, order []int32
}

// borrow returns scratch memory with space for all cells, which the caller must return to the pool.
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

// least stores in w.at the positions of the n smallest scores, ascending, and returns their number.
// It may include up to an eighth more, and those equal to the last; it has fewer if fewer places
// have a row. first is a squared distance, in steps, that is probably a good bound.
func (w *work) least(s []int32, n int, first int32) int {
	high := sq8.Nowhere
	found, bound := topk.Least(w.at, s, n, topk.Range{
		Low: -w.query.Base, High: high, First: int32(min(int64(first)-int64(w.query.Base), int64(high))), Step: first/4 + 1,
	})
	w.bound = int64(bound) + int64(w.query.Base)
	return found
}

// report lists the nearest of w.rows by (exact squared distance, row). They are seldom many more
// than the list has places, so comparing them in float32 first would save little.
func (w *work) report(x vec.Matrix[float32], q []float32, index []int32, dist2 []float64) {
	n := len(w.rows)
	if len(w.exact) < n {
		w.exact, w.turn = make([]float64, 2*n), make([]int32, 2*n)
	}
	dist.Exact(w.exact[:n], q, x.Data, x.Cols, w.rows)
	if n <= topk.MostRanks() && w.ranked(index, dist2) {
		return
	}
	w.inserted(index, dist2)
}

// ranked lists by the rank of every distance among all, in single precision, whose order is that of the
// exact distances where none are equal. If some are it returns false, and lists are undefined.
func (w *work) ranked(index []int32, dist2 []float64) bool {
	n := len(w.rows)
	size := par.Pieces(n, topk.Side) * topk.Side
	if len(w.key) < size {
		w.key, w.rank, w.order = make([]int32, 2*size), make([]int32, 2*size), make([]int32, 2*size)
	}
	for i, d2 := range w.exact[:n] {
		w.key[i] = int32(math.Float32bits(float32(d2))) // which is not negative: its bits are in its order
	}
	if !topk.Order(w.order, w.rank, w.key[:size], n) {
		return false
	}
	for k, i := range w.order[:min(n, len(index))] {
		index[k], dist2[k] = w.rows[i], w.exact[i]
	}
	return true
}

// inserted lists by insertion.
func (w *work) inserted(index []int32, dist2 []float64) {
	k, n := len(index), 0
	for _, i := range w.about(w.exact[:len(w.rows)]) {
		d2, r := w.exact[i], w.rows[i]
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

// buckets is the number of parts into which about divides the range of its values.
const buckets = 64

// about returns the positions of values, which must not be negative, ordered roughly: part by part
// of their range. Each value then moves only a short way when it is inserted in a list.
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
