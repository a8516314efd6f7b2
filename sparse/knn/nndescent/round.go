package nndescent

import (
	"slices"
	"sync/atomic"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
)

// lists has the nearest known rows of every row, k each, nearest first.
type lists struct {
	k    int
	keys []uint64
}

func newLists(n, k int) lists {
	l := lists{k, make([]uint64, n*k)}
	for i := range l.keys {
		l.keys[i] = empty
	}
	return l
}

func (l lists) row(i int32) []uint64 { return l.keys[int(i)*l.k : (int(i)+1)*l.k] }

// general has the general neighbours of rows (Dong et al. 2011): the first rows in the list of a
// row, and its reverse neighbours, some of the rows that list it among their first. A row has up to
// width of them, as row << 1 | joined.
type general struct {
	first, width int
	of           []int32
	size         []int32
	// fresh reports whether some are not joined yet.
	fresh []bool
	// ranks has a few columns of the lists, column by column: entry m of every list.
	ranks []int32
}

// ranksAtOnce is the number of columns of the lists that are copied at a time. More would need more
// memory, and fewer more passes over the lists.
const ranksAtOnce = 4

func newGeneral(n, first int) general {
	width := 2 * first
	return general{
		first: first, width: width, of: make([]int32, width*n), size: make([]int32, n),
		fresh: make([]bool, n), ranks: make([]int32, min(first, ranksAtOnce)*n),
	}
}

func (a general) bytes() int64 {
	return int64(4*(len(a.of)+len(a.size)+len(a.ranks)) + len(a.fresh))
}

func (a general) row(i int32) []int32 {
	at := int(i) * a.width
	return a.of[at : at+int(a.size[i])]
}

func (a general) addNeighbor(i, entry int32) {
	if n := a.size[i]; int(n) < a.width {
		a.of[int(i)*a.width+int(n)] = entry
		a.size[i]++
		if entry&joined == 0 {
			a.fresh[i] = true
		}
	}
}

// fill collects the general neighbours. Reverse neighbours that list a row at a higher rank come
// first.
func (a general) fill(l lists, threads int) {
	par.Ranges(threads, len(a.size), taskRows, func(_, from, to int) {
		for i := int32(from); i < int32(to); i++ {
			a.size[i], a.fresh[i] = 0, false
			for _, k := range l.row(i)[:a.first] {
				a.addNeighbor(i, int32(uint32(k)))
			}
		}
	})
	for rank := 0; rank < a.first; rank += ranksAtOnce {
		a.reverse(l, rank, min(rank+ranksAtOnce, a.first), threads)
	}
}

// reverse adds the reverse neighbours that list a row at ranks first..last.
func (a general) reverse(l lists, first, last, threads int) {
	n := len(a.size)
	par.Ranges(threads, n, taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			for rank, k := range l.row(int32(i))[first:last] {
				a.ranks[rank*n+i] = int32(uint32(k))
			}
		}
	})
	// A task passes over all lists to handle one part of the rows.
	const parts = 4
	par.Ranges(threads, n, (n+parts-1)/parts, func(_, from, to int) {
		for rank := first; rank < last; rank++ {
			for i, entry := range a.ranks[(rank-first)*n:][:n] {
				j := entry >> 1
				if uint(int(j)-from) >= uint(to-from) || int(a.size[j]) == a.width {
					continue
				}
				if i := int32(i); !l.holds(a.first, j, i, l.row(i)[rank]) {
					a.addNeighbor(j, i<<1|entry&joined)
				}
			}
		}
	})
}

// holds reports whether row i is among the first in the list of j, given the key of j in the list
// of i, which has the same distance.
func (l lists) holds(first int, j, i int32, k uint64) bool {
	list := l.row(j)[:first]
	self := k>>32<<32 | uint64(uint32(i)<<1)
	if self > list[first-1] {
		return false
	}
	return slices.ContainsFunc(list, func(o uint64) bool { return o&^joined == self })
}

const taskRows = 512

// round joins every row with the general neighbours of its general neighbours, if at least one of
// the two steps is new, and returns the number of changed list entries. Each row reads the general
// neighbours from before the round, and changes only its own list.
func round(p points, a general, l lists, pool *par.Lender[work], threads int) int {
	var changed atomic.Int64
	par.Ranges(threads, p.n, taskRows, func(_, from, to int) {
		w := pool.Get()
		w.fit(p.n)
		sum := 0
		for i := int32(from); i < int32(to); i++ {
			list := l.row(i)
			w.meet(a, i, list)
			w.d = slices.Grow(w.d[:0], len(w.rows))[:len(w.rows)]
			p.distances(w.d, i, w.rows)
			for t := range a.first {
				list[t] |= joined
			}
			w.fresh = w.fresh[:0]
			w.collect(list, w.d, w.rows)
			sum += w.merge(list)
		}
		changed.Add(int64(sum))
		pool.Put(w)
	})
	return int(changed.Load())
}

// meet collects in w.rows the rows that row i, with the given list, is joined with.
func (w *work) meet(a general, i int32, list []uint64) {
	for _, r := range w.marked {
		w.seen[r/64] = 0
	}
	w.marked, w.rows = append(w.marked[:0], i), w.rows[:0]
	w.seen[i/64] |= 1 << (i % 64)
	for _, k := range list {
		r := dist.RowOf(k)
		w.seen[r/64] |= 1 << (r % 64)
		w.marked = append(w.marked, r)
	}
	for _, step := range a.row(i) {
		j := step >> 1
		if step&joined != 0 && !a.fresh[j] {
			continue
		}
		// There is space for all rows, and they are written without a branch on seen.
		others, n := a.row(j), len(w.rows)
		w.rows = slices.Grow(w.rows, len(others))[:n+len(others)]
		for _, o := range others {
			if step&o&joined != 0 {
				continue
			}
			r := uint32(o) >> 1
			word, bit := &w.seen[r/64], uint64(1)<<(r%64)
			w.rows[n] = int32(r)
			if *word&bit == 0 {
				n++
			}
			*word |= bit
		}
		w.rows = w.rows[:n]
	}
	w.marked = append(w.marked, w.rows...)
}
