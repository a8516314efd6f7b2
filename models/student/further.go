package student

import (
	"cmp"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

const (
	// furtherLeast and furtherMost are how many further edges a point has at least and at
	// most, furtherAll about how many all points have together: more than three keep more of
	// the 30 and 100 nearest, and take time in proportion to their number.
	furtherLeast, furtherMost, furtherAll = 3, 16, 300_000
	// reachFactor and reachShare are the default of Options.Reach: so many times k, and
	// at most the n-th part of all points.
	reachFactor = 7
	reachShare  = 10
	// furtherFrom and furtherTo are the weights of a further edge of furtherMost.
	furtherFrom, furtherTo = 0.3, 0.08
	// mostSigma2 is sigma^2 of maps of very many points (Settings.variance).
	mostSigma2 = 0.1
	// longLists is the largest number of points whose lists are searched as far as
	// further edges reach. Beyond, walks end there nearly as well.
	longLists = manyPoints
)

// FurtherWeight is how the weight of a further edge, that of a near one being 1, falls
// while a map is learnt. The zero value stands for the default.
type FurtherWeight struct{ From, To float64 }

// At returns the weight where so much of the fall lies behind, 0 to 1:
//
//	s = From + (To - From) done.                                               (H19)
func (w FurtherWeight) At(done float64) float64 {
	if done >= 1 {
		return w.To
	}
	return w.From + (w.To-w.From)*done
}

// further returns the weight of further edges on a map of n points that have m of them
// each. By default
//
//	s = (3/10, 2/25) (16/m)^(2/3) min(1, 30,000/n)^(3/2):
//
// fewer edges weigh more, and the nearest of many points would give way to them.
func (s Settings) further(n, m int) FurtherWeight {
	if s.Further != (FurtherWeight{}) || m == 0 {
		return s.Further
	}
	share := math.Pow(furtherMost/float64(m), 2./3) * ofMany(n)
	return FurtherWeight{From: furtherFrom * share, To: furtherTo * share}
}

// manyPoints is where weights begin to depend on the number of points.
const manyPoints = 30_000

// ofMany is by which share weights of n points are less than those of few,
//
//	min(1, 30,000/n)^(3/2).
func ofMany(n int) float64 { return math.Pow(min(1, manyPoints/float64(n)), 1.5) }

// reach is the rank of the furthest neighbour that a point of n sends an edge to; at most
// k means none.
func (s Settings) reach(n int) int {
	switch {
	case s.Reach < 0:
		return 0
	case s.Reach > 0:
		return min(s.Reach, n-1)
	}
	return min(reachFactor*s.Neighbors, n/reachShare)
}

// FurtherEdges returns how many further edges a point of n has, and the rank of the farthest.
func (s Settings) FurtherEdges(n int) (edges, reach int) {
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	return len(s.ranks(n, s.SearchLists(n))), s.reach(n)
}

// SearchLists is how many neighbours of a point are searched for in a fit of n: further
// edges may reach farther than what the settings ask for.
func (s Settings) SearchLists(n int) int {
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	lists := max(s.Lists, s.Neighbors)
	if n <= longLists || s.Paths != nil { // of a graph, walks would have no length
		lists = max(lists, s.reach(n))
	}
	return lists
}

// ranks returns the ranks of the further edges of a point of n, where lists hold so many
// neighbours: m = 300,000/n of them, at least 3 and at most 16. Where lists do not reach as
// far, walks take the place of ranks, and m is 3: longer walks would lead far beyond.
func (s Settings) ranks(n, lists int) []int {
	reach, m := s.reach(n), furtherLeast
	if s.listed() {
		reach = min(reach, lists)
	}
	if lists >= reach {
		m = min(max(furtherAll/n, furtherLeast), furtherMost)
	}
	return furtherRanks(min(s.Neighbors, n-1), reach, m)
}

// furtherRanks returns the ranks of m further edges of a point that has k near ones, those
// that differ of
//
//	r_l = k (reach/k)^(l/m), l = 1 ... m.                                       (H20)
func furtherRanks(k, reach, m int) (ranks []int) {
	for l := 1; l <= m && reach > k; l++ {
		r := int(math.Round(float64(k) * math.Pow(float64(reach)/float64(k), float64(l)/float64(m))))
		if r > k && !slices.Contains(ranks, r) {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// further lists the neighbours of some ranks, counted from 1 and ascending, of every
// point: nb.N rows of len(ranks). Ranks beyond the lists nb are those where a walk ends
// that goes on to the last neighbour, each walk a step longer than the one before. Where
// there is no other point than the first k and those listed already, the edge leads to
// the point itself, which counts for nothing.
func further[T vec.Float](x vec.Matrix[T], nb *knn.Neighbors, k int, ranks []int, d distance.Distance, threads int) *knn.Neighbors {
	out := knn.NewNeighbors(nb.N, len(ranks))
	par.Ranges(threads, nb.N, rowPiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			own, along := nb.Row(i)
			index, dist2 := out.Row(i)
			steps := 0
			for m, r := range ranks {
				list, at := own, r-1
				if r > nb.K {
					steps = max(steps+1, int(math.Round(math.Sqrt(float64(r)/float64(nb.K)))))
					list, at = walk(nb, i, steps-1), nb.K-1
				}
				index[m] = freshFrom(list, at, int32(i), own[:k], index[:m])
				if x.Cols == 0 { // the lists alone know distances, and reach that far
					dist2[m] = along[max(0, slices.Index(own, index[m]))]
					continue
				}
				dist2[m] = distance.Between(d, x.Row(i), x.Row(int(index[m])))
			}
		}
	})
	return out
}

// listed reports whether only lists know distances: those along a graph, and those that are given.
func (s Settings) listed() bool { return s.Paths != nil || s.Given != nil && s.Given.Dist != nil }

// walk returns the list of the point where so many steps from i, each to the last
// neighbour, end.
func walk(nb *knn.Neighbors, i, steps int) []int32 {
	list, _ := nb.Row(i)
	for range steps {
		list, _ = nb.Row(int(list[len(list)-1]))
	}
	return list
}

// freshFrom returns the first point of a list from an element on, and then from its
// beginning, that is neither i nor among the others; i if there is none.
func freshFrom(list []int32, at int, i int32, near, taken []int32) int32 {
	for step := range list {
		j := list[(at+step)%len(list)]
		if j != i && !slices.Contains(near, j) && !slices.Contains(taken, j) {
			return j
		}
	}
	return i
}
