package knn

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/hamming"
	"unfold/internal/vec"
)

// bitSearch compares queries with binary rows. A block of queries with about the same number of
// ones starts at the panel of rows with as many, and continues in both directions. A row is no
// neighbour if its number of ones differs from the query's by more than the last distance in the
// list, so most blocks stop early. Jaccard's distance stops early too, because for a and b ones it
// is at least 1 - min(a, b)/max(a, b).
type bitSearch struct {
	b *bitRows
	// Queries are ordered by their numbers of ones; list[r] is the list of query r.
	words []uint64
	ones  []int32
	list  []int32
	k     int
	// own is the row that is the query itself, which is not its own neighbour; nil if queries are
	// other rows.
	own []int32
	// label, if not nil, excludes rows of the query's own label.
	label []int32
}

// bitWork is the workspace of one goroutine.
type bitWork struct {
	mask, limit [hamming.Width]uint64
}

// unlimited is a limit that every row passes.
const unlimited = 1 << 62

// bitGraph searches for the neighbours of all rows among the others.
func bitGraph(ctx context.Context, b *bitRows, k int, s Settings) (*Neighbors, error) {
	return (&bitSearch{b: b, words: b.rows, ones: b.ones, list: b.order, k: k, own: b.order}).all(ctx, s)
}

// bitUnlike searches for the neighbours of some rows among the rows of other labels.
func bitUnlike(ctx context.Context, b *bitRows, rows, label []int32, k int, s Settings) (*Neighbors, error) {
	at := make([]int32, len(b.order))
	for i, r := range b.order {
		at[r] = int32(i)
	}
	// Positions go by ones already.
	list := make([]int32, len(rows))
	for r := range list {
		list[r] = int32(r)
	}
	slices.SortStableFunc(list, func(x, y int32) int { return int(at[rows[x]]) - int(at[rows[y]]) })
	q := &bitSearch{b: b, list: list, k: k, label: label}
	for _, r := range list {
		i := int(at[rows[r]])
		q.words, q.ones, q.own = append(q.words, b.row(i)...), append(q.ones, b.ones[i]), append(q.own, rows[r])
	}
	return q.all(ctx, s)
}

// bitsOfOthers searches b for the neighbours of other rows of 0 and 1.
func bitsOfOthers(ctx context.Context, b *bitRows, q vec.Matrix[float32], k int, s Settings) (*Neighbors, error) {
	words, ones := packBits(b, q, s.Threads)
	run := &bitSearch{b: b, words: words, ones: ones, list: byOnes(ones), k: k}
	if q.Rows > 1 {
		run.words, run.ones = make([]uint64, 0, len(words)), make([]int32, 0, len(ones))
		for _, r := range run.list {
			run.words, run.ones = append(run.words, words[int(r)*b.words:][:b.words]...), append(run.ones, ones[r])
		}
	}
	return run.all(ctx, s)
}

// all shares the queries out among goroutines.
func (q *bitSearch) all(ctx context.Context, s Settings) (*Neighbors, error) {
	n := len(q.ones)
	lists := EmptyNeighbors(n, q.k)
	// Few queries are divided into smaller blocks, so that a small batch has work for all threads.
	size := max(8, min(hamming.Width, n/8))
	count := par.NewProgress(par.Pieces(n, size), s.Progress)
	par.Ranges(s.Threads, n, size, func(_, from, to int) {
		q.block(ctx, lists, from, to)
		count.Step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return lists, nil
}

// block fills the lists of queries from..to, which are at most as many as a panel has rows.
func (q *bitSearch) block(ctx context.Context, lists *Neighbors, from, to int) {
	b := q.b
	w := b.works.Get()
	defer b.works.Put(w)
	middle := q.ones[(from+to)/2]
	at, _ := slices.BinarySearch(b.ones, middle)
	above := min(at/hamming.Width, b.panels.Len()-1)
	below := above - 1
	for (above < b.panels.Len() || below >= 0) && ctx.Err() == nil {
		var up, down int32 = math.MaxInt32, math.MaxInt32 // distance of the next panels from the middle
		if above < b.panels.Len() {
			up = b.ones[above*hamming.Width] - middle
		}
		if below >= 0 {
			down = middle - b.ones[below*hamming.Width+hamming.Width-1]
		}
		if up <= down {
			if above++; !q.panel(w, lists, from, to, above-1, 1) {
				above = b.panels.Len()
			}
		} else if below--; !q.panel(w, lists, from, to, below+1, -1) {
			below = -1
		}
	}
}

// panel compares queries from..to with a panel. It returns false without comparing if no query can
// have a neighbour there or farther in that direction.
func (q *bitSearch) panel(w *bitWork, lists *Neighbors, from, to, panel, direction int) bool {
	b, near := q.b, false
	first, last := panel*hamming.Width, min(len(b.order), (panel+1)*hamming.Width)
	nearest := b.ones[first] // in number of ones
	if direction < 0 {
		nearest = b.ones[last-1]
	}
	for r := from; r < to; r++ {
		limit := q.limit(lists, r, b.ones[last-1])
		w.limit[r-from] = limit
		near = near || (int(nearest)-int(q.ones[r]))*direction <= int(limit)
	}
	if !near {
		return false
	}
	count := to - from
	b.panels.Within(b.level, w.mask[:count], q.words[from*b.words:to*b.words], w.limit[:count], panel, b.head)
	rest := ^uint64(0) >> (hamming.Width - (last - first))
	for r := from; r < to; r++ {
		q.offer(lists, r, first, w.mask[r-from]&rest)
	}
	return true
}

// limit returns the maximum number of differing columns with which a row of at most the given
// number of ones can enter the list of query r.
func (q *bitSearch) limit(lists *Neighbors, r int, ones int32) uint64 {
	_, dist2 := lists.Row(int(q.list[r]))
	last := dist2[len(dist2)-1]
	switch {
	case last >= unlimited:
		return unlimited
	case q.b.counts != nil:
		return uint64(q.b.counts.Most(last, int(q.ones[r]), int(ones), len(q.b.bit)))
	}
	return uint64(last)
}

// d2 returns the squared distance of query r and the row at position i.
func (q *bitSearch) d2(r, i int) float64 {
	b := q.b
	differ := hamming.Count(q.words[r*b.words:][:b.words], b.row(i))
	if b.counts != nil {
		return b.counts.Dist2(differ, int(q.ones[r]), int(b.ones[i]), len(b.bit))
	}
	return float64(differ)
}

// offer inserts the rows of a mask, which starts at position first, into the list of query r if
// they belong there.
func (q *bitSearch) offer(lists *Neighbors, r, first int, mask uint64) {
	index, dist2 := lists.Row(int(q.list[r]))
	for ; mask != 0; mask &= mask - 1 {
		i := first + bits.TrailingZeros64(mask)
		if j := q.b.order[i]; !q.excluded(r, j) {
			insert(index, dist2, j, q.d2(r, i))
		}
	}
}

// excluded reports whether row j must be skipped for query r.
func (q *bitSearch) excluded(r int, j int32) bool {
	switch {
	case q.own == nil:
		return false
	case q.label == nil:
		return q.own[r] == j
	}
	return q.label[q.own[r]] == q.label[j]
}
