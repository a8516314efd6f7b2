package hnsw

import (
	"math"

	"unfold/internal/simd/dist"
)

// A key (dist.Key) is a candidate; its lowest bit is set once its links have been followed.
const followed = 1

// start makes one row the only candidate.
func (ix *Index) start(w *work, q []float32, row int32) {
	w.pool = append(w.pool[:0], dist.Key(dist.Squared(q, ix.vector(row)), row))
}

// walk follows the links of the nearest unfollowed candidate in a layer, and keeps the ef nearest
// rows (algorithm 2 of Malkov and Yashunin 2018, with both of its queues in one sorted list). It
// starts with the candidates in w.pool and leaves its result there, nearest first.
func (ix *Index) walk(w *work, layer int, q []float32, ef int) {
	w.forget()
	w.pool = w.pool[:min(len(w.pool), ef)]
	for i, k := range w.pool {
		w.pool[i] = k &^ followed
		w.see(dist.RowOf(k))
	}
	for next := w.follow(0); next < len(w.pool); next = w.follow(next) {
		row := dist.RowOf(w.pool[next])
		next++
		if next < len(w.pool) {
			// This candidate is likely to be the next.
			dist.Prefetch(ix.links(layer, dist.RowOf(w.pool[next])))
		}
		met := w.unseen(ix.links(layer, row))
		if len(met) == 0 {
			continue
		}
		dist.Rows(w.d, q, ix.rows, ix.stride, met)
		next = min(next, w.offer(met, ef))
	}
}

// follow marks the first unfollowed candidate from a position on and returns its position, or the
// end of the pool if there is none.
func (w *work) follow(next int) int {
	for ; next < len(w.pool); next++ {
		if w.pool[next]&followed == 0 {
			w.pool[next] |= followed
			break
		}
	}
	return next
}

// unseen returns a row's links that have not been visited yet, and marks them.
func (w *work) unseen(links []int32) []int32 {
	n := 0
	met := w.met[:len(links)]
	for _, r := range links {
		if r < 0 {
			break
		}
		word, bit := &w.seen[uint32(r)/64], uint64(1)<<(uint32(r)%64)
		met[n] = r
		if *word&bit == 0 {
			n++
		}
		*word |= bit
	}
	w.marked = append(w.marked, met[:n]...)
	return met[:n]
}

// offer merges rows at distances w.d into the pool if they are among the ef nearest, and returns
// the first position that changed.
func (w *work) offer(met []int32, ef int) int {
	worst := uint64(math.MaxUint64)
	if len(w.pool) >= ef {
		worst = w.pool[len(w.pool)-1]
	}
	fresh := w.fresh[:0]
	for i, d := range w.d[:len(met)] {
		k := dist.Key(d, met[i])
		if k >= worst {
			continue
		}
		fresh = append(fresh, k)
		p := len(fresh) - 1
		for ; p > 0 && fresh[p-1] > k; p-- {
			fresh[p] = fresh[p-1]
		}
		fresh[p] = k
	}
	w.fresh = fresh
	return w.merge(ef)
}

// merge merges w.fresh into the pool, both sorted.
func (w *work) merge(ef int) int {
	fresh, i, j := w.fresh, len(w.pool)-1, len(w.fresh)-1
	if j < 0 {
		return len(w.pool)
	}
	size := min(ef, len(w.pool)+len(fresh))
	for i+j+2 > size {
		if i >= 0 && w.pool[i] > fresh[j] {
			i--
		} else {
			j--
		}
	}
	pool := w.pool[:size]
	w.pool = pool
	t := size - 1
	for j >= 0 {
		if i >= 0 && pool[i] > fresh[j] {
			pool[t] = pool[i]
			i--
		} else {
			pool[t] = fresh[j]
			j--
		}
		t--
	}
	return t + 1
}
