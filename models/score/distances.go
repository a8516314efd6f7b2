package score

import (
	"slices"

	"unfold/internal/vec"
	"unfold/models"
)

// Correlation is Spearman's rank correlation of distances.
type Correlation struct {
	Spearman float64
	// Sample points' pairs entered. Exact says that these are all points; Seed
	// otherwise chose them.
	Sample int
	Exact  bool
	Seed   uint64
}

// Distances compares the distances between points on the map y with those between
// the same points by other coordinates x, such as where they truly lie.
func Distances(x, y vec.Matrix[float32], s Settings) (*Correlation, error) {
	n := x.Rows
	switch {
	case y.Rows != n:
		return nil, models.BadInputf("score: %d points on the map, coordinates of %d", y.Rows, n)
	case n < 3:
		return nil, models.BadInputf("score: %d points: distances of at least 3 can be compared", n)
	}
	if s.Sample == 0 {
		s.Sample = shepardPoints
	}
	c := &Correlation{Sample: n, Exact: true}
	chosen := everyone(n)
	if s.Sample > 0 && s.Sample < n {
		chosen = choose(n, max(s.Sample, 3), s.Seed)
		c.Sample, c.Exact, c.Seed = len(chosen), false, s.Seed
	}
	c.Spearman = shepard(x, y, chosen)
	return c, nil
}

// Centroids compares the distances between the classes' centroids on the map y
// with those in the data x: whether groups that are far apart are shown far apart.
// It is Spearman's rank correlation over all pairs of at least three classes.
func Centroids(x, y vec.Matrix[float32], class []int32) (spearman float64, err error) {
	if x.Rows != y.Rows {
		return 0, models.BadInputf("score: %d points on the map, %d in the data", y.Rows, x.Rows)
	}
	if err := checkClasses(x.Rows, class); err != nil {
		return 0, err
	}
	groups := members(class)
	if len(groups) < 3 {
		return 0, models.BadInputf("score: %d classes: the distances of at least 3 can be compared", len(groups))
	}
	return shepard(centroids(x, groups), centroids(y, groups), everyone(len(groups))), nil
}

// members returns the points of every class that has some.
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
func centroids(x vec.Matrix[float32], groups [][]int) vec.Matrix[float64] {
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

// everyone returns 0..n-1.
func everyone(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
