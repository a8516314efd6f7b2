package student

import (
	"cmp"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

const (
	// furtherEdges is how many further edges a point has: few do what all between would,
	// for a tenth of the time.
	furtherEdges = 3
	// reachFactor and reachShare are the default of Options.Reach: so many times k, and
	// at most the n-th part of all points.
	reachFactor = 7
	reachShare  = 10
	// furtherFrom and furtherTo are the weights of a further edge for up to manyPoints.
	furtherFrom, furtherTo = 1, 0.2
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

// further returns the weight of further edges on a map of n points. By default
//
//	s = (1, 0.2) min(1, 30,000/n)^(3/2):
//
// the nearest of more points would give way to them.
func (s Settings) further(n int) FurtherWeight {
	if s.Further != (FurtherWeight{}) {
		return s.Further
	}
	share := ofMany(n)
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

// FurtherEdges is how many further edges a point of n has.
func (s Settings) FurtherEdges(n int) int {
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	return len(furtherRanks(min(s.Neighbors, n-1), s.reach(n)))
}

// SearchLists is how many neighbours of a point are searched for in a fit of n: further
// edges may reach farther than what the settings ask for.
func (s Settings) SearchLists(n int) int {
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	lists := max(s.Lists, s.Neighbors)
	if n <= longLists {
		lists = max(lists, s.reach(n))
	}
	return lists
}

// furtherRanks returns the ranks of the further edges of a point that has k near ones,
//
//	r_m = k (reach/k)^(m/3), m = 1, 2, 3.                                      (H20)
func furtherRanks(k, reach int) (ranks []int) {
	for m := 1; m <= furtherEdges && reach > k; m++ {
		r := int(math.Round(float64(k) * math.Pow(float64(reach)/float64(k), float64(m)/furtherEdges)))
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
func further[T vec.Float](x vec.Matrix[T], nb *knn.Neighbors, k int, ranks []int, threads int) *knn.Neighbors {
	out := knn.NewNeighbors(nb.N, len(ranks))
	par.Ranges(threads, nb.N, rowPiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			own, _ := nb.Row(i)
			index, dist2 := out.Row(i)
			steps := 0
			for m, r := range ranks {
				list, at := own, r-1
				if r > nb.K {
					steps = max(steps+1, int(math.Round(math.Sqrt(float64(r)/float64(nb.K)))))
					list, at = walk(nb, i, steps-1), nb.K-1
				}
				index[m] = freshFrom(list, at, int32(i), own[:k], index[:m])
				dist2[m] = vec.SquaredDistance(x.Row(i), x.Row(int(index[m])))
			}
		}
	})
	return out
}

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
