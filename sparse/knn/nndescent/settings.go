package nndescent

import (
	"fmt"
	"math"
)

// Settings are the settings of a graph; the zero value works.
type Settings struct {
	// Trees is the number of random projection trees; 0 means 4.
	Trees int
	// Candidates is the length of the lists during the rounds, at least k; 0 means k+5 and at least
	// 20. More candidates give a higher recall. The first three quarters of a list are joined.
	Candidates int
	// Rounds is the maximum number of rounds; 0 means 8.
	Rounds int
	// Enough is the share of list entries that a round must change for another round to follow; 0
	// means 0.005.
	Enough float64
	// Sample is the number of rows that are compared with their true neighbours to report the
	// recall; 0 means none. Each costs as many distances as there are rows.
	Sample int
	// Seed is the seed of the trees and of the sample.
	Seed uint64
}

// Report describes the computation of a graph.
type Report struct {
	// Rounds is the number of rounds, and Changed the share of list entries that the last one
	// changed. Both are 0 if the graph is exact because there are few rows.
	Rounds  int
	Changed float64
	// Sampled is the number of rows that were compared with their true neighbours. Recall is the
	// share of their list entries that are at most as far as the true k-th neighbour, 0 without a
	// sample.
	Sampled int
	Recall  float64
	// Bytes is the maximum memory besides the input, in bytes, result included.
	Bytes int64
}

// Bytes returns the memory of computing a graph of k neighbours of n rows besides its input, in
// bytes, result included, with lists of the given number of candidates.
func Bytes(n, dim, k, candidates int) int64 {
	first := (3*candidates + 3) / 4
	general := 8*first + 4*min(first, ranksAtOnce) + 5
	return int64(n) * int64(4*(strideOf(dim)+1)+8*candidates+max(general, 12*k))
}

const defaultTrees = 4

// few is the maximum number of rows for which the graph is exact.
const few = 1024

// mostRows is the maximum number of rows, since a row number and a flag share 32 bits.
const mostRows = math.MaxInt32 / 2

// complete returns s with defaults filled in for n rows and k neighbours.
func (s Settings) complete(n, k int) (Settings, error) {
	if s.Trees < 0 || s.Candidates < 0 || s.Rounds < 0 || s.Sample < 0 || !(s.Enough >= 0) {
		return s, fmt.Errorf("nndescent: settings %+v: want none below 0", s)
	}
	if s.Trees == 0 {
		s.Trees = defaultTrees
	}
	if s.Candidates == 0 {
		s.Candidates = max(20, k+5)
	}
	if s.Rounds == 0 {
		s.Rounds = 8
	}
	if s.Enough == 0 {
		s.Enough = 0.005
	}
	s.Candidates = min(max(s.Candidates, k), n-1)
	s.Sample = min(s.Sample, n)
	return s, nil
}

// leaf returns the maximum number of rows in a tree's leaf. Half as many must fill a list.
func (s Settings) leaf() int { return max(64, 2*(s.Candidates+1)) }
