package ivf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/quantile"
	"unfold/internal/simd/sq8"
	"unfold/internal/simd/topk"
)

const (
	// sampled is the number of rows in the calibration.
	sampled = 160
	// byProbes is the share of the missed neighbours that may be due to cells not probed; the rest
	// may be due to the error of codes.
	byProbes = 0.75
	// spare is the minimum number of rows, beyond the number of neighbours, that are computed
	// exactly.
	spare = 4
	// Cells are not worthwhile if a search must read more than the share mostRead of all rows, or
	// compute more than mostKept rows for each neighbour. The calibration looks for true neighbours
	// among twice as many.
	mostRead, mostKept = 0.25, 3
	// firstBound is the initial value of bounds.
	firstBound = 1 << 10
)

// trial is a sample of rows and their true neighbours.
type trial struct {
	ix     *Index
	picked []int32
	near   [][]int32 // the nearest others of each, ix.k
	// By row: its cell and its place.
	cell, place []int32
	threads     int
}

// calibrate chooses the numbers of probes and of kept rows so that the given share of the
// neighbours of a sample is found. It reports false if that costs too much.
func (ix *Index) calibrate(ctx context.Context, set Settings) (bool, error) {
	t, good := ix.try(ctx, set.Threads)
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("ivf: stopped: %w", err)
	}
	if !good {
		return false, nil
	}
	ix.probes, ix.probesBelow, ix.keptBelow = 1, firstBound, firstBound
	rank := make([]int32, len(t.near)*ix.k)
	miss := func(share float64) int { return int(float64(len(rank)) * (1 - set.Recall) * share) }
	// This counts the cells nearer than the cell of each neighbour.
	t.each(func(w *work, i int) {
		s := ix.nearCells(w)
		for m, r := range t.near[i] {
			rank[i*ix.k+m] = int32(topk.Count(s, s[t.cell[r]])) + 1
		}
	})
	slices.Sort(rank)
	ix.probes = int(rank[len(rank)-1-miss(byProbes)])
	if set.read == 0 {
		set.read = mostRead
	}
	if float64(ix.probes)*float64(len(ix.row)) > set.read*float64(len(ix.start)-1)*float64(ix.x.Rows) {
		return false, nil
	}
	// This counts the rows nearer than each neighbour by their codes.
	bounds := make([]int64, len(t.near))
	t.each(func(w *work, i int) {
		s := ix.read(w, 1)
		bounds[i] = w.bound
		for m, r := range t.near[i] {
			at, found := ix.find(w, t.cell[r], t.place[r])
			if rank[i*ix.k+m] = math.MaxInt32; found {
				rank[i*ix.k+m] = int32(topk.Count(s, s[at])) + 1
			}
		}
	})
	ix.probesBelow = int32(min(quantile.Median(bounds), math.MaxInt32))
	slices.Sort(rank)
	kept := rank[len(rank)-1-miss(1)]
	if int(kept) >= mostKept*(ix.k+spare) {
		return false, nil
	}
	// A search may find the query row itself, which the sample did not count.
	ix.kept = max(ix.k+spare, int(kept)+1)
	found := make([]int, len(t.near))
	t.each(func(w *work, i int) {
		found[i] = w.least(ix.read(w, 1), ix.kept, ix.keptBelow)
		bounds[i] = w.bound
	})
	ix.keptBelow = int32(min(quantile.Median(bounds), math.MaxInt32))
	// Many rows may have one code.
	total := 0
	for _, n := range found {
		total += n
	}
	return total < 2*ix.kept*len(found), nil
}

// try draws a sample. It reports false if the neighbours of its rows cannot be found by codes.
func (ix *Index) try(ctx context.Context, threads int) (t *trial, good bool) {
	all := make([]int32, ix.x.Rows)
	for i := range all {
		all[i] = int32(i)
	}
	t = &trial{ix: ix, picked: strided(all, sampled), threads: threads, cell: make([]int32, len(all)), place: make([]int32, len(all))}
	t.near = make([][]int32, len(t.picked))
	for c := range len(ix.start) - 1 {
		for p := ix.start[c] * sq8.Side; p < ix.start[c+1]*sq8.Side; p++ {
			if r := ix.row[p]; r >= 0 {
				t.cell[r], t.place[r] = int32(c), p
			}
		}
	}
	pool := 2 * mostKept * (ix.k + spare)
	t.each(func(w *work, i int) {
		if ctx.Err() != nil {
			return
		}
		w.grow(len(ix.row))
		s := w.s[:len(ix.row)]
		ix.rows.Scores(s, &w.query, 0, ix.rows.Len())
		found := w.least(s, pool, firstBound)
		if found > 2*pool || found <= ix.k {
			return
		}
		w.rows = w.rows[:0]
		for _, at := range w.at[:found] {
			if r := ix.row[at]; r != t.picked[i] {
				w.rows = append(w.rows, r)
			}
		}
		t.near[i] = make([]int32, ix.k)
		w.report(ix.x, ix.x.Row(int(t.picked[i])), t.near[i], make([]float64, ix.k))
	})
	return t, !slices.ContainsFunc(t.near, func(near []int32) bool { return near == nil })
}

// each calls f for each row of the sample, with its code in w.
func (t *trial) each(f func(w *work, i int)) {
	par.Ranges(t.threads, len(t.picked), 8, func(_, from, to int) {
		w := t.ix.borrow()
		defer t.ix.pool.Put(w)
		for i := from; i < to; i++ {
			w.query.Set(t.ix.scale, t.ix.x.Row(int(t.picked[i])))
			f(w, i)
		}
	})
}

// find returns the index of a row among the scores read last, or false if its cell was not probed.
func (ix *Index) find(w *work, cell, place int32) (at int32, found bool) {
	i, found := slices.BinarySearch(w.probed, cell)
	if !found {
		return 0, false
	}
	return w.from[i] + place - ix.start[cell]*sq8.Side, true
}
