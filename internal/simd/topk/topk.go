package topk

import (
	"fmt"

	"unfold/internal/simd"
)

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/topk -out ../simd/topk/kernels_amd64.s -stubs ../simd/topk/stubs_amd64.go -pkg topk

// Side is the number that the number of keys must be a multiple of.
const Side = 16

// Count returns how many elements of s, a multiple of Side, are less than bound.
func Count(s []int32, bound int32) int { return countAt(simd.Best(), s, bound) }

func countAt(l simd.Level, s []int32, bound int32) int {
	if len(s)%Side != 0 {
		panic(fmt.Sprintf("topk: %d keys", len(s)))
	}
	if len(s) == 0 {
		return 0
	}
	return count(l, s, bound)
}

// Below writes to at the positions of the elements of s that are less than bound, ascending, and
// returns their number; it overwrites the rest of at too. The length of s is a multiple of Side,
// and at is as long.
func Below(at, s []int32, bound int32) int { return belowAt(simd.Best(), at, s, bound) }

func belowAt(l simd.Level, at, s []int32, bound int32) int {
	if len(at) < len(s) || len(s)%Side != 0 {
		panic(fmt.Sprintf("topk: room for %d of %d positions", len(at), len(s)))
	}
	if len(s) == 0 {
		return 0
	}
	return below(l, at, s, bound)
}

// Ranks writes to rank[i] how many of the first n elements of s, at least 1, are less than s[i]: its
// place in their order, if no others are equal. The length of s is a multiple of Side, and rank is as
// long. It takes n comparisons for each element, so it is for up to MostRanks of them.
func Ranks(rank, s []int32, n int) { ranksAt(simd.Best(), rank, s, n) }

func ranksAt(l simd.Level, rank, s []int32, n int) {
	if len(rank) < len(s) || len(s)%Side != 0 || n < 1 || n > len(s) {
		panic(fmt.Sprintf("topk: room for %d ranks of %d keys among %d", len(rank), len(s), n))
	}
	ranks(l, rank, s, n)
}

// Order writes to at the positions of the first n elements of s in ascending order of the elements. It
// returns false if some are equal; at is undefined then. It sets rank as Ranks does; at has room for n
// positions.
func Order(at, rank, s []int32, n int) bool {
	Ranks(rank, s, n)
	// Ranks of different elements are 0 to n-1. Equal ones lower the sum.
	sum := 0
	for i, r := range rank[:n] {
		at[r] = int32(i)
		sum += int(r)
	}
	return sum == n*(n-1)/2
}

// MostRanks is about the largest number of keys that Ranks orders faster than a sort: 0 without vector
// instructions.
func MostRanks() int { return mostRanks(simd.Best()) }
