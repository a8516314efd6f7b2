// Package radix sorts numbers by the digits of their bits.
package radix

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Digits of the sort: the leading ones of those bits in which the numbers differ.
// Few of so many numbers that they fit memory agree in these, unless they are equal.
const (
	digitBits = 11
	digits    = 3
	mask      = 1<<digitBits - 1
)

// Sorter holds the memory of a sort, 32 bytes a number. The zero value is ready;
// it is for one goroutine at a time.
type Sorter struct {
	a, b  []item
	count [digits][1 << digitBits]int32
}

type item struct {
	key    uint64
	number int32
}

// Order returns 0..n-1 in the ascending order of value, equal values by number, in
// order's memory if that suffices. There must be no NaN; -0 equals 0.
//
// It goes digit by digit from the lowest, and compares what agrees in all digits.
func (s *Sorter) Order(n int, value func(i int) float64, order []int32) []int32 {
	s.grow(n)
	all, some := ^uint64(0), uint64(0)
	for i := range n {
		k := key(value(i))
		all, some = all&k, some|k
		s.a[i] = item{k, int32(i)}
	}
	differ := bits.Len64(all ^ some) // at n = 0, all bits of nothing
	shift := max(differ-digits*digitBits, 0)
	s.sort(shift, differ)
	s.compare(shift)
	order = order[:0]
	for _, x := range s.a {
		order = append(order, x.number)
	}
	return order
}

// grow makes room for n items and clears the counts.
func (s *Sorter) grow(n int) {
	if cap(s.a) < n {
		s.a, s.b = make([]item, n), make([]item, n)
	}
	s.a, s.b = s.a[:n], s.b[:n]
	clear(s.count[:])
}

// key returns bits whose order is that of the numbers.
func key(v float64) uint64 {
	b := math.Float64bits(v + 0) // -0 becomes 0
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// sort sorts a by the digits of the bits from shift to differ.
func (s *Sorter) sort(shift, differ int) {
	for _, x := range s.a {
		k := x.key >> shift
		for d := range digits {
			s.count[d][k>>(d*digitBits)&mask]++
		}
	}
	for d := 0; d < digits && shift+d*digitBits < differ; d++ {
		c := &s.count[d]
		var sum int32
		for k, n := range c {
			c[k] = sum
			sum += n
		}
		at := shift + d*digitBits
		for _, x := range s.a {
			k := x.key >> at & mask
			s.b[c[k]] = x
			c[k]++
		}
		s.a, s.b = s.b, s.a
	}
}

// compare sorts the runs of a that agree from the bit shift on.
func (s *Sorter) compare(shift int) {
	if shift == 0 {
		return
	}
	for from := 0; from < len(s.a); {
		to, sorted := from+1, true
		for to < len(s.a) && s.a[to].key>>shift == s.a[from].key>>shift {
			sorted = sorted && s.a[to-1].key <= s.a[to].key
			to++
		}
		if !sorted {
			slices.SortFunc(s.a[from:to], func(x, y item) int {
				return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.number, y.number))
			})
		}
		from = to
	}
}
