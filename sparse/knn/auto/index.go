package auto

import (
	"context"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/hnsw"
	"unfold/sparse/knn/ivf"
)

// construction is the number of candidates that links are chosen from. 64 takes two thirds of the
// time of hnsw's default, and searches need a tenth more candidates.
const construction = 64

// From listedRows rows on, links are chosen from existing lists of at least listedNeighbors. This
// takes a third of the time with the same recall. For fewer rows the index takes less than a second
// either way.
const listedRows, listedNeighbors = 30_000, 10

// Cells returns an index by cells with the recall of the settings for k neighbours. It returns nil
// if cells are not the fastest method for the rows of x, or if the settings choose another method.
func Cells(ctx context.Context, x vec.Matrix[float32], k int, set Settings, threads int) (*ivf.Index, error) {
	if set.Method != Auto && set.Method != Descent {
		return nil, nil
	}
	return ivf.New(ctx, x, ivf.Settings{K: k, Recall: set.recall(IndexRecall), Threads: threads})
}

// Build returns an HNSW index over the rows of x with the recall of the settings for k neighbours,
// whatever the rule would choose.
func Build(ctx context.Context, x vec.Matrix[float32], k int, set Settings, s knn.Settings) (*hnsw.Index, error) {
	return hnsw.Build(ctx, x, hnsw.Settings{EfConstruction: construction, Ef: Ef(k, set.recall(IndexRecall)), Seed: set.Seed}, s)
}

// BuildFrom is Build with the neighbour lists of Graph (hnsw.BuildFrom).
func BuildFrom(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, k int, set Settings, s knn.Settings) (*hnsw.Index, error) {
	return hnsw.BuildFrom(ctx, x, nb, hnsw.Settings{Ef: Ef(k, set.recall(IndexRecall)), Seed: set.Seed}, s)
}

// Listed reports whether an index of n rows with lists of k neighbours should be built from the
// lists.
func Listed(n, k int) bool { return n >= listedRows && k >= listedNeighbors }

// Tuned returns ix with the number of candidates for searches of k neighbours set to reach the
// recall of the settings; without a recall it returns ix unchanged.
func Tuned(ix *hnsw.Index, k int, set Settings) knn.Index {
	if set.Recall == 0 {
		return ix
	}
	return tuned{ix, Ef(k, set.Recall)}
}

// tuned searches with its own number of candidates.
type tuned struct {
	*hnsw.Index
	ef int
}

// Search is that of the index.
func (t tuned) Search(ctx context.Context, q vec.Matrix[float32], k int, s knn.Settings) (*knn.Neighbors, error) {
	return t.SearchEf(ctx, q, k, t.ef, s)
}
