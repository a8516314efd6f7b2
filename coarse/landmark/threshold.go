package landmark

import (
	"math"
	"slices"
)

// band returns the least and the largest number of landmarks that a block of m
// nodes may have: within a tenth of m^(2/3) / 2^(1/3), or that number rounded.
func band(m int) (least, most int) {
	f := float64(m)
	f = math.Cbrt(f * f / 2)
	want := Landmarks(m)
	return min(want, int(math.Ceil(0.9*f))), max(want, int(math.Floor(1.1*f)))
}

// mix is a bijection of 64 bits that looks random (Steele, Lea and Flood 2014,
// "Fast splittable pseudorandom number generators", the finaliser of SplitMix).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// draw says which nodes of a block are its landmarks: those whose number, drawn for
// the slot and the block once and for all, is at most bound.
type draw struct {
	salt  uint64
	bound uint64
}

// of returns the number of a slot; no two have the same.
func (d *draw) of(slot int32) uint64 { return mix(d.salt ^ uint64(uint32(slot))) }

// lowest returns the n slots with the lowest numbers, ascending, and makes the largest of
// these numbers the bound.
func (d *draw) lowest(slots []int32, n int) []int32 {
	numbers := make([]uint64, len(slots))
	for k, slot := range slots {
		numbers[k] = d.of(slot)
	}
	slices.Sort(numbers)
	d.bound = numbers[n-1]
	return d.within(slots, make([]int32, 0, n))
}

// within appends the slots whose numbers are at most the bound.
func (d *draw) within(slots, to []int32) []int32 {
	for _, slot := range slots {
		if d.of(slot) <= d.bound {
			to = append(to, slot)
		}
	}
	return to
}

// landmarks returns those of the nodes of a block, ascending, given the ones it had (nil
// if it was too small) that are left and the nodes that have joined. The bound stays if that
// keeps their number within the band, and otherwise moves to its edge.
func (d *draw) landmarks(nodes, left, joined []int32) []int32 {
	if left == nil {
		return d.lowest(nodes, Landmarks(len(nodes)))
	}
	now := d.within(joined, slices.Clone(left))
	slices.Sort(now)
	switch least, most := band(len(nodes)); {
	case len(now) > most:
		return d.lowest(now, most)
	case len(now) < least:
		return d.lowest(nodes, least)
	}
	return now
}
