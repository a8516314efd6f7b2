package live

import (
	"cmp"
	"context"
	"slices"

	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

// searcher keeps rows by slot and finds neighbours among them.
type searcher interface {
	// check returns what put would refuse rows with.
	check(x vec.Matrix[float32]) error
	// put adds rows, all or with an error none.
	put(ctx context.Context, slots []int32, x vec.Matrix[float32]) error
	remove(slots []int32)
	row(slot int32) []float32
	// around is knn.Slots.Around.
	around(ctx context.Context, ask []int32, k int, reach []float64) (*knn.Neighbors, []knn.Within, error)
	bytes() int64
}

// exact searches all rows.
type exact struct {
	slots   *knn.Slots
	threads int
}

func newExact(dim, threads int) *exact { return &exact{knn.NewSlots(dim), threads} }

func (e *exact) check(x vec.Matrix[float32]) error { return e.slots.Check(x, e.threads) }

func (e *exact) put(_ context.Context, slots []int32, x vec.Matrix[float32]) error {
	return e.slots.Put(slots, x, e.threads)
}

func (e *exact) remove(slots []int32)     { e.slots.Remove(slots) }
func (e *exact) row(slot int32) []float32 { return e.slots.Row(slot) }
func (e *exact) bytes() int64             { return e.slots.Bytes() }

func (e *exact) around(ctx context.Context, ask []int32, k int, reach []float64) (*knn.Neighbors, []knn.Within, error) {
	return e.slots.Around(ctx, ask, k, reach, knn.Settings{Threads: e.threads})
}

// approximate asks an index. Who looks for a new row is sought among the rows that
// it finds itself, twice as many as a list holds: nearness is nearly mutual.
type approximate struct {
	ix      Index
	dim     int
	threads int
	x       []float32
	number  []int32 // of a slot in the index
	slot    []int32 // of a number
}

func (a *approximate) settings() knn.Settings { return knn.Settings{Threads: a.threads} }

func (a *approximate) check(x vec.Matrix[float32]) error {
	return knn.NewSlots(a.dim).Check(x, a.threads)
}

func (a *approximate) row(slot int32) []float32 {
	at := int(slot) * a.dim
	return a.x[at : at+a.dim : at+a.dim]
}

func (a *approximate) bytes() int64 {
	return a.ix.Bytes() + int64(4*(cap(a.x)+cap(a.number)+cap(a.slot)))
}

func (a *approximate) put(ctx context.Context, slots []int32, x vec.Matrix[float32]) error {
	numbers, err := a.ix.Insert(ctx, x, a.settings())
	if err != nil {
		if len(numbers) > 0 {
			// They have just been added, so they can be deleted.
			_ = a.ix.Delete(numbers, a.settings())
		}
		return err
	}
	for r, slot := range slots {
		for len(a.number) <= int(slot) {
			a.number = append(a.number, 0)
			a.x = append(a.x, make([]float32, a.dim)...)
		}
		for len(a.slot) <= int(numbers[r]) {
			a.slot = append(a.slot, 0)
		}
		a.number[slot], a.slot[numbers[r]] = numbers[r], slot
		copy(a.row(slot), x.Row(r))
	}
	return nil
}

func (a *approximate) remove(slots []int32) {
	numbers := make([]int32, len(slots))
	for r, slot := range slots {
		numbers[r] = a.number[slot]
	}
	if err := a.ix.Delete(numbers, a.settings()); err != nil {
		panic("live: the index has lost rows: " + err.Error()) // it is the graph's own
	}
}

func (a *approximate) around(ctx context.Context, ask []int32, k int, reach []float64) (*knn.Neighbors, []knn.Within, error) {
	q := vec.New[float32](len(ask), a.dim)
	for r, slot := range ask {
		copy(q.Row(r), a.row(slot))
	}
	want := min(a.ix.Len(), 2*k+1)
	nb, err := a.ix.Search(ctx, q, want, a.settings())
	if err != nil {
		return nil, nil, err
	}
	lists := knn.EmptyNeighbors(len(ask), k)
	var within []knn.Within
	var found []knn.Within
	for r, slot := range ask {
		index, dist2 := nb.Row(r)
		found = found[:0]
		for p, number := range index {
			if j := a.slot[number]; j != slot {
				found = append(found, knn.Within{Row: j, New: slot, Dist2: dist2[p]})
			}
		}
		slices.SortFunc(found, func(a, b knn.Within) int {
			return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), cmp.Compare(a.Row, b.Row))
		})
		to, length := lists.Row(r)
		for p, f := range found {
			if p < k {
				to[p], length[p] = f.Row, f.Dist2
			}
			if reach != nil && f.Dist2 <= reach[f.Row] {
				within = append(within, f)
			}
		}
	}
	slices.SortFunc(within, knn.CompareWithin)
	return lists, within, nil
}
