package ivf

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/internal/simd/sq8"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Settings of an Index.
type Settings struct {
	// K is the usual maximum number of neighbours, at least 1; searches for more read more.
	K int
	// Recall is the share of the neighbours to find, between 0 and 1.
	Recall float64
	// Threads bounds the goroutines that build the index; 0 means GOMAXPROCS. It does not change
	// the result.
	Threads int

	// read is the largest share of rows that a search may read; 0 means mostRead.
	read float64
}

// Index searches by cells. It is immutable and safe for concurrent use.
type Index struct {
	x      vec.Matrix[float32]
	k      int
	recall float64
	scale  *sq8.Scale

	// cells has the codes of the cells' centres, in the order of the cells' numbers; branches has
	// those of the centres of the first level, each a run of cells.
	cells, branches *sq8.Panels
	// rows has the codes of the rows, and row their numbers by place, -1 for an empty place. The
	// panels of cell c are start[c] to start[c+1].
	rows  *sq8.Panels
	row   []int32
	start []int32

	// probes is the number of cells that a search reads, kept the number of their rows that are
	// computed exactly. The bounds are squared distances, in steps, that often have about as many
	// below them.
	probes, kept           int
	probesBelow, keptBelow int32

	pool par.Lender[work]
}

var _ knn.Index = (*Index)(nil)

// leastRows is the minimum number of rows for cells.
const leastRows = 2048

// New returns an index over the rows of x, which must be finite and must not change. It returns nil
// if another method is faster for them.
func New(ctx context.Context, x vec.Matrix[float32], set Settings) (*Index, error) {
	switch {
	case set.K < 1 || !(set.Recall > 0 && set.Recall < 1):
		return nil, fmt.Errorf("ivf: %d neighbours at a recall of %v, want at least 1, and more than 0 and less than 1", set.K, set.Recall)
	case x.Rows < max(leastRows, 16*set.K):
		return nil, nil
	}
	return build(ctx, x, set)
}

// build builds the index for any number of rows above K, or returns nil.
func build(ctx context.Context, x vec.Matrix[float32], set Settings) (*Index, error) {
	ix := &Index{x: x, k: set.K, recall: set.Recall, scale: sq8.NewScale(x)}
	if ix.scale == nil {
		return nil, nil
	}
	c := encode(x, ix.scale, set.Threads)
	ix.fill(partition(c, set.Threads), c, set.Threads)
	good, err := ix.calibrate(ctx, set)
	if err != nil || !good {
		return nil, err
	}
	return ix, nil
}

// fill enters the rows, cell by cell.
func (ix *Index) fill(p *cut, rows *coded, threads int) {
	panels := func(m vec.Matrix[float32]) *sq8.Panels {
		out, code := ix.scale.NewPanels(par.Pieces(m.Rows, sq8.Side)), make([]int8, ix.scale.Width())
		for i := range m.Rows {
			ix.scale.Row(code, m.Row(i))
			out.Set(i, code)
		}
		return out
	}
	ix.cells, ix.branches = panels(p.centers), panels(p.branches)
	ix.start = make([]int32, len(p.rows)+1)
	for c, list := range p.rows {
		ix.start[c+1] = ix.start[c] + int32(par.Pieces(len(list), sq8.Side))
	}
	n := int(ix.start[len(p.rows)])
	ix.rows, ix.row = ix.scale.NewPanels(n), make([]int32, n*sq8.Side)
	for place := range ix.row {
		ix.row[place] = -1
	}
	par.Do(threads, len(p.rows), func(c int) {
		at := int(ix.start[c]) * sq8.Side
		for i, r := range p.rows[c] {
			ix.rows.Set(at+i, rows.row(r))
			ix.row[at+i] = r
		}
	})
}

// Len is the number of rows.
func (ix *Index) Len() int { return ix.x.Rows }

// Dim is the dimension of the rows.
func (ix *Index) Dim() int { return ix.x.Cols }

// K and Recall return the values of the settings.
func (ix *Index) K() int          { return ix.k }
func (ix *Index) Recall() float64 { return ix.recall }

// Bytes returns the memory of the index in bytes, without the rows and scratch memory.
func (ix *Index) Bytes() int64 {
	return ix.cells.Bytes() + ix.branches.Bytes() + ix.rows.Bytes() + 4*int64(len(ix.start)+len(ix.row)+ix.scale.Dim())
}
