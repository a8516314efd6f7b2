package auto

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/nndescent"
)

// Report describes a neighbour search.
type Report struct {
	// Method is Exact, Descent or Given.
	Method Method `json:"method"`
	// Recall is the recall on a sample of rows, 1 if the search was exact.
	Recall float64 `json:"recall"`
	// Distances is true if distances were given, rather than computed from the rows.
	Distances bool `json:"distances,omitempty"`
}

// sampled returns the number of rows of a graph that are compared with the true neighbours: 512,
// and fewer above 250,000 rows, but at least 128, because each is compared with all.
func sampled(n int) int {
	const most, least, pairs = 512, 128, 128_000_000
	return min(most, max(least, pairs/max(n, 1)))
}

// Graph returns the k nearest other rows of every row of x, nearest first, by the method that the
// settings choose; see knn.Graph. Rows of float64 are always searched exactly.
func Graph[T vec.Float](ctx context.Context, x vec.Matrix[T], k int, set Settings, s knn.Settings) (*knn.Neighbors, Report, error) {
	if err := set.Check(); err != nil {
		return nil, Report{}, fmt.Errorf("auto: %w", err)
	}
	single, ok := any(x).(vec.Matrix[float32])
	if ok && s.Distance == distance.Euclidean && knn.Binary(single, s.Threads) {
		set = set.Bits(x.Rows, x.Cols)
	}
	set = set.Under(s.Distance, x.Rows)
	if ok && k >= 1 && k < x.Rows && set.Graph(x.Rows, x.Cols, k) == Descent {
		return byDescent(ctx, single, k, set, s)
	}
	nb, err := knn.Graph(ctx, x, k, s)
	return nb, Report{Method: Exact, Recall: 1}, err
}

// FromGiven returns the lists that are given for rows, see knn.FromGiven, at the distances that are
// given, if they are others than the rows' (knn.AtGiven), and reports which
// share of the nearest rows they hold: of those of a sample, which the seed chooses.
func FromGiven[T vec.Float](ctx context.Context, x vec.Matrix[T], of []int32, g *knn.Given, least, most int, set Settings, s knn.Settings) (*knn.Neighbors, Report, error) {
	nb, err := knn.FromGiven(ctx, x, of, g, least, most, s)
	if err != nil {
		return nil, Report{}, err
	}
	recall, err := nndescent.Recall(ctx, vec.As[float32](x), nb, sampled(x.Rows), set.Seed, s)
	if err != nil {
		return nil, Report{}, err
	}
	other, err := knn.AtGiven(ctx, x, of, g, nb, s)
	if other != nil {
		nb = other
	}
	return nb, Report{Method: Given, Recall: recall, Distances: other != nil}, err
}

// byDescent runs descent and checks its recall on a sample. If it is too low, it repeats with more
// candidates, and then searches exactly.
func byDescent(ctx context.Context, x vec.Matrix[float32], k int, set Settings, s knn.Settings) (*knn.Neighbors, Report, error) {
	target := set.recall(DefaultRecall)
	// The sample recall may fall short of the target by its standard error.
	sample := sampled(x.Rows)
	enough := target - math.Sqrt(target*(1-target)/float64(sample))
	for long := candidates(k, target); long <= 4*candidates(k, target) && long < x.Rows/2; long *= 2 {
		nb, r, err := nndescent.Graph(ctx, x, k, nndescent.Settings{Candidates: long, Sample: sample, Seed: set.Seed}, s)
		switch {
		case err != nil:
			return nil, Report{}, err
		case r.Sampled == 0: // so few rows that it is exact
			return nb, Report{Method: Exact, Recall: 1}, nil
		case r.Recall >= enough:
			return nb, Report{Method: Descent, Recall: r.Recall}, nil
		}
	}
	nb, err := knn.Graph(ctx, x, k, s)
	return nb, Report{Method: Exact, Recall: 1}, err
}
