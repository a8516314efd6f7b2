// Package radix sorts floating-point numbers by the digits of their bits.
package radix

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// The sort uses the leading digits of those bits in which the numbers differ. Unless they are
// equal, few numbers of a list that fits in memory agree in all of these digits.
const (
	digitBits = 11
	digits    = 3
	mask      = 1<<digitBits - 1
)

// Sorter has the memory of a sort, 32 bytes for each number. The zero value is ready. It is not
// safe for concurrent use.
type Sorter struct {
	a, b  []item
	count [digits][1 << digitBits]int32
}

type item struct {
	key    uint64
	number int32
}

// Order returns 0..n-1 in the ascending order of value, with ties by index, in the memory of order
// if it suffices. Values must not be NaN; -0 equals 0.
//
// It sorts by one digit after the other from the lowest, and then compares numbers that agree in
// all digits.
func (s *Sorter) Order(n int, value func(i int) float64, order []int32) []int32 {
	s.grow(n)
	all, some := ^uint64(0), uint64(0)
	for i := range n {
		k := key(value(i))
		all, some = all&k, some|k
		s.a[i] = item{k, int32(i)}
	}
	differ := bits.Len64(all ^ some) // 64 for n = 0
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

// compare sorts the runs of a that agree in the bits from shift on.
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
