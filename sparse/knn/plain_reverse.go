package knn

import (
	"context"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/hamming"
	"unfold/sparse/distance"
)

// slotBits has binary rows as bits, by slot, for a distance of bits.
type slotBits struct {
	counts *distance.Counts
	words  int
	rows   []uint64
	ones   []int32
}

// grow makes room for slots below top.
func (b *slotBits) grow(top int) {
	if more := top - len(b.ones); more > 0 {
		b.rows, b.ones = append(b.rows, make([]uint64, more*b.words)...), append(b.ones, make([]int32, more)...)
	}
}

// row returns the bits of a slot.
func (b *slotBits) row(slot int32) []uint64 { return b.rows[int(slot)*b.words:][:b.words] }

// set stores a binary row in a slot.
func (b *slotBits) set(slot int32, x []float32) {
	row := b.row(slot)
	clear(row)
	b.ones[slot] = 0
	for k, v := range x {
		if v != 0 {
			row[k>>6] |= 1 << (k & 63)
			b.ones[slot]++
		}
	}
}

// bytes is the memory of the rows.
func (b *slotBits) bytes() int64 { return 8*int64(cap(b.rows)) + 4*int64(cap(b.ones)) }

// within returns d2 of the rows in two slots if it is at most most, otherwise a number above most.
func (s *DynamicExact) within(i, j int32, most float64) float64 {
	if b := s.bits; b != nil {
		return b.counts.Dist2(hamming.Count(b.row(i), b.row(j)), int(b.ones[i]), int(b.ones[j]), s.dim)
	}
	return distance.Within(s.distance, s.Row(i), s.Row(j), most)
}

// plainReverse is reverseSearch under a distance that tiles do not support. Each row in ask is
// compared with all others that single precision does not exclude. Pairs within reach are in the
// order of ask, and then of the positions of the other rows.
func (s *DynamicExact) plainReverse(ctx context.Context, ask []int32, lists *Neighbors, reach []float64, set Settings) ([]ReverseNeighbor, error) {
	const size = 8
	found := make([][]ReverseNeighbor, par.Pieces(len(ask), size))
	count := par.NewProgress(len(found), set.Progress)
	par.Ranges(set.Threads, len(ask), size, func(piece, from, to int) {
		for r := from; r < to && ctx.Err() == nil; r++ {
			found[piece] = s.plainReverseOf(found[piece], ask[r], r, lists, reach)
		}
		count.Step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// kernel returns the approximation of the distance, if searches use it.
func (s *DynamicExact) kernel() (k *distance.Kernel, ok bool) {
	k = s.distance.Kernel()
	return k, k != nil && s.bits == nil
}

// plainReverseOf fills list r for the row in a slot, and appends the pairs within reach.
func (s *DynamicExact) plainReverseOf(found []ReverseNeighbor, slot int32, r int, lists *Neighbors, reach []float64) []ReverseNeighbor {
	var near [plainBlock]float32
	kernel, single := s.kernel()
	index, dist2 := lists.Row(r)
	for slots := range slices.Chunk(s.slot, plainBlock) {
		if single {
			kernel.About(near[:], s.Row(slot), s.x, s.dim, slots)
		}
		for p, j := range slots {
			if j == slot {
				continue
			}
			last, wanted := -1.0, -1.0 // no pair is nearer
			if lists.K > 0 {
				last = dist2[lists.K-1]
			}
			if reach != nil {
				wanted = reach[j]
			}
			most := max(last, wanted)
			if single && float64(near[p]) > beyond(kernel, most, s.dim) {
				continue
			}
			d2 := s.within(slot, j, most)
			if d2 <= last {
				insert(index, dist2, j, d2)
			}
			if d2 <= wanted {
				found = append(found, ReverseNeighbor{Row: j, New: slot, Dist2: d2})
			}
		}
	}
	return found
}
