package knn

import (
	"math/bits"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/knn/vafile"
)

// singleWork is the workspace of the search for a single query.
type singleWork struct {
	z     [vafile.WideDims]float64
	few   [vafile.Dims]float64
	q     [vafile.Dims]int8
	wide  [vafile.WideDims]int8
	value []int32  // of the coarse comparison, row by row
	least []int32  // and the smallest of every block
	mask  []uint64 // the rows that pass a limit
	rows  []int32  // candidates
	fine  []int32  // and the values of the fine comparison
	first []int32  // the smallest of some values
}

func newSingleWork(s *sketch) *singleWork {
	b := s.rows.Blocks()
	most := b * vafile.Width / passShare
	return &singleWork{
		value: make([]int32, b*vafile.Width), least: make([]int32, b), mask: make([]uint64, b),
		rows: make([]int32, 0, most), fine: make([]int32, most), first: make([]int32, 0, b),
	}
}

// passShare is the reciprocal of the largest share of rows that may pass the coarse comparison. If
// more pass, a scan of all panels is faster.
const passShare = 6

// single searches for the neighbours of query r with the sketch, and reports whether it succeeded.
// If too many rows pass, list r stays empty.
//
// The best few rows of the coarse comparison are compared with the fine vectors. The best k of
// these are computed exactly and fill the list. Its last distance then limits which other rows are
// compared, first with fine vectors and then exactly.
func (run *search[T, V]) single(lists *Neighbors, r int) bool {
	s := run.sketch
	if s == nil || run.k > s.rows.Blocks()/2 {
		return false
	}
	all := run.works.Get().(*work[T, V])
	defer run.works.Put(all)
	if all.single == nil {
		all.single = newSingleWork(s)
	}
	w, level := all.single, s.fine.p.level
	coarse(s.fine, w.z[:], run.query(r))
	s.shorten(&w.few, &w.z)
	f, c := s.fine.query(w.wide[:], w.z[:]), s.coarse.query(w.q[:], w.few[:])
	s.rows.Compare(level, w.value, w.least, &w.q)

	// At least n rows are at most the n-th smallest of the blocks' minima.
	w.rows = w.rows[:0]
	likely := w.smallest(w.least, min(len(w.least), 4*run.k))
	vafile.Pass(level, w.mask, w.value, likely)
	if !w.collect(-1 << 31) {
		return false
	}
	some := len(w.rows)
	s.wide.Compare(level, w.fine, w.rows, &w.wide)
	best := w.smallest(w.fine[:some], run.k)
	for t, v := range w.fine[:some] {
		if v <= best {
			run.measure(lists, r, int(w.rows[t]))
		}
	}
	_, dist2 := lists.Row(r)
	last := len(dist2) - 1
	vafile.Pass(level, w.mask, w.value, s.coarse.limit(&c, dist2[last]))
	if !w.collect(likely) {
		lists.clear(r, r+1)
		return false
	}
	s.wide.Compare(level, w.fine[some:], w.rows[some:], &w.wide)
	limit := s.fine.limit(&f, dist2[last])
	for t, v := range w.fine[:len(w.rows)] {
		if v <= limit && (t >= some || v > best) && run.measure(lists, r, int(w.rows[t])) {
			limit = s.fine.limit(&f, dist2[last])
		}
	}
	return true
}

// smallest returns the n-th smallest of the values.
func (w *singleWork) smallest(values []int32, n int) int32 {
	first := w.first[:0]
	for _, v := range values {
		if len(first) == n {
			if v >= first[n-1] {
				continue
			}
			first = first[:n-1]
		}
		at, _ := slices.BinarySearch(first, v)
		first = slices.Insert(first, at, v)
	}
	return first[n-1]
}

// collect adds the rows of the mask whose values are above over to the candidates. It reports false
// if they are too many.
func (w *singleWork) collect(over int32) bool {
	for b, pass := range w.mask {
		if len(w.rows)+bits.OnesCount64(pass) > cap(w.rows) {
			return false
		}
		for ; pass != 0; pass &= pass - 1 {
			j := b*vafile.Width + bits.TrailingZeros64(pass)
			if w.value[j] > over {
				w.rows = append(w.rows, int32(j))
			}
		}
	}
	return true
}

// measure inserts row j into list r if it belongs there, and reports whether it did. The list must
// not contain j yet.
func (run *search[T, V]) measure(lists *Neighbors, r, j int) bool {
	index, dist2 := lists.Row(r)
	return insert(index, dist2, int32(j), vec.SquaredDistance(run.query(r), run.x.Row(j)))
}
