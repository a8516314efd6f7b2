package landmark

import (
	"math"
	"slices"
)

// band returns the smallest and the largest number of landmarks allowed for a block of m nodes:
// within a tenth of m^(2/3) / 2^(1/3), or that number rounded.
func band(m int) (least, most int) {
	f := float64(m)
	f = math.Cbrt(f * f / 2)
	want := Landmarks(m)
	return min(want, int(math.Ceil(0.9*f))), max(want, int(math.Floor(1.1*f)))
}

// mix is a bijection of 64 bits with random-looking values (Steele, Lea and Flood 2014, "Fast
// splittable pseudorandom number generators", the finaliser of SplitMix).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// draw chooses the landmarks of a block: the nodes whose number is at most bound. The number of a
// node depends only on its slot and the block.
type draw struct {
	salt  uint64
	bound uint64
}

// of returns the number of a slot; no two have the same.
func (d *draw) of(slot int32) uint64 { return mix(d.salt ^ uint64(uint32(slot))) }

// lowest returns the n slots with the lowest numbers, ascending, and sets the bound to the largest
// of these numbers.
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

// landmarks returns the landmarks of a block's nodes, ascending. left are the previous landmarks
// that remain (nil if the block was too small), and joined the nodes that have joined. The bound
// stays if that keeps the number of landmarks within the band, and otherwise moves to its edge.
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
