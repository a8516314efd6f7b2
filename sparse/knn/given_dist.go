package knn

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/quantile"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// ErrNoDistance is the error if all given distances are 0.
var ErrNoDistance = errors.New("all distances that are given are 0, so that no scale follows from them: give distances above 0, or none")

// Distances that equal those of the rows except for a factor and rounding differ from them by at
// most sameShare of themselves and sameMedian of the median.
const (
	sameShare  = 1e-3
	sameMedian = 1e-4
)

// givenPairs are the pairs of points whose distance is given. Point p has those from
// start[p] to start[p+1]: the other points, ascending, and their distances, which are the same
// both ways.
type givenPairs struct {
	start  []int
	to     []int32
	length []float64
}

// of returns the points whose distance from p is given.
func (g *givenPairs) of(p int) (to []int32, length []float64) {
	a, b := g.start[p], g.start[p+1]
	return g.to[a:b:b], g.length[a:b:b]
}

// pairs sets the distance of each pair of points to the mean over the given distances of their rows.
// Rows that differ are never at distance 0 from each other: the least that is given takes its place.
func (v *givenView) pairs() (*givenPairs, error) {
	type arc struct {
		to     int32
		length float32
	}
	n := len(v.start) - 1
	start := make([]int, n+1)
	v.eachArc(func(p, q int32, _ float32) {
		start[p+1]++
		start[q+1]++
	})
	for p := range n {
		start[p+1] += start[p]
	}
	arcs, next := make([]arc, start[n]), slices.Clone(start[:n])
	v.eachArc(func(p, q int32, length float32) {
		arcs[next[p]], arcs[next[q]] = arc{q, length}, arc{p, length}
		next[p]++
		next[q]++
	})
	g, least := &givenPairs{start: make([]int, 1, n+1)}, math.Inf(1)
	for p := range n {
		row := arcs[start[p]:start[p+1]]
		// The order of the lengths, too, so that both ends add up the same.
		slices.SortFunc(row, func(a, b arc) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.length, b.length)) })
		for len(row) > 0 {
			sum, count := 0.0, 0
			for count < len(row) && row[count].to == row[0].to {
				sum += float64(row[count].length)
				count++
			}
			mean := sum / float64(count)
			if mean > 0 {
				least = min(least, mean)
			}
			g.to, g.length = append(g.to, row[0].to), append(g.length, mean)
			row = row[count:]
		}
		g.start = append(g.start, len(g.to))
	}
	if math.IsInf(least, 1) {
		return nil, ErrNoDistance
	}
	for e, length := range g.length {
		g.length[e] = max(length, least)
	}
	return g, nil
}

// eachArc calls f for every distance that is given between two different points.
func (v *givenView) eachArc(f func(p, q int32, length float32)) {
	for at, j := range v.g.Index {
		if p, q := v.of[at/v.g.K], v.of[j]; p != q {
			f(p, q, v.g.Dist[at])
		}
	}
}

// AtGiven returns the lists of FromGiven at the distances that are given: of all pairs that are
// given for either point, the nearest, as many as lists have. It returns nil if none are given, or
// if they equal those of the rows except for a factor and rounding.
//
// Distances are in the unit of the rows' own: times the factor that gives both the same median. So
// what is measured from the rows (events, landmarks) goes with them. It fails with ErrNoDistance, or
// if ctx ends.
func AtGiven[T vec.Float](ctx context.Context, x vec.Matrix[T], of []int32, given *Given, lists *Neighbors, s Settings) (*Neighbors, error) {
	if given.Dist == nil {
		return nil, nil
	}
	v, err := newGivenView(of, x.Rows, given)
	if err != nil {
		return nil, err
	}
	g, err := v.pairs()
	if err != nil {
		return nil, err
	}
	own := make([]float64, len(g.to))
	par.Ranges(s.Threads, x.Rows, givenPiece, func(_, from, to int) {
		for p := from; p < to && ctx.Err() == nil; p++ {
			near, _ := g.of(p)
			far := own[g.start[p]:g.start[p+1]]
			distance.Exact(s.Distance, far, x.Row(p), x.Data, x.Cols, near)
			for e, dist2 := range far {
				far[e] = math.Sqrt(dist2)
			}
		}
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	median := quantile.Median(slices.Clone(own))
	factor, same := median/quantile.Median(slices.Clone(g.length)), true
	for e, length := range g.length {
		g.length[e] = factor * length
		same = same && math.Abs(g.length[e]-own[e]) <= sameShare*own[e]+sameMedian*median
	}
	if same {
		return nil, nil
	}
	out := EmptyNeighbors(lists.N, lists.K)
	par.Ranges(s.Threads, x.Rows, givenPiece, func(_, from, to int) {
		var dist2 []float64
		for p := from; p < to; p++ {
			near, length := g.of(p)
			dist2 = dist2[:0]
			for _, l := range length {
				dist2 = append(dist2, l*l)
			}
			index, far := out.Row(p)
			merge(index, far, near, dist2)
		}
	})
	return out, nil
}
