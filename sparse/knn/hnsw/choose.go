package hnsw

import (
	"slices"

	"unfold/internal/simd/dist"
)

// choose appends candidates, sorted by distance, to kept, until there are most. It takes those that
// are nearer to their row than to any candidate kept before (algorithm 4 of Malkov and Yashunin
// 2018). The links then point in different directions, so that a search can always proceed. With
// slack above 1 more are kept: a squared distance only counts as nearer below the slack-th part.
func (ix *Index) choose(w *work, candidates []uint64, slack float32, most int, kept []int32) []int32 {
	for _, k := range candidates {
		if len(kept) >= most {
			break
		}
		if row := dist.RowOf(k); !ix.shadowed(w, row, dist.DistanceOf(k)/slack, kept) {
			kept = append(kept, row)
		}
	}
	return kept
}

// shadowed reports whether a row is nearer than d to one of the kept rows.
func (ix *Index) shadowed(w *work, row int32, d float32, kept []int32) bool {
	const group = 4
	q := ix.vector(row)
	for len(kept) > 0 {
		some := kept[:min(group, len(kept))]
		kept = kept[len(some):]
		dist.Rows(w.d, q, ix.rows, ix.stride, some)
		for _, e := range w.d[:len(some)] {
			if e < d {
				return true
			}
		}
	}
	return false
}

// relink adds links, sorted by number, to a row. If there is not enough space, all links are chosen
// again; those of the tree stay.
func (ix *Index) relink(w *work, layer int, row int32, others []int32) {
	list := ix.links(layer, row)
	used := used(list)
	if used+len(others) <= len(list) && distinct(list[:used], others) {
		copy(list[used:], others)
		return
	}
	fixed := ix.fixed(layer, row)
	w.rows = append(append(w.rows[:0], list[fixed:used]...), others...)
	slices.Sort(w.rows)
	w.rows = slices.Compact(w.rows)
	w.rows = slices.DeleteFunc(w.rows, func(r int32) bool { return r == row || slices.Contains(list[:fixed], r) })
	w.kept = ix.choose(w, ix.rank(w, row, w.rows), 1, len(list), append(w.kept[:0], list[:fixed]...))
	unlink(list[copy(list, w.kept):])
}

// replenish adds links to a row that has lost some, until it has size again: first those in new
// directions, then the nearest.
func (ix *Index) replenish(w *work, layer int, row int32, others []int32, size int) {
	list := ix.links(layer, row)
	used := used(list)
	candidates := ix.rank(w, row, others)
	w.kept = ix.choose(w, candidates, 1, size, append(w.kept[:0], list[:used]...))
	for _, k := range candidates {
		if len(w.kept) >= size {
			break
		}
		if r := dist.RowOf(k); !slices.Contains(w.kept, r) {
			w.kept = append(w.kept, r)
		}
	}
	copy(list, w.kept)
}

// rank returns rows as candidates for links of a row, nearest first.
func (ix *Index) rank(w *work, row int32, others []int32) []uint64 {
	w.far = slices.Grow(w.far[:0], len(others))[:len(others)]
	dist.Rows(w.far, ix.vector(row), ix.rows, ix.stride, others)
	w.cand = w.cand[:0]
	for i, r := range others {
		w.cand = append(w.cand, dist.Key(w.far[i], r))
	}
	slices.Sort(w.cand)
	return w.cand
}

// unlink empties places for links.
func unlink(links []int32) {
	for i := range links {
		links[i] = none
	}
}

// used returns the number of used slots for links.
func used(links []int32) int {
	n := len(links)
	for n > 0 && links[n-1] < 0 {
		n--
	}
	return n
}

// distinct reports whether no row occurs in both lists or twice in the sorted one.
func distinct(list, sorted []int32) bool {
	for i, r := range sorted {
		if (i > 0 && r == sorted[i-1]) || slices.Contains(list, r) {
			return false
		}
	}
	return true
}
