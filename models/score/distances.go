package score

import (
	"context"
	"math/rand/v2"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// Correlation compares distances in the data with distances on the map. Spearman's correlation uses
// their ranks, with mean ranks for ties, Pearson's the distances themselves. Both are 0 if all
// distances on one side are equal.
type Correlation struct {
	Spearman, Pearson float64
	// SpearmanError and PearsonError are the standard errors, 0 if Exact.
	SpearmanError, PearsonError float64
	// Pairs is the number of pairs of points that were compared. Exact reports that these are all
	// pairs; otherwise Seed drew them independently.
	Pairs int
	Exact bool
	Seed  uint64
}

// defaultPairs is the maximum number of pairs that are compared by default.
const defaultPairs = 2_000_000

// Distances compares the distances between points on the map y with those between the same points
// in other coordinates x, such as the data or the true positions. It needs about 70 bytes for a
// pair.
func Distances[T, U vec.Float](ctx context.Context, x vec.Matrix[T], y vec.Matrix[U], s Settings) (*Correlation, error) {
	n, most := x.Rows, s.Pairs
	if most == 0 {
		most = defaultPairs
	}
	switch {
	case y.Rows != n:
		return nil, models.BadInputf("score: %d points on the map, coordinates of %d", y.Rows, n)
	case n < 3:
		return nil, models.BadInputf("score: %d points: distances of at least 3 can be compared", n)
	case most < 2:
		return nil, models.BadInputf("score: %d pairs of points: want at least 2", most)
	}
	var pairs [][2]int32
	c := &Correlation{Exact: n*(n-1)/2 <= most}
	if c.Exact {
		pairs = allPairs(n)
	} else {
		pairs, c.Seed = drawPairs(n, most, s.Seed), s.Seed
	}
	c.Pairs = len(pairs)
	a, b := pairDistances(s.Distance, x, pairs, s.Threads), pairDistances(distance.Euclidean, y, pairs, s.Threads)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.Pearson, c.PearsonError = pearson(a, b)
	ranked := spearman(a, b)
	c.Spearman = ranked.rho
	if c.Exact {
		c.PearsonError = 0
	} else {
		c.SpearmanError = ranked.err()
	}
	return c, ctx.Err()
}

// pairDistances returns the distances of pairs, which must be ordered by their first points.
func pairDistances[T vec.Float](by distance.Distance, x vec.Matrix[T], pairs [][2]int32, threads int) []float64 {
	out := make([]float64, len(pairs))
	par.Ranges(threads, len(pairs), 1024, func(_, from, to int) {
		var rows []int32
		for from < to {
			i, first := pairs[from][0], from
			rows = rows[:0]
			for ; from < to && pairs[from][0] == i; from++ {
				rows = append(rows, pairs[from][1])
			}
			own := out[first:from]
			distance.Exact(by, own, x.Row(int(i)), x.Data, x.Cols, rows)
			for p, d := range own {
				own[p] = by.Length(d)
			}
		}
	})
	return out
}

// allPairs returns all pairs of n points.
func allPairs(n int) [][2]int32 {
	out := make([][2]int32, 0, n*(n-1)/2)
	for i := range int32(n) {
		for j := range i {
			out = append(out, [2]int32{i, j})
		}
	}
	return out
}

// drawPairs draws pairs of different points out of n uniformly, ordered by their first points.
func drawPairs(n, count int, seed uint64) [][2]int32 {
	r := rand.New(rand.NewPCG(seed, 0x5ba1))
	out := make([][2]int32, count)
	for p, i := range drawOrdered(r, n, count) {
		j := r.Int32N(int32(n - 1))
		if j >= i {
			j++
		}
		out[p] = [2]int32{i, j}
	}
	return out
}

// Centroids compares the distances between the centroids of classes on the map y with those in the
// data x. It shows whether groups that are far apart in the data are far apart on the map. It needs
// at least three classes. Centroids of binary rows are not binary, and have Euclidean distances.
func Centroids[T, U vec.Float](ctx context.Context, x vec.Matrix[T], y vec.Matrix[U], class []int32, s Settings) (*Correlation, error) {
	if x.Rows != y.Rows {
		return nil, models.BadInputf("score: %d points on the map, %d in the data", y.Rows, x.Rows)
	}
	if err := checkClasses(x.Rows, class); err != nil {
		return nil, err
	}
	groups := members(class)
	if len(groups) < 3 {
		return nil, models.BadInputf("score: %d classes: the distances of at least 3 can be compared", len(groups))
	}
	if s.Distance.Bits() {
		s.Distance = distance.Euclidean
	}
	return Distances(ctx, centroids(x, groups), centroids(y, groups), s)
}

// members returns the points of every class that is not empty.
func members(class []int32) (groups [][]int) {
	groups = make([][]int, slices.Max(class)+1)
	for i, c := range class {
		if c != Missing {
			groups[c] = append(groups[c], i)
		}
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
}

// centroids returns the mean row of every group.
func centroids[T vec.Float](x vec.Matrix[T], groups [][]int) vec.Matrix[float64] {
	out := vec.New[float64](len(groups), x.Cols)
	for g, points := range groups {
		mean := out.Row(g)
		for _, i := range points {
			for j, v := range x.Row(i) {
				mean[j] += float64(v) / float64(len(points))
			}
		}
	}
	return out
}
