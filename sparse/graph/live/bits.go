package live

import "math/bits"

// set is a set of slots.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int32) bool { return s[i>>6]>>(uint(i)&63)&1 != 0 }

func (s set) add(i int32) { s[i>>6] |= 1 << (uint(i) & 63) }

// members appends the members below n, ascending.
func (s set) members(to []int32, n int) []int32 {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if i >= n {
				return to
			}
			to = append(to, int32(i))
		}
	}
	return to
}

// each calls f for the members of a set.
func (s set) each(f func(i int32)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			f(int32(w*64 + bits.TrailingZeros64(word)))
		}
	}
}
