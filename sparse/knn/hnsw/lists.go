package hnsw

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// BuildFrom is Build for rows with known neighbours: nb lists near rows for every row of x, nearest
// first. Candidates for links in the bottom layer are not searched for: they are the neighbours of
// a row, and their neighbours. Only rows of the upper layers, and rows that no list reaches from
// these, are inserted as by Insert.
//
// Rows should be distinct, because not all equal rows are made twins. Only the row numbers of nb
// are used, not its distances. The index depends on x, nb and the settings, not on the number of
// threads. If ctx ends, BuildFrom returns its error. During a call of Progress, neither x nor nb is
// accessed.
func BuildFrom(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, set Settings, s knn.Settings) (*Index, error) {
	ix, err := New(x.Cols, set)
	if err != nil {
		return nil, err
	}
	if nb.N != x.Rows {
		return nil, fmt.Errorf("hnsw: lists of %d rows for %d rows", nb.N, x.Rows)
	}
	rows, err := ix.grow(x.Rows)
	if err != nil {
		return nil, err
	}
	l := &linker{batch: batch{ix: ix, threads: s.Threads}, nb: nb, x: x, rows: rows}
	l.count = par.NewProgress(2+3*Parts, s.Progress)
	for _, step := range []func(context.Context) error{l.copy, l.raise, l.attach, l.link, l.answer} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("hnsw: build: %w", err)
		}
	}
	return ix, nil
}

// linker builds an index from rows and lists.
type linker struct {
	batch
	nb    *knn.Neighbors
	x     vec.Matrix[float32]
	rows  []int32
	count *par.Progress
	// order is the order of walks along the lists, so that rows whose links are chosen
	// consecutively share many candidates.
	order []int32
}

// Parts is the number of calls of Progress while rows are copied, while they are linked, and while
// their links are answered. A caller that maps rows from a file can release pages at these calls.
const Parts = 8

const (
	// linkedRows is the number of rows in one task.
	linkedRows = 256
	// walkedLists is the number of neighbours' lists that provide candidates for links, besides a
	// row's own.
	walkedLists = 20
	// slack is the factor, in squared distance, by which a link must be nearer to a candidate than
	// the row is for the candidate to be dropped (Subramanya and others 2019, DiskANN, alpha^2). It
	// is above 1 because links found by searches in a sparser graph reach farther.
	slack = 1.2
	// answeredRows is the number of rows whose links are answered together.
	answeredRows = 1 << 16
)

// copy copies the rows, one part between two progress steps.
func (l *linker) copy(ctx context.Context) error {
	for part := range Parts {
		from, to := len(l.rows)*part/Parts, len(l.rows)*(part+1)/Parts
		if err := checkValues(l.x.Data[from*l.x.Cols:to*l.x.Cols], l.x.Cols); err != nil {
			if bad := new(knn.ValueError); errors.As(err, &bad) {
				bad.Row += from
			}
			return err
		}
		for i, r := range l.rows[from:to] {
			copy(l.ix.vector(r), l.x.Row(from+i))
		}
		l.count.Step()
	}
	return ctx.Err()
}

// raise inserts the rows of the upper layers into all of their layers; it inserts one row if there
// are none.
func (l *linker) raise(ctx context.Context) error {
	var high []int32
	var levels []int
	for _, r := range l.rows {
		if level := l.ix.drawLevel(); level > 0 {
			high, levels = append(high, r), append(levels, level)
		}
	}
	if len(high) == 0 {
		high, levels = l.rows[:min(1, len(l.rows))], []int{0}
	}
	l.raised = levels[0] > 0
	defer func() { l.raised = false }()
	_, err := l.insertAll(ctx, high, func() (level int) {
		level, levels = levels[0], levels[1:]
		return level
	}, nil)
	l.count.Step()
	return err
}

// attach adds all other rows to the tree of the bottom layer, below a row that is in their list or
// has them in its list. A row without such a row is inserted.
func (l *linker) attach(ctx context.Context) error {
	ix := l.ix
	l.order = make([]int32, 0, len(l.rows))
	for _, r := range l.rows {
		l.enlist(r)
	}
	l.spread(0)
	for _, r := range l.rows {
		if ix.has(r) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at := len(l.order)
		if p := slices.IndexFunc(l.list(r), l.member); p >= 0 {
			l.adopt(r, l.list(r)[p])
		} else {
			l.insert([]int32{r}, func() int { return 0 })
			l.enlist(r)
		}
		l.spread(at)
	}
	l.count.Step()
	return nil
}

