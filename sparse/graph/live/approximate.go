package live

import (
	"cmp"
	"context"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// approximate asks an index. Who looks for a new row is sought among those that it
// finds itself, twice as many as a list holds, and those whose nearest include one of
// these: a point in an empty region looks for rows that have nearer ones.
type approximate struct {
	ix      knn.Dynamic
	dim     int
	threads int
	lists   *lists // of the graph
	x       []float32
	number  []int32 // of a slot in the index
	slot    []int32 // of a number
}

func (a *approximate) settings() knn.Settings { return knn.Settings{Threads: a.threads} }

func (a *approximate) check(x vec.Matrix[float32]) error {
	return knn.NewDynamicExact(a.dim).Check(x, a.threads)
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

func (a *approximate) searchReverse(ctx context.Context, ask []int32, k int, reach []float64) (*knn.Neighbors, []knn.ReverseNeighbor, error) {
	q := vec.New[float32](len(ask), a.dim)
	for r, slot := range ask {
		copy(q.Row(r), a.row(slot))
	}
	nb, err := a.ix.Search(ctx, q, min(a.ix.Len(), 2*k+1), a.settings())
	if err != nil {
		return nil, nil, err
	}
	out := knn.EmptyNeighbors(len(ask), k)
	var found, met []knn.ReverseNeighbor
	for r, slot := range ask {
		index, dist2 := nb.Row(r)
		found = found[:0]
		for p, number := range index {
			if j := a.slot[number]; j != slot {
				found = append(found, knn.ReverseNeighbor{Row: j, New: slot, Dist2: dist2[p]})
			}
		}
		slices.SortFunc(found, func(a, b knn.ReverseNeighbor) int {
			return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), cmp.Compare(a.Row, b.Row))
		})
		to, length := out.Row(r)
		for p, f := range found[:min(k, len(found))] {
			to[p], length[p] = f.Row, f.Dist2
		}
		met = append(met, found...)
	}
	if reach == nil {
		return out, nil, nil
	}
	return out, a.within(met, reach), nil
}

// within returns the pairs within reach among those met and the pairs of points that
// list the first of one with the second.
func (a *approximate) within(met []knn.ReverseNeighbor, reach []float64) []knn.ReverseNeighbor {
	slices.SortFunc(met, knn.CompareReverse)
	start := make([]int32, len(a.lists.count)+1) // pairs of slot j: met[start[j]:start[j+1]]
	for _, m := range met {
		start[m.Row+1]++
	}
	for j := range a.lists.count {
		start[j+1] += start[j]
	}
	pieces := make([][]knn.ReverseNeighbor, par.Pieces(len(a.lists.count), sweepSize))
	par.Ranges(a.threads, len(a.lists.count), sweepSize, func(piece, from, to int) {
		var near []int32
		for i := int32(from); i < int32(to); i++ {
			if reach[i] < 0 {
				continue
			}
			near = near[:0]
			for _, m := range met[start[i]:start[i+1]] {
				near = append(near, m.New)
			}
			index, _ := a.lists.nearest(i)
			for _, j := range index {
				for _, m := range met[start[j]:start[j+1]] {
					near = append(near, m.New)
				}
			}
			slices.Sort(near)
			for _, slot := range slices.Compact(near) {
				if d2 := vec.SquaredDistance(a.row(i), a.row(slot)); d2 <= reach[i] {
					pieces[piece] = append(pieces[piece], knn.ReverseNeighbor{Row: i, New: slot, Dist2: d2})
				}
			}
		}
	})
	found := slices.Concat(pieces...)
	slices.SortFunc(found, knn.CompareReverse)
	return found
}
