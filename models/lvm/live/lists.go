package live

import (
	"context"
	"slices"

	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

// lists are rows in slots and their neighbours. Slots that became free are used
// again, the lowest first. A call that fails leaves them as they were.
type lists interface {
	// change deletes the rows of some slots, ascending, and then adds those of x,
	// whose slots it returns.
	change(ctx context.Context, gone []int32, x vec.Matrix[float32]) ([]int32, error)
	// row is that of a slot in use.
	row(slot int32) []float32
	// compact returns the slots in use, ascending, and the lists of k neighbours,
	// or of all others if they are fewer, of the points numbered in that order.
	compact(ctx context.Context) (slots []int32, nb *knn.Neighbors, err error)
}

// batchLists finds all neighbours anew whenever they are asked for.
type batchLists struct {
	k, threads int
	x          vec.Matrix[float32] // of all slots
	used       []bool
	free       []int32 // descending
	known      *knn.Neighbors
}

// newBatchLists is of the rows of x, in slots from 0 on, with their lists if they
// are known.
func newBatchLists(x vec.Matrix[float32], k, threads int, known *knn.Neighbors) *batchLists {
	b := &batchLists{k: k, threads: threads, x: x.Clone(), used: make([]bool, x.Rows), known: known}
	for i := range b.used {
		b.used[i] = true
	}
	return b
}

func (b *batchLists) row(slot int32) []float32 { return b.x.Row(int(slot)) }

func (b *batchLists) change(ctx context.Context, gone []int32, x vec.Matrix[float32]) ([]int32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, s := range gone {
		b.used[s] = false
	}
	b.free = append(b.free, gone...)
	slices.Sort(b.free)
	slices.Reverse(b.free)
	slots := make([]int32, x.Rows)
	for i := range slots {
		if last := len(b.free) - 1; last >= 0 {
			slots[i], b.free = b.free[last], b.free[:last]
			copy(b.row(slots[i]), x.Row(i))
			b.used[slots[i]] = true
			continue
		}
		slots[i] = int32(b.x.Rows)
		b.x.Rows, b.x.Data, b.used = b.x.Rows+1, append(b.x.Data, x.Row(i)...), append(b.used, true)
	}
	b.known = nil
	return slots, nil
}

func (b *batchLists) compact(ctx context.Context) (slots []int32, nb *knn.Neighbors, err error) {
	for s, used := range b.used {
		if used {
			slots = append(slots, int32(s))
		}
	}
	if k := min(b.k, len(slots)-1); b.known == nil && k > 0 {
		if b.known, err = knn.Graph(ctx, vec.Take(b.x, slots), k, knn.Settings{Threads: b.threads}); err != nil {
			return nil, nil, err
		}
	}
	return slots, b.known, nil
}
