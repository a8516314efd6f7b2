package nndescent

import (
	"math"
	"slices"

	"unfold/internal/simd/dist"
)

// A key (dist.Key) is a neighbour; its lowest bit is set once it has been joined.
const (
	joined = 1
	empty  = uint64(math.MaxUint64)
)

// collect sorts into w.fresh the rows at distances d that come before the last entry of a list, at
// most as many as the list has.
func (w *work) collect(list []uint64, d []float32, rows []int32) {
	worst, fresh := list[len(list)-1]&^joined, w.fresh
	for i, v := range d {
		k := dist.Key(v, rows[i])
		if k >= worst {
			continue
		}
		if len(fresh) == len(list) {
			if k >= fresh[len(fresh)-1] {
				continue
			}
			fresh = fresh[:len(fresh)-1]
		}
		fresh = append(fresh, k)
		p := len(fresh) - 1
		for ; p > 0 && fresh[p-1] > k; p-- {
			fresh[p] = fresh[p-1]
		}
		fresh[p] = k
	}
	w.fresh = fresh
}

// merge merges w.fresh into a list, skipping rows that it has already, and returns the number of
// new entries.
func (w *work) merge(list []uint64) int {
	if len(w.fresh) == 0 {
		return 0
	}
	w.merged = slices.Grow(w.merged[:0], len(list))[:len(list)]
	fresh, i, entered := w.fresh, 0, 0
	for t := range w.merged {
		if len(fresh) > 0 && fresh[0] == list[i]&^joined {
			fresh = fresh[1:]
		}
		if len(fresh) > 0 && fresh[0] < list[i] {
			w.merged[t] = fresh[0]
			fresh = fresh[1:]
			entered++
		} else {
			w.merged[t] = list[i]
			i++
		}
	}
	copy(list, w.merged)
	return entered
}
