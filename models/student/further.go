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
	// furtherLeast and furtherMost bound the number of further edges per point. furtherAll is the
	// target for all points together. More than three edges preserve more of the 30 and 100 nearest
	// neighbours, but time grows in proportion to their number.
	furtherLeast, furtherMost, furtherAll = 3, 16, 150_000
	// reachFactor and reachShare define the default of Options.Reach: reachFactor times k, and at
	// most 1/reachShare of all points.
	reachFactor = 7
	reachShare  = 10
	// furtherFrom and furtherTo are the first and the last weight of a further edge if each point
	// has furtherMost of them.
	furtherFrom, furtherTo = 0.3, 0.08
	// mostSigma2 is the upper bound of sigma^2, reached in maps of very many points
	// (Settings.variance).
	mostSigma2 = 0.1
	// longLists is the largest number of points for which the search also finds the targets of
	// further edges. With more points, walks along shorter lists find targets that are nearly as
	// good.
	longLists = manyPoints
)

// FurtherWeight is the schedule of the weight of further edges while a map is learnt. Near edges
// have the weight 1. The zero value stands for the default.
type FurtherWeight struct{ From, To float64 }

// At returns the weight after the share done (0 to 1) of the ramp:
//
//	s = From + (To - From) done.                                               (H19)
func (w FurtherWeight) At(done float64) float64 {
	if done >= 1 {
		return w.To
	}
	return w.From + (w.To-w.From)*done
}

// further returns the weight of further edges on a map of n points with m such edges each. By
// default
//
//	s = (3/10, 2/25) (16/m)^(2/3) min(1, 30,000/n)^(3/2):
//
// The fewer edges, the more each weighs. The last factor keeps further edges from outweighing near
// ones on maps of many points.
func (s Settings) further(n, m int) FurtherWeight {
	if s.Further != (FurtherWeight{}) || m == 0 {
		return s.Further
	}
	share := math.Pow(furtherMost/float64(m), 2./3) * ofMany(n)
	return FurtherWeight{From: furtherFrom * share, To: furtherTo * share}
}

// manyPoints is the number of points from which weights depend on the number of points.
const manyPoints = 30_000

// ofMany returns the factor by which weights shrink on maps of many points,
//
//	min(1, 30,000/n)^(3/2).
func ofMany(n int) float64 { return math.Pow(min(1, manyPoints/float64(n)), 1.5) }

// reach returns the rank of the farthest neighbour that a point sends an edge to, on a map of n
// points. A result of at most k means that there are no further edges.
func (s Settings) reach(n int) int {
	switch {
	case s.Reach < 0:
		return 0
	case s.Reach > 0:
		return min(s.Reach, n-1)
	}
	return min(reachFactor*s.Neighbors, n/reachShare)
}

// FurtherEdges returns the number of further edges of each of n points and the rank of the
// farthest.
func (s Settings) FurtherEdges(n int) (edges, reach int) {
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	return len(s.ranks(n, s.SearchLists(n))), s.reach(n)
}

// SearchLists returns the number of neighbours per point that a fit of n points searches for.
// Further edges may need longer lists than the settings ask for.
func (s Settings) SearchLists(n int) int {
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	lists := max(s.Lists, s.Neighbors)
	if n <= longLists || s.Paths != nil { // walks along a given graph would have no length
		lists = max(lists, s.reach(n))
	}
	return lists
}

// ranks returns the ranks of the further edges of a point on a map of n points with neighbour lists
// of the given length. Their number m is 150,000/n, at least 3 and at most 16. If the lists are too
// short, walks replace ranks and m is 3, because longer walks would end much too far away.
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

// furtherRanks returns the ranks of m further edges of a point with k near ones, without
// duplicates:
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

// further returns the neighbours of the given ranks for every point, as nb.N rows of len(ranks).
// Ranks count from 1 and ascend.
//
// A rank beyond the list of a point is replaced by the end of a walk. Each step of the walk goes to
// the last neighbour of a list. Each further walk is one step longer. If no point is left other
// than the first k neighbours and those already listed, the edge leads to the point itself and has
// no effect.
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
				if x.Cols == 0 { // distances are known only from the lists
					dist2[m] = along[max(0, slices.Index(own, index[m]))]
					continue
				}
				dist2[m] = distance.Between(d, x.Row(i), x.Row(int(index[m])))
			}
		}
	})
	return out
}

// listed reports whether only the lists contain distances: those along a graph and given ones.
func (s Settings) listed() bool { return s.Paths != nil || s.Given != nil && s.Given.Dist != nil }

// walk returns the list of the point at the end of a walk from i. Each of the steps goes to the
// last neighbour.
func walk(nb *knn.Neighbors, i, steps int) []int32 {
	list, _ := nb.Row(i)
	for range steps {
		list, _ = nb.Row(int(list[len(list)-1]))
	}
	return list
}

// freshFrom returns the first point of a list, from element at on and then from the beginning, that
// is not i and in neither near nor taken. It returns i if there is none.
func freshFrom(list []int32, at int, i int32, near, taken []int32) int32 {
	for step := range list {
		j := list[(at+step)%len(list)]
		if j != i && !slices.Contains(near, j) && !slices.Contains(taken, j) {
			return j
		}
	}
	return i
}
