package score

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"unfold/internal/vec"
)

// Nearest is Neighborhoods without R_NX, which is NaN. It only computes the ranks of the nearest
// points, which takes a fraction of the time.
func Nearest[T, U vec.Float](ctx context.Context, x vec.Matrix[T], y vec.Matrix[U], s Settings) (*Neighborhood, error) {
	r, err := newRanking(ctx, x, y, s, ofNearest)
	if err != nil {
		return nil, err
	}
	return &r.Neighborhood, nil
}

// nearestWork is the memory that judgeNearest needs.
type nearestWork struct {
	inData, onMap []int32 // the nearest, in the order of their distances
	ranks         []int32
	counting      rankCounts
}

// judgeNearest computes the figures of point i from the ranks of its nearest points on each side
// among all points on the other.
func (r *ranking) judgeNearest(w *rankWork, inData, onMap []float64, i int, row []float64) {
	n := &w.nearest
	most := min(max(r.most, radiusNeighbors), r.Points-1)
	n.inData, n.onMap = nearestOf(n.inData, inData, i, most), nearestOf(n.onMap, onMap, i, most)
	w.inRadius, w.onRadius = meanDistance(inData, n.inData), meanDistance(onMap, n.onMap)
	w.within = room(w.within, r.most+1)
	clear(w.within)
	var madeUp, lost float64
	n.ranks = n.counting.of(n.ranks, inData, i, n.onMap[:r.most])
	for m, rank := range n.ranks {
		if m < r.K {
			madeUp += float64(max(int(rank)-r.K, 0))
		}
		if larger := max(int(rank), m+1); larger <= r.most {
			w.within[larger]++
		}
	}
	n.ranks = n.counting.of(n.ranks, onMap, i, n.inData[:r.K])
	for _, rank := range n.ranks {
		lost += float64(max(int(rank)-r.K, 0))
	}
	row[rnxColumn] = math.NaN()
	r.figures(w, madeUp, lost, row)
}

// nearestOf returns the k nearest points to point i by distance, nearest first, in the memory of
// list.
func nearestOf(list []int32, dist []float64, i, k int) []int32 {
	list = list[:0]
	for j, d := range dist {
		if j == i || len(list) == k && d >= dist[list[k-1]] {
			continue
		}
		at := sort.Search(len(list), func(m int) bool { return dist[list[m]] > d })
		if len(list) == k {
			list = list[:k-1]
		}
		list = slices.Insert(list, at, int32(j))
	}
	return list
}

// radiusNeighbors is the number of nearest points whose mean distance is a local radius.
const radiusNeighbors = 15

// meanDistance returns the mean of up to radiusNeighbors distances, given their squares.
func meanDistance(dist2 []float64, nearest []int32) float64 {
	nearest = nearest[:min(len(nearest), radiusNeighbors)]
	var sum float64
	for _, j := range nearest {
		sum += math.Sqrt(dist2[j])
	}
	return sum / float64(len(nearest))
}

// rankCounts is a workspace for counting ranks.
type rankCounts struct {
	order []int32 // places in the list of points, by distance
	upTo  []float64
	count []int32
}

// of returns the ranks of the given points by distance from point i among all other points, in the
// memory of ranks.
func (c *rankCounts) of(ranks []int32, dist []float64, i int, points []int32) []int32 {
	c.order, c.upTo, c.count = c.order[:0], c.upTo[:0], room(c.count, len(points))
	clear(c.count)
	for m := range points {
		c.order = append(c.order, int32(m))
	}
	slices.SortFunc(c.order, func(a, b int32) int {
		j, k := points[a], points[b]
		return cmp.Or(cmp.Compare(dist[j], dist[k]), cmp.Compare(j, k))
	})
	for _, m := range c.order {
		c.upTo = append(c.upTo, dist[points[m]])
	}
	farthest := c.upTo[len(c.upTo)-1]
	for j, d := range dist {
		if d > farthest || j == i {
			continue
		}
		// Point j precedes the points from here on, or is the first of them. Comparing distances
		// and row numbers at once would take twice the time on a poor map.
		at := sort.SearchFloat64s(c.upTo, d)
		for at < len(points) && c.upTo[at] == d && points[c.order[at]] < int32(j) {
			at++
		}
		if at < len(points) {
			c.count[at]++
		}
	}
	ranks = room(ranks, len(points))
	var rank int32
	for at, m := range c.order {
		rank += c.count[at]
		ranks[m] = rank
	}
	return ranks
}
