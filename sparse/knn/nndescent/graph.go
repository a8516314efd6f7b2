package nndescent

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Graph returns k near other rows of every row of x under s.Distance, nearest first, with exact
// distances; knn.Graph returns the exact neighbours. It returns an error if k is not in 1..x.Rows-1, and a
// *knn.ValueError if a value is not finite.
func Graph(ctx context.Context, x vec.Matrix[float32], k int, set Settings, s knn.Settings) (*knn.Neighbors, Report, error) {
	if k < 1 || k >= x.Rows || x.Cols < 1 || x.Rows > mostRows {
		return nil, Report{}, fmt.Errorf("nndescent: %d neighbours for %d rows of dimension %d: want 1 to one less than there are rows, at most %d, with columns", k, x.Rows, x.Cols, mostRows)
	}
	set, err := set.complete(x.Rows, k)
	if err != nil {
		return nil, Report{}, err
	}
	for i, v := range x.Data[:x.Rows*x.Cols] {
		if v-v != 0 {
			return nil, Report{}, fmt.Errorf("nndescent: %w", &knn.ValueError{Row: i / x.Cols, Col: i % x.Cols, Value: float64(v)})
		}
	}
	if x.Rows <= max(few, 2*set.leaf()) {
		nb, err := knn.Graph(ctx, x, k, s)
		return nb, Report{}, err
	}
	g := grower{x: x, k: k, set: set, s: s, total: set.Trees + set.Rounds + 1}
	nb, err := g.graph(ctx)
	if err == nil && set.Sample > 0 {
		g.report.Sampled = set.Sample
		g.report.Recall, err = Recall(ctx, x, nb, set.Sample, set.Seed, s)
	}
	if err != nil {
		return nil, Report{}, fmt.Errorf("nndescent: %w", err)
	}
	return nb, g.report, nil
}

// grower makes one graph.
type grower struct {
	x    vec.Matrix[float32]
	k    int
	set  Settings
	s    knn.Settings
	pool par.Lender[work]
	// rows are the rows of x in the order of the leaves of the first tree, so that near rows are
	// near in memory; row i is row order[i] of x.
	rows  points
	order []int32
	// done of total steps are done.
	done, total int
	report      Report
}

func (g *grower) graph(ctx context.Context) (*knn.Neighbors, error) {
	cut := cuts(g.x.Rows, g.set.leaf())
	trees := g.grow()
	g.said() // from here on x itself is not looked at
	l := newLists(g.x.Rows, g.set.Candidates)
	for _, t := range trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		par.Ranges(g.s.Threads, len(cut)-1, 8, func(_, from, to int) {
			w := g.pool.Get()
			for b := from; b < to; b++ {
				w.leaf(g.rows, l, t.order[cut[b]:cut[b+1]])
			}
			g.pool.Put(w)
		})
		g.step()
	}
	trees = nil
	if err := g.descend(ctx, l); err != nil {
		return nil, err
	}
	nb := g.exact(l)
	// The progress function may release memory now, before a sample reads all of x again.
	g.rows, g.order, g.pool = points{}, nil, par.Lender[work]{}
	g.done = g.total - 1
	g.step()
	return nb, ctx.Err()
}

// descend runs rounds until one changes little.
func (g *grower) descend(ctx context.Context, l lists) error {
	a := newGeneral(g.x.Rows, (3*g.set.Candidates+3)/4)
	for g.report.Rounds < g.set.Rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.fill(l, g.s.Threads)
		changed := round(g.rows, a, l, &g.pool, g.s.Threads)
		g.report.Rounds++
		g.report.Changed = float64(changed) / float64(len(l.keys))
		g.step()
		if g.report.Changed < g.set.Enough {
			break
		}
	}
	g.report.Bytes = int64(4*(len(g.rows.data)+len(g.order))+8*len(l.keys)) + g.pool.Sum((*work).bytes)
	g.report.Bytes += max(a.bytes(), 12*int64(g.x.Rows)*int64(g.k)) // the result is allocated after the other memory is freed
	return nil
}

func (g *grower) step() {
	g.done++
	g.said()
}

// said reports the progress.
func (g *grower) said() {
	if g.s.Progress != nil {
		g.s.Progress(g.done, g.total)
	}
}

// grow grows the trees, and takes the order of the rows from the first.
func (g *grower) grow() []tree {
	n, leaf := g.x.Rows, g.set.leaf()
	first := points{n, g.x.Cols, g.x.Cols, g.x.Data, g.s.Distance}.grow(leaf, g.set.Seed, 0)
	g.order, g.rows = first.order, newPoints(n, g.x.Cols, g.s.Distance)
	par.Ranges(g.s.Threads, n, taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			copy(g.rows.row(int32(i)), g.x.Row(int(g.order[i])))
		}
	})
	trees := make([]tree, g.set.Trees)
	trees[0] = tree{order: make([]int32, n)}
	for i := range n {
		trees[0].order[i] = int32(i)
	}
	par.Do(g.s.Threads, len(trees)-1, func(t int) {
		trees[t+1] = g.rows.grow(leaf, g.set.Seed, uint64(t+1))
	})
	return trees
}

// leaf compares all rows of a leaf with each other.
func (w *work) leaf(p points, l lists, rows []int32) {
	n := len(rows)
	w.d = slices.Grow(w.d[:0], n*n)[:n*n]
	for r, row := range rows {
		p.distances(w.d[r*n+r+1:(r+1)*n], row, rows[r+1:])
		for c := r + 1; c < n; c++ {
			w.d[c*n+r] = w.d[r*n+c]
		}
	}
	for r, row := range rows {
		list, d := l.row(row), w.d[r*n:(r+1)*n]
		w.fresh = w.fresh[:0]
		w.collect(list, d[:r], rows[:r])
		w.collect(list, d[r+1:], rows[r+1:])
		w.merge(list)
	}
}

// found is a row of x with its exact squared distance.
type found struct {
	d2  float64
	row int32
}

func (f found) compare(g found) int {
	return cmp.Or(cmp.Compare(f.d2, g.d2), cmp.Compare(f.row, g.row))
}

// exact computes the distances of all candidates again, in float64, and returns the k nearest.
func (g *grower) exact(l lists) *knn.Neighbors {
	nb := knn.NewNeighbors(g.x.Rows, g.k)
	par.Ranges(g.s.Threads, g.x.Rows, taskRows, func(_, from, to int) {
		w := g.pool.Get()
		for i := from; i < to; i++ {
			w.rows = w.rows[:0]
			for _, k := range l.row(int32(i)) {
				w.rows = append(w.rows, dist.RowOf(k))
			}
			w.exact = slices.Grow(w.exact[:0], len(w.rows))[:len(w.rows)]
			distance.Exact(g.rows.by, w.exact, g.rows.row(int32(i)), g.rows.data, g.rows.stride, w.rows)
			w.ranked = w.ranked[:0]
			for t, r := range w.rows {
				w.rank(found{w.exact[t], g.order[r]})
			}
			index, dist2 := nb.Row(int(g.order[i]))
			for t, f := range w.ranked[:g.k] {
				index[t], dist2[t] = f.row, f.d2
			}
		}
		g.pool.Put(w)
	})
	return nb
}

// rank inserts f at its position, most often at the end.
func (w *work) rank(f found) {
	w.ranked = append(w.ranked, f)
	p := len(w.ranked) - 1
	for ; p > 0 && f.compare(w.ranked[p-1]) < 0; p-- {
		w.ranked[p] = w.ranked[p-1]
	}
	w.ranked[p] = f
}
