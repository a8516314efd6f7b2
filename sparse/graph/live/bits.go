package live

import "math/bits"

// set is a set of slots.
type set []uint64

func newSet(n int) set { return make(set, words(n)) }

// words is the number of words that n bits take.
func words(n int) int { return (n + 63) / 64 }

func (s set) has(i int32) bool { return s[i>>6]>>(uint(i)&63)&1 != 0 }

func (s set) add(i int32) { s[i>>6] |= 1 << (uint(i) & 63) }

// members appends the members, ascending.
func (s set) members(to []int32) []int32 {
	s.each(func(i int32) { to = append(to, i) })
	return to
}

// resized returns s with n elements; new ones are 0. Memory stays.
func resized[T any](s []T, n int) []T { return append(s, make([]T, max(0, n-len(s)))...)[:n] }

// each calls f for the members of a set, ascending.
func (s set) each(f func(i int32)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			f(int32(w*64 + bits.TrailingZeros64(word)))
		}
	}
}
