package score

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Settings are the settings of a measurement. The zero value works.
type Settings struct {
	// K is the number of neighbours of trustworthiness and continuity. Default 12.
	K int
	// Recall lists more numbers of neighbours to measure recall for, each less than the number of
	// points. By default these are 10, 30 and 100, as far as they are at least two less than the
	// number of points.
	Recall []int
	// Sample is the maximum number of points that sums run over. By default it is 1000 for rank
	// measures, and all points for accuracies. A negative value means all points.
	Sample int
	// Pairs is the maximum number of pairs whose distances are compared. If there are more, as many
	// random pairs are drawn. Default 2,000,000.
	Pairs int
	// Triplets is the number of random triples of points, used unless all points are ranked.
	// Default 400,000.
	Triplets int
	// Distance is the distance in the data; distances on the map are always Euclidean. The default
	// is Euclidean.
	Distance distance.Distance
	// Seed determines the sample, the pairs and the triples.
	Seed uint64
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
}

// Accuracy is the share of points whose label is predicted correctly by their neighbours.
type Accuracy struct {
	// K are the numbers of neighbours, Share the accuracy for each.
	K     []int
	Share []float64
	// Points is the number of labelled points that were tested. Exact reports that these are all;
	// otherwise Seed chose them.
	Points int
	Exact  bool
	Seed   uint64
}

// LeaveOneOut returns, for each k of ks, the share of labelled points on the map (n x d) whose
// class is the majority vote of their k nearest other labelled points.
func LeaveOneOut[T vec.Float](ctx context.Context, points vec.Matrix[T], class []int32, ks []int, s Settings) (*Accuracy, error) {
	if err := checkClasses(points.Rows, class); err != nil {
		return nil, err
	}
	points, class = labelled(points, class)
	n := points.Rows
	most, err := largest(ks, n-1)
	if err != nil {
		return nil, err
	}
	a := &Accuracy{K: slices.Clone(ks), Share: make([]float64, len(ks)), Points: n, Exact: true}
	if s.Sample <= 0 || s.Sample >= n {
		nb, err := knn.Graph(ctx, points, most, knn.Settings{Threads: s.Threads})
		if err != nil {
			return nil, fmt.Errorf("score: %w", err)
		}
		a.judge(func(i int) ([]int32, int32) { near, _ := nb.Row(i); return near, class[i] }, class)
		return a, nil
	}
	chosen := choose(n, s.Sample, s.Seed)
	a.Points, a.Exact, a.Seed = len(chosen), false, s.Seed
	x := vec.Convert[float32](points)
	nb, err := knn.NewExact(x).Search(ctx, vec.Take(x, chosen), most+1, knn.Settings{Threads: s.Threads})
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	a.judge(func(i int) ([]int32, int32) {
		near, _ := nb.Row(i)
		self := int32(chosen[i])
		if at := slices.Index(near, self); at >= 0 {
			near = slices.Delete(slices.Clone(near), at, at+1)
		}
		return near[:most], class[self]
	}, class)
	return a, nil
}

// HeldOutError returns, for each k of ks, the share of labelled test points whose
// class is not the vote of their k nearest labelled training points.
func HeldOutError[T vec.Float](ctx context.Context, train vec.Matrix[T], trainClass []int32, test vec.Matrix[T], testClass []int32, ks []int, s Settings) ([]float64, error) {
	if err := checkClasses(train.Rows, trainClass); err != nil {
		return nil, err
	}
	if err := checkClasses(test.Rows, testClass); err != nil {
		return nil, err
	}
	train, trainClass = labelled(train, trainClass)
	test, testClass = labelled(test, testClass)
	most, err := largest(ks, train.Rows)
	if err != nil {
		return nil, err
	}
	nb, err := knn.NewExact(vec.Convert[float32](train)).Search(ctx, vec.Convert[float32](test), most, knn.Settings{Threads: s.Threads})
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	a := &Accuracy{K: ks, Share: make([]float64, len(ks)), Points: test.Rows}
	a.judge(func(i int) ([]int32, int32) { near, _ := nb.Row(i); return near, testClass[i] }, trainClass)
	for i := range a.Share {
		a.Share[i] = 1 - a.Share[i]
	}
	return a.Share, nil
}

// judge computes the shares of points whose class equals the vote of their neighbours.
func (a *Accuracy) judge(point func(i int) (near []int32, truth int32), class []int32) {
	for i := range a.Points {
		near, truth := point(i)
		for m, k := range a.K {
			if vote(near[:k], class) == truth {
				a.Share[m]++
			}
		}
	}
	for m := range a.Share {
		a.Share[m] /= float64(a.Points)
	}
}

// checkClasses checks that there is one class for each point, and at least one that is not missing.
func checkClasses(n int, class []int32) error {
	if len(class) != n {
		return models.BadInputf("score: %d labels for %d points", len(class), n)
	}
	if !slices.ContainsFunc(class, func(c int32) bool { return c != Missing }) {
		return models.BadInputf("score: no point has a label")
	}
	return nil
}

// labelled removes the points whose class is missing.
func labelled[T vec.Float](points vec.Matrix[T], class []int32) (vec.Matrix[T], []int32) {
	if !slices.Contains(class, Missing) {
		return points, class
	}
	var kept, out []int32
	for i, c := range class {
		if c != Missing {
			kept, out = append(kept, int32(i)), append(out, c)
		}
	}
	return vec.Take(points, kept), out
}

// largest returns the largest of ks. All must be within 1..most, the number of other points.
func largest(ks []int, most int) (int, error) {
	if len(ks) == 0 {
		return 0, models.BadInputf("score: no number of neighbours is named")
	}
	if most < 1 {
		return 0, models.BadInputf("score: there are too few points: none has a neighbour")
	}
	for _, k := range ks {
		if k < 1 || k > most {
			return 0, models.BadInputf("score: %d neighbours asked for, but there are 1 to %d", k, most)
		}
	}
	return slices.Max(ks), nil
}
