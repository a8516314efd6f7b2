package hnsw

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Build returns an index over the rows of x, which are numbered as in x.
func Build(ctx context.Context, x vec.Matrix[float32], set Settings, s knn.Settings) (*Index, error) {
	ix, err := New(x.Cols, set)
	if err != nil {
		return nil, err
	}
	if _, err := ix.Insert(ctx, x, s); err != nil {
		return nil, err
	}
	return ix, nil
}

// Insert adds copies of the rows of x and returns their numbers: those of deleted rows first, then
// new ones in order. The index depends on its settings and on the calls of Insert and Delete, not
// on the number of threads.
//
// If a value is not finite (*knn.ValueError) or the dimension differs, no row is added. If the
// context ends, the rows returned with its error were added, and those after them were not.
func (ix *Index) Insert(ctx context.Context, x vec.Matrix[float32], s knn.Settings) ([]int32, error) {
	if x.Cols != ix.dim {
		return nil, fmt.Errorf("hnsw: rows of dimension %d for an index of dimension %d", x.Cols, ix.dim)
	}
	if err := checkValues(x.Data[:x.Rows*x.Cols], x.Cols); err != nil {
		return nil, fmt.Errorf("hnsw: insert: %w", err)
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	rows, err := ix.grow(x.Rows)
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		copy(ix.vector(r), x.Row(i))
	}
	b := batch{ix: ix, threads: s.Threads}
	if done, err := b.insertAll(ctx, rows, ix.drawLevel, s.Progress); err != nil {
		ix.vacate(rows[done:])
		return rows[:done], fmt.Errorf("hnsw: insert stopped: %w", err)
	}
	return rows, nil
}

// insertAll inserts rows in batches and returns the number of inserted rows. It calls level for
// each row in order.
func (b *batch) insertAll(ctx context.Context, rows []int32, level func() int, progress func(done, total int)) (done int, err error) {
	for done < len(rows) {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		to := min(len(rows), done+batchSize(b.ix.live))
		b.insert(rows[done:to], level)
		done = to
		if progress != nil {
			progress(done, len(rows))
		}
	}
	return done, nil
}

// vacate makes rows that are in no layer available again; the first will be used first.
func (ix *Index) vacate(rows []int32) {
	for _, r := range slices.Backward(rows) {
		ix.vacant = append(ix.vacant, r)
	}
}

// batchSize returns the number of rows in a batch. Rows of a batch cannot link to each other, so
// they must be few compared with the existing ones.
func batchSize(live int) int { return min(max(1, live/batchShare), mostBatch) }

const (
	batchShare = 64
	mostBatch  = 1024
)

// batch inserts rows. Their links are searched in parallel in the graph as it was before the batch,
// and then added in a fixed order.
type batch struct {
	ix      *Index
	threads int
	plans   []plan
	chosen  []int32
	// back has, for each layer, the links from old to new rows that must be added: target << 32 |
	// source.
	back [][]uint64
	// raised reports that the two lowest layers have the same rows, so that candidates of one are
	// candidates of the other.
	raised bool
	// first maps the hash of a new row to its plan.
	first map[uint64]int
}

// plan is the planned insertion of a new row.
type plan struct {
	row   int32
	level int
	// at is the start of the links chosen for its layers in chosen, M for each layer.
	at int
	// like is the row of the graph that it equals, or none; same is the earlier plan of the batch
	// that it equals, or none.
	like int32
	same int
}

func (b *batch) insert(rows []int32, level func() int) {
	b.prepare(rows, level)
	ix := b.ix
	par.Ranges(b.threads, len(rows), planRows, func(_, from, to int) {
		w := ix.pool.Get()
		w.fit(len(ix.level), ix.set.EfConstruction, ix.width(0))
		for i := from; i < to; i++ {
			if p := &b.plans[i]; p.same < 0 {
				b.find(w, p)
			}
		}
		ix.pool.Put(w)
	})
	for i := range b.plans {
		b.enter(&b.plans[i])
	}
	for layer := range b.back {
		b.relink(layer)
	}
}

const (
	planRows   = 8
	relinkRows = 64
)

// prepare draws the levels of new rows and finds equal rows.
func (b *batch) prepare(rows []int32, level func() int) {
	ix := b.ix
	if b.first == nil {
		b.first = make(map[uint64]int)
	}
	clear(b.first)
	b.plans = b.plans[:0]
	at := 0
	for i, r := range rows {
		p := plan{row: r, level: level(), at: at, like: none, same: none}
		h := hashRow(ix.vector(r))
		if j, met := b.first[h]; !met {
			b.first[h] = i
		} else if slices.Equal(ix.vector(r), ix.vector(rows[j])) {
			p.same, p.level = j, 0
		}
		at += (p.level + 1) * ix.set.M
		b.plans = append(b.plans, p)
	}
	b.chosen = slices.Grow(b.chosen[:0], at)[:at]
	for i := range b.chosen {
		b.chosen[i] = none
	}
	for i := range b.back {
		b.back[i] = b.back[i][:0]
	}
}

