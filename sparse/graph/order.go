package graph

import (
	"math"
	"slices"
)

// Digits of the radix sort.
const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
)

// ByLength returns the numbers of the edges in the order of Edge.Compare. It sorts
// the bits of the lengths, which for numbers of at least 0 are in the order of the
// numbers, digit by digit from the lowest; digits that all share cost nothing.
// Lengths must not be negative or NaN.
func ByLength(edges []Edge) []int32 {
	type item struct {
		key  uint64
		edge int32
	}
	a := make([]item, len(edges))
	var count [digits][1 << digitBits]int32
	for e := range edges {
		key := math.Float64bits(edges[e].Dist2 + 0) // -0 becomes 0
		a[e] = item{key, int32(e)}
		for d := range digits {
			count[d][key>>(d*digitBits)&(1<<digitBits-1)]++
		}
	}
	order := make([]int32, len(edges))
	b := make([]item, len(edges))
	for d := range digits {
		c := &count[d]
		if len(a) > 0 && int(c[a[0].key>>(d*digitBits)&(1<<digitBits-1)]) == len(a) {
			continue
		}
		var sum int32
		for k, n := range c {
			c[k] = sum
			sum += n
		}
		for _, x := range a {
			k := x.key >> (d * digitBits) & (1<<digitBits - 1)
			b[c[k]] = x
			c[k]++
		}
		a, b = b, a
	}
	for k, x := range a {
		order[k] = x.edge
	}
	// Equal lengths go by the ends.
	for from := 0; from < len(a); {
		to := from + 1
		for to < len(a) && a[to].key == a[from].key {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(order[from:to], func(x, y int32) int { return edges[x].Compare(edges[y]) })
		}
		from = to
	}
	return order
}
