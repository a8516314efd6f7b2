// Package radix sorts numbers by the digits of their bits.
package radix

import "math"

// Digits of the sort.
const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
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
// It goes digit by digit from the lowest; digits that all share cost nothing.
func (s *Sorter) Order(n int, value func(i int) float64, order []int32) []int32 {
	s.grow(n)
	for i := range n {
		s.a[i] = item{key(value(i)), int32(i)}
	}
	s.sort()
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
	bits := math.Float64bits(v + 0) // -0 becomes 0
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// sort sorts a.
func (s *Sorter) sort() {
	for _, x := range s.a {
		for d := range digits {
			s.count[d][x.key>>(d*digitBits)&mask]++
		}
	}
	for d := range digits {
		c := &s.count[d]
		if len(s.a) > 0 && int(c[s.a[0].key>>(d*digitBits)&mask]) == len(s.a) {
			continue
		}
		var sum int32
		for k, n := range c {
			c[k] = sum
			sum += n
		}
		for _, x := range s.a {
			k := x.key >> (d * digitBits) & mask
			s.b[c[k]] = x
			c[k]++
		}
		s.a, s.b = s.b, s.a
	}
}
