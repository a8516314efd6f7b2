package nndescent

import (
	"fmt"
	"math"
)

// Settings of a graph; the zero value works.
type Settings struct {
	// Trees is how many random projection trees are grown, 4 if it is 0.
	Trees int
	// Candidates is how long the lists are that the rounds work on, k+5 and at
	// least 20 if it is 0. It is never less than k. More candidates find more of
	// the true neighbours. The first three quarters of a list are joined.
	Candidates int
	// Rounds is how many rounds there are at most, 8 if it is 0.
	Rounds int
	// Enough is the share of list places that a round must change for another
	// one to follow, 0.005 if it is 0.
	Enough float64
	// Sample is how many rows are compared with their true neighbours to report
	// the recall, none if it is 0. Each costs as many distances as there are rows.
	Sample int
	// Seed of the trees and of the sample.
	Seed uint64
}

// Report says how a graph came about.
type Report struct {
	// Rounds is how many rounds there were, and Changed the share of list
	// places that the last one changed. Both are 0 if there were so few rows
	// that the graph is exact.
	Rounds  int
	Changed float64
	// Sampled is how many rows were compared with their true neighbours, and
	// Recall how many of their places, as a share, hold one that is as near as
	// the true neighbour farthest away. Recall is 0 if none were.
	Sampled int
	Recall  float64
	// Bytes is the memory that was held besides the input, the result included.
	Bytes int64
}

// Bytes returns the memory that a graph of k neighbours of n rows takes beside its input,
// itself included, with lists of so many candidates.
func Bytes(n, dim, k, candidates int) int64 {
	first := (3*candidates + 3) / 4
	general := 8*first + 4*min(first, ranksAtOnce) + 5
	return int64(n) * int64(4*(strideOf(dim)+1)+8*candidates+max(general, 12*k))
}

const defaultTrees = 4

// few is the number of rows up to which the graph is exact.
const few = 1024

// mostRows is how many rows can be numbered with a bit to spare.
const mostRows = math.MaxInt32 / 2

// complete returns s with its defaults filled in for n rows and k neighbours.
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

// leaf returns how many rows a tree's leaf holds at most: half as many must
// fill a list.
func (s Settings) leaf() int { return max(64, 2*(s.Candidates+1)) }
