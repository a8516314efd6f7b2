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

// BuildFrom is Build for rows whose neighbours are known: nb lists some near rows for every row
// of x, nearest first. Candidates for links in the bottom layer are not searched for: they are
// the neighbours of a row, and the neighbours of those. Only rows of the layers above, and rows
// that no list leads to from there, are inserted as Insert does it.
//
// Equal rows should be one: not all of them are made twins. Of nb only the rows are read, not their
// distances. The index is a function of x, nb and the settings, not of the number of threads.
// If ctx ends, so does BuildFrom, with its error. Progress is heard of some times: x and nb are
// not used at that moment.
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

// linker makes an index of rows with lists.
type linker struct {
	batch
	nb    *knn.Neighbors
	x     vec.Matrix[float32]
	rows  []int32
	count *par.Progress
	// order is that of walks along the lists: rows whose links are chosen one after another
	// have many of their candidates in common.
	order []int32
}

// Parts are how many times BuildFrom lets its progress be heard of while rows are copied, and again
// while they are linked and while their links are answered: who maps rows from a file can let
// go of what was read.
const Parts = 8

const (
	// linkedRows are taken by a thread at a time.
	linkedRows = 256
	// walkedLists are how many lists candidates for links come from, besides a row's own.
	walkedLists = 20
	// slack is by how much, as a squared distance, one link has to be nearer to a candidate than
	// the row is, so that the candidate is none (Subramanya and others 2019, DiskANN, alpha^2):
	// links of rows that are searched for in a graph that is thinner reach farther.
	slack = 1.2
	// answeredRows are how many rows have their links answered at a time.
	answeredRows = 1 << 16
)

// copy copies the rows, of which it looks at no more than a part between two steps.
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

// raise inserts the rows of the layers above the bottom, in all of their layers; one row if
// there are none.
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

// attach gives all other rows their places in the tree of the bottom layer: below a row that has
// them in its list, or that they have in theirs. A row that has neither is inserted.
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

// member reports whether a row is in the graph: not if it is to come, nor if it is a twin.
func (l *linker) member(row int32) bool { return l.ix.isMember(0, row) }

// enlist appends a row to the order if it is in the graph.
func (l *linker) enlist(row int32) {
	if l.member(row) {
		l.order = append(l.order, row)
	}
}

// spread attaches what lists lead to from the rows order[at:], and from those.
func (l *linker) spread(at int) {
	for ; at < len(l.order); at++ {
		for _, r := range l.list(l.order[at]) {
			if !l.ix.has(r) {
				l.adopt(r, l.order[at])
			}
		}
	}
}

// adopt makes a row a member of the bottom layer, as a child of near or of one below it.
func (l *linker) adopt(row, near int32) {
	ix := l.ix
	ix.level[row] = 0
	ix.live++
	ix.adopt(0, ix.parentFor(0, row, nil, near), row) // links that give way are of few rows, and chosen again
	l.enlist(row)
}

// list returns the neighbours of a row.
func (l *linker) list(row int32) []int32 {
	return l.nb.Index[int(row)*l.nb.K : (int(row)+1)*l.nb.K]
}

// link chooses links of all rows besides those of the tree.
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

// add gives a row the links w.others, sorted, besides those it has.
func (l *linker) add(w *work, row int32) {
	list := l.ix.links(0, row)
	list = list[:used(list)]
	w.others = slices.DeleteFunc(w.others, func(r int32) bool { return !l.member(r) || slices.Contains(list, r) })
	l.ix.relink(w, 0, row, w.others)
}

// gather leaves the candidates for links of a row in w.pool, nearest first: the EfConstruction
// nearest of its neighbours, and of those of the walkedLists nearest rows that it comes by.
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

// answer enters all links in the other direction, too, as far as there is room for them: those of
// some rows at a time, which mostly lead to rows that come soon before and after them.
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

// unanswered appends the links in the bottom layer from some rows to others that have none to
// them, as batch.back has them.
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
