package score

import (
	"math"
	"math/rand/v2"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// Agreement is the share of triples (i, j, k) of points for which the map and the data agree on
// which of j and k is nearer to i.
type Agreement struct {
	Share float64
	// Error is the standard error, 0 if Exact.
	Error float64
	// Count is the number of triples. Exact reports that these are all; otherwise they were drawn
	// independently.
	Count int
	Exact bool
}

// defaultTriplets is the default number of random triples.
const defaultTriplets = 400_000

// triplets returns the agreement on count random triples of different points.
func triplets[T, U vec.Float](by distance.Distance, x vec.Matrix[T], y vec.Matrix[U], count int, seed uint64, threads int) Agreement {
	drawn := drawTriplets(x.Rows, count, seed)
	const size = 1024
	kept := make([]int, par.Pieces(count, size))
	par.Ranges(threads, count, size, func(p, from, to int) {
		on := nearer(distance.Euclidean, y, drawn[from:to])
		for m, in := range nearer(by, x, drawn[from:to]) {
			if in == on[m] {
				kept[p]++
			}
		}
	})
	sum := 0
	for _, k := range kept {
		sum += k
	}
	share := float64(sum) / float64(count)
	return Agreement{Share: share, Error: math.Sqrt(share * (1 - share) / float64(count)), Count: count}
}

// tripletCount returns the number of random triples that the settings request.
func tripletCount(s Settings) (int, error) {
	switch {
	case s.Triplets < 0:
		return 0, models.BadInputf("score: %d triplets", s.Triplets)
	case s.Triplets == 0:
		return defaultTriplets, nil
	}
	return s.Triplets, nil
}

// drawTriplets draws triples of different points out of n uniformly, ordered by their first points.
func drawTriplets(n, count int, seed uint64) [][3]int32 {
	r := rand.New(rand.NewPCG(seed, 0x7419))
	out := make([][3]int32, count)
	for m, i := range drawOrdered(r, n, count) {
		j, k := r.Int32N(int32(n-1)), r.Int32N(int32(n-2))
		// j was drawn among the points other than i, and k among those other than both.
		if j >= i {
			j++
		}
		if k >= min(i, j) {
			k++
		}
		if k >= max(i, j) {
			k++
		}
		out[m] = [3]int32{i, j, k}
	}
	return out
}

// nearer reports for every triple whether the second point is nearer to the first than the third
// is; of two equally near ones the smaller number is nearer. Triples must be ordered by their first
// points.
func nearer[T vec.Float](by distance.Distance, x vec.Matrix[T], triples [][3]int32) []bool {
	out := make([]bool, 0, len(triples))
	var rows []int32
	var d []float64
	for len(triples) > 0 {
		i, n := triples[0][0], 0
		rows = rows[:0]
		for n < len(triples) && triples[n][0] == i {
			rows = append(rows, triples[n][1], triples[n][2])
			n++
		}
		d = room(d, len(rows))
		distance.Exact(by, d, x.Row(int(i)), x.Data, x.Cols, rows)
		for m, t := range triples[:n] {
			j, k := d[2*m], d[2*m+1]
			out = append(out, j < k || j == k && t[1] < t[2])
		}
		triples = triples[n:]
	}
	return out
}

// allTriplets returns the number of triples of n points: for every point, the pairs of other
// points.
func allTriplets(n int) int { return n * ((n - 1) * (n - 2) / 2) }

// kept returns the share of pairs of other points that have the same order in the data and on the
// map, for a ranked point. It counts the inversions of the map's ranks in the order of the data,
// with a tree of sums.
func (w *rankWork) kept() float64 {
	n := len(w.on)
	w.tree = room(w.tree, n)
	clear(w.tree)
	inversions, seen := 0, 0
	for _, j := range w.order {
		rank := int(w.on[j])
		if rank == 0 { // the point itself
			continue
		}
		below := 0
		for at := rank; at > 0; at &= at - 1 {
			below += int(w.tree[at])
		}
		inversions += seen - below
		seen++
		for at := rank; at < n; at += at & -at {
			w.tree[at]++
		}
	}
	return 1 - float64(inversions)/float64((n-1)*(n-2)/2)
}