// member reports whether a row is in the graph; rows not yet inserted and twins are not.
func (l *linker) member(row int32) bool { return l.ix.isMember(0, row) }

// enlist appends a row to the order if it is in the graph.
func (l *linker) enlist(row int32) {
	if l.member(row) {
		l.order = append(l.order, row)
	}
}

// spread attaches the rows in the lists of order[at:], and in the lists of those in turn.
func (l *linker) spread(at int) {
	for ; at < len(l.order); at++ {
		for _, r := range l.list(l.order[at]) {
			if !l.ix.has(r) {
				l.adopt(r, l.order[at])
			}
		}
	}
}

// adopt adds a row to the bottom layer, as a child of near or of a row below it.
func (l *linker) adopt(row, near int32) {
	ix := l.ix
	ix.level[row] = 0
	ix.live++
	ix.adopt(0, ix.parentFor(0, row, nil, near), row) // displaced links belong to few rows and are chosen again
	l.enlist(row)
}

// list returns the neighbours of a row.
func (l *linker) list(row int32) []int32 {
	return l.nb.Index[int(row)*l.nb.K : (int(row)+1)*l.nb.K]
}

// link chooses the links of all rows besides those of the tree.
func (l *linker) link(ctx context.Context) error {
	ix, n := l.ix, len(l.order)
	for part := range Parts {
		rows := l.order[n*part/Parts : n*(part+1)/Parts]
		par.Ranges(l.threads, len(rows), linkedRows, func(_, from, to int) {
			if ctx.Err() != nil {
				return
			}
			w := ix.pool.Get()
			w.fit(len(ix.level), ix.set.EfConstruction, max(ix.width(0), l.nb.K))
			for _, r := range rows[from:to] {
				l.gather(w, r)
				w.others = ix.choose(w, w.pool, slack, ix.set.M, w.others[:0])
				slices.Sort(w.others)
				l.add(w, r)
			}
			ix.pool.Put(w)
		})
		l.count.Step()
	}
	return ctx.Err()
}

// add adds the links w.others, sorted, to those of a row.
func (l *linker) add(w *work, row int32) {
	list := l.ix.links(0, row)
	list = list[:used(list)]
	w.others = slices.DeleteFunc(w.others, func(r int32) bool { return !l.member(r) || slices.Contains(list, r) })
	l.ix.relink(w, 0, row, w.others)
}

// gather collects the candidates for links of a row in w.pool, nearest first: the EfConstruction
// nearest among its neighbours and the neighbours of its walkedLists nearest rows.
func (l *linker) gather(w *work, row int32) {
	ix, q := l.ix, l.ix.vector(row)
	w.forget()
	w.pool = w.pool[:0]
	w.see(row)
	next := 0
	for turn := 0; next < len(w.pool) || turn == 0; turn++ {
		if met := w.unseen(l.list(row)); len(met) > 0 {
			dist.Rows(w.d, q, ix.rows, ix.stride, met)
			next = min(next, w.offer(met, ix.set.EfConstruction))
		}
		if next = w.follow(next); next == len(w.pool) || turn == walkedLists {
			return
		}
		row = dist.RowOf(w.pool[next])
		next++
	}
}

// answer adds the reverse of all links, as far as there is space. It handles some consecutive rows
// at a time, because their links mostly lead to rows close to them in the order.
func (l *linker) answer(ctx context.Context) error {
	found := make([][]uint64, par.Pieces(answeredRows, linkedRows))
	n := len(l.order)
	for part := range Parts {
		for rows := range slices.Chunk(l.order[n*part/Parts:n*(part+1)/Parts], answeredRows) {
			l.answerRows(rows, found)
		}
		l.count.Step()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// answerRows is answer of some rows.
func (l *linker) answerRows(rows []int32, found [][]uint64) {
	par.Ranges(l.threads, len(rows), linkedRows, func(piece, from, to int) {
		found[piece] = l.unanswered(rows[from:to], found[piece][:0])
	})
	l.back[0] = l.back[0][:0]
	for _, links := range found[:par.Pieces(len(rows), linkedRows)] {
		l.back[0] = append(l.back[0], links...)
	}
	l.relink(0)
}

// unanswered appends the links in the bottom layer from the given rows that have no reverse link,
// in the format of batch.back.
func (l *linker) unanswered(rows []int32, to []uint64) []uint64 {
	ix := l.ix
	for _, r := range rows {
		list := ix.links(0, r)
		for _, t := range list[:used(list)] {
			if !slices.Contains(ix.links(0, t), r) {
				to = append(to, uint64(t)<<32|uint64(r))
			}
		}
	}
	return to
}