// drawLevel returns l with probability M^-l (1 - 1/M).
func (ix *Index) drawLevel() int {
	u := mix(ix.set.Seed ^ mix(ix.drawn))
	ix.drawn++
	m, level := uint64(ix.set.M), 0
	for t := math.MaxUint64 / m; u < t && level < mostLevels-1; t /= m {
		level++
	}
	return level
}

// find chooses the links of a new row.
func (b *batch) find(w *work, p *plan) {
	ix, q := b.ix, b.ix.vector(p.row)
	top := len(ix.roots) - 1
	if top < 0 {
		return
	}
	ix.start(w, q, ix.roots[top])
	for layer := top; layer > p.level; layer-- {
		ix.walk(w, layer, q, 1)
	}
	for layer := min(p.level, top); layer >= 0; layer-- {
		if layer > 0 || !b.raised {
			ix.walk(w, layer, q, ix.set.EfConstruction)
		}
		ix.choose(w, w.pool, 1, ix.set.M, b.links(p, layer)[:0])
	}
	for _, k := range w.pool {
		if dist.DistanceOf(k) > 0 {
			break
		}
		if slices.Equal(q, ix.vector(dist.RowOf(k))) {
			p.like = dist.RowOf(k)
			break
		}
	}
}

// links returns the slots for the links chosen for a new row in a layer.
func (b *batch) links(p *plan, layer int) []int32 {
	m := b.ix.set.M
	return b.chosen[p.at+layer*m:][:m:m]
}

// enter adds a new row to the index.
func (b *batch) enter(p *plan) {
	ix := b.ix
	ix.live++
	if p.same >= 0 {
		first := &b.plans[p.same]
		p.like = first.row
		if first.like >= 0 {
			p.like = first.like
		}
	}
	if p.like >= 0 {
		ix.addTwin(p.like, p.row)
		return
	}
	ix.level[p.row] = uint8(p.level)
	ix.raise(p.row, p.level)
	for layer := range p.level + 1 {
		unlink(ix.links(layer, p.row))
		*ix.children(layer, p.row) = 0
		for len(b.back) <= layer {
			b.back = append(b.back, nil)
		}
		if layer == len(ix.roots) {
			ix.roots = append(ix.roots, p.row)
			continue
		}
		chosen := b.links(p, layer)
		chosen = chosen[:used(chosen)]
		from := ix.roots[layer]
		if len(chosen) > 0 {
			from = chosen[0]
		}
		parent := ix.parentFor(layer, p.row, chosen, from)
		if displaced := ix.adopt(layer, parent, p.row); displaced >= 0 {
			b.link(layer, parent, displaced)
		}
		list, n := ix.links(layer, p.row), 1
		for _, r := range chosen {
			if r != parent && n < len(list) {
				list[n] = r
				n++
				b.link(layer, r, p.row)
			}
		}
	}
}

func (b *batch) link(layer int, target, source int32) {
	b.back[layer] = append(b.back[layer], uint64(target)<<32|uint64(source))
}

// relink adds links to the new rows to the lists of the old rows.
func (b *batch) relink(layer int) {
	ix, back := b.ix, b.back[layer]
	slices.Sort(back)
	back = slices.Compact(back)
	par.Ranges(b.threads, len(back), relinkRows, func(_, from, to int) {
		w := ix.pool.Get()
		w.fit(len(ix.level), 0, ix.width(0))
		// A piece handles the targets that begin in it.
		for from > 0 && from < to && back[from]>>32 == back[from-1]>>32 {
			from++
		}
		for from < to {
			target := back[from] >> 32
			w.others = w.others[:0]
			for from < len(back) && back[from]>>32 == target {
				w.others = append(w.others, int32(uint32(back[from])))
				from++
			}
			ix.relink(w, layer, int32(target), w.others)
		}
		ix.pool.Put(w)
	})
}

// raise allocates a row's blocks in the layers above the bottom.
func (ix *Index) raise(row int32, level int) {
	ix.tower[row] = none
	if level == 0 {
		return
	}
	if level < len(ix.vacantTowers) && len(ix.vacantTowers[level]) > 0 {
		last := len(ix.vacantTowers[level]) - 1
		ix.tower[row] = ix.vacantTowers[level][last]
		ix.vacantTowers[level] = ix.vacantTowers[level][:last]
		return
	}
	ix.tower[row] = int32(len(ix.upperKids))
	ix.upper = extend(ix.upper, level*ix.set.M, none)
	ix.upperKids = extend(ix.upperKids, level, 0)
}
