package live

import (
	"context"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// searcher keeps rows by slot and finds neighbours among them.
type searcher interface {
	// check returns what put would refuse rows with.
	check(x vec.Matrix[float32]) error
	// put adds rows, all or with an error none.
	put(ctx context.Context, slots []int32, x vec.Matrix[float32]) error
	remove(slots []int32)
	row(slot int32) []float32
	// searchReverse is knn.DynamicExact.SearchReverse.
	searchReverse(ctx context.Context, ask []int32, k int, reach []float64) (*knn.Neighbors, []knn.ReverseNeighbor, error)
	bytes() int64
}

// exact searches all rows.
type exact struct {
	slots   *knn.DynamicExact
	threads int
}

func newExact(dim, threads int) *exact { return &exact{knn.NewDynamicExact(dim), threads} }

func (e *exact) check(x vec.Matrix[float32]) error { return e.slots.Check(x, e.threads) }

func (e *exact) put(_ context.Context, slots []int32, x vec.Matrix[float32]) error {
	return e.slots.Put(slots, x, e.threads)
}

func (e *exact) remove(slots []int32)     { e.slots.Remove(slots) }
func (e *exact) row(slot int32) []float32 { return e.slots.Row(slot) }
func (e *exact) bytes() int64             { return e.slots.Bytes() }

func (e *exact) searchReverse(ctx context.Context, ask []int32, k int, reach []float64) (*knn.Neighbors, []knn.ReverseNeighbor, error) {
	return e.slots.SearchReverse(ctx, ask, k, reach, knn.Settings{Threads: e.threads})
}
