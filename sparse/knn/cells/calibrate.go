package cells

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/sparse/knn"
	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/codes"
)

const (
	// sampled is how many rows say how far a search has to go.
	sampled = 192
	// Of the neighbours that may be missed, this share is by looking into too few cells,
	// the rest by the error of codes.
	byProbes = 0.75
	// spare is how many more rows than neighbours are measured at least.
	spare = 4
	// Cells are not worth while if a search has to read a larger share of all rows, or to
	// measure as many rows for each neighbour.
	mostRead, mostKept = 0.25, 4
	// firstBound is where bounds begin that nothing is known of yet.
	firstBound = 1 << 10
)

// trial is a sample of rows and their true neighbours.
type trial struct {
	ix   *Index
	q    vec.Matrix[float32]
	near [][]int32 // the nearest others of each, ix.k
	// By row: its cell and its place.
	cell, place []int32
	threads     int
}

// calibrate chooses how many cells are looked into and how many rows are measured, so
// that of the neighbours of a sample of rows the given share is found. It reports false
// if that takes too much.
func (ix *Index) calibrate(ctx context.Context, recall float64, threads int) (bool, error) {
	t, err := ix.try(ctx, threads)
	if err != nil {
		return false, err
	}
	ix.probes, ix.probesBelow, ix.keptBelow = 1, firstBound, firstBound
	rank := make([]int32, len(t.near)*ix.k)
	miss := func(share float64) int { return int(float64(len(rank)) * (1 - recall) * share) }
	// How many cells are as near as the one that a neighbour is in.
	t.each(func(w *work, i int) {
		s := ix.nearCells(w)
		for m, r := range t.near[i] {
			rank[i*ix.k+m] = int32(codes.Count(s, s[t.cell[r]])) + 1
		}
	})
	slices.Sort(rank)
	ix.probes = int(rank[len(rank)-1-miss(byProbes)])
	if float64(ix.probes)*float64(len(ix.row)) > mostRead*float64(len(ix.start)-1)*float64(ix.x.Rows) {
		return false, nil
	}
	// How many rows are as near as a neighbour, by their codes.
	bounds := make([]int64, len(t.near))
	t.each(func(w *work, i int) {
		s := ix.read(w)
		bounds[i] = w.bound
		for m, r := range t.near[i] {
			at, found := ix.find(w, t.cell[r], t.place[r])
			if rank[i*ix.k+m] = math.MaxInt32; found {
				rank[i*ix.k+m] = int32(codes.Count(s, s[at])) + 1
			}
		}
	})
	ix.probesBelow = median(bounds)
	slices.Sort(rank)
	kept := rank[len(rank)-1-miss(1)]
	if int(kept) > mostKept*(ix.k+spare) {
		return false, nil
	}
	// A search may find the row itself where the sample did not count it.
	ix.kept = max(ix.k+spare, int(kept)+1)
	t.each(func(w *work, i int) {
		w.least(ix.read(w), ix.kept, ix.keptBelow)
		bounds[i] = w.bound
	})
	ix.keptBelow = median(bounds)
	return true, nil
}

// try takes a sample.
func (ix *Index) try(ctx context.Context, threads int) (*trial, error) {
	all := make([]int32, ix.x.Rows)
	for i := range all {
		all[i] = int32(i)
	}
	picked := strided(all, sampled)
	t := &trial{ix: ix, q: vec.Take(ix.x, picked), near: make([][]int32, len(picked)), threads: threads,
		cell: make([]int32, len(all)), place: make([]int32, len(all))}
	truth, err := knn.NewExact(ix.x).Search(ctx, t.q, ix.k+1, knn.Settings{Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("cells: %w", err)
	}
	for i := range t.near {
		// Without the row itself, which equal ones may keep out of its list.
		index, _ := truth.Row(i)
		self := max(0, slices.Index(index, picked[i]))
		t.near[i] = slices.Delete(index, self, self+1)
	}
	for c := range len(ix.start) - 1 {
		for p := ix.start[c] * codes.Side; p < ix.start[c+1]*codes.Side; p++ {
			if r := ix.row[p]; r >= 0 {
				t.cell[r], t.place[r] = int32(c), p
			}
		}
	}
	return t, nil
}

// each runs f for each row of the sample, whose code is in w.
func (t *trial) each(f func(w *work, i int)) {
	par.Ranges(t.threads, t.q.Rows, 8, func(_, from, to int) {
		w := t.ix.borrow()
		defer t.ix.pool.Put(w)
		for i := from; i < to; i++ {
			t.ix.code(w, t.q.Row(i))
			f(w, i)
		}
	})
}

// find returns where among the scores that were read last that of a row is, or false
// if its cell was not looked into.
func (ix *Index) find(w *work, cell, place int32) (at int32, found bool) {
	i, found := slices.BinarySearch(w.probed, cell)
	if !found {
		return 0, false
	}
	return w.from[i] + place - ix.start[cell]*codes.Side, true
}

// median returns the median of bounds, which it sorts.
func median(bounds []int64) int32 {
	slices.Sort(bounds)
	return int32(min(bounds[len(bounds)/2], math.MaxInt32))
}
