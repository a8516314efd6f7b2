package live

import (
	"slices"
	"sync/atomic"

	"unfold/internal/par"
)

// reach marks which entries of K are mutually reachable: those whose neighbour j
// reaches the point i by a walk of at most s steps (K_ij = 1 is the way there).
//
// What j reaches changed only if a list changed that j reaches in s-1 steps: the
// first changed list on a walk, old or new, is reached by lists that did not
// change. So the entries to look at again are those of changed lists and those that name
// such a j.
type reach struct {
	words int      // of a slot's bits
	bits  []uint64 // p-th bit: the p-th entry is mutual
	works par.Lender[walker]
}

func (r *reach) bytes() int64 {
	return int64(8*cap(r.bits)) + r.works.Sum(func(w *walker) int64 { return int64(4 * (cap(w.seen) + cap(w.queue))) })
}

func (r *reach) has(slot int32, p int) bool {
	return r.bits[int(slot)*r.words+p/64]>>(p%64)&1 != 0
}

// update brings the bits up to date with the changed lists.
func (r *reach) update(g *Graph, changed set) {
	r.bits = resized(r.bits, g.top*r.words)
	if g.set.Core == 1 {
		r.direct(g, changed)
		return
	}
	r.walk(g, r.entries(g, changed, g.reaching(changed)))
}

// reaching returns the slots that reach a member of s in at most s-1 steps, and s.
func (g *Graph) reaching(s set) set {
	from := slices.Clone(s)
	for range g.set.Core - 1 {
		g.backward(from)
	}
	return from
}

// sweepSize is the number of slots in a task of a pass over all lists.
const sweepSize = 4096

// backward adds the slots whose nearest include a member of s to s.
func (g *Graph) backward(s set) {
	next := slices.Clone(s)
	par.Ranges(g.set.Threads, g.top, sweepSize, func(_, from, to int) {
		for i := int32(from); i < int32(to); i++ {
			index, _ := g.lists.nearest(i)
			for _, j := range index {
				if s.has(j) {
					next.add(i)
					break
				}
			}
		}
	})
	copy(s, next)
}

// direct sets the bits for s = 1: an entry is mutual if the other end names the
// point too.
func (r *reach) direct(g *Graph, changed set) {
	par.Ranges(g.set.Threads, g.top, sweepSize, func(_, from, to int) {
		for i := int32(from); i < int32(to); i++ {
			index, _ := g.lists.nearest(i)
			all := changed.has(i)
			for p, j := range index {
				if !all && !changed.has(j) {
					continue
				}
				back, _ := g.lists.nearest(j)
				word := &r.bits[int(i)*r.words+p/64]
				*word &^= 1 << (p % 64)
				if slices.Contains(back, i) {
					*word |= 1 << (p % 64)
				}
			}
		}
	})
}

// entry is the p-th entry of slot i, which names j.
type entry struct {
	i, j int32
	p    uint16
}

// entries clears the bits of all entries of changed lists and of those that
// name a member of from, and returns them ordered by the slot they name.
func (r *reach) entries(g *Graph, changed, from set) [][]entry {
	pieces := make([][]entry, par.Pieces(g.top, sweepSize))
	par.Ranges(g.set.Threads, g.top, sweepSize, func(piece, first, to int) {
		var found []entry
		for i := int32(first); i < int32(to); i++ {
			index, _ := g.lists.nearest(i)
			all := changed.has(i)
			for p, j := range index {
				if all || from.has(j) {
					found = append(found, entry{i, j, uint16(p)})
					r.bits[int(i)*r.words+p/64] &^= 1 << (p % 64)
				}
			}
		}
		pieces[piece] = found
	})
	return group(pieces, g.top)
}

// group brings entries into the order of the slots that they name, and cuts them
// between these.
func group(pieces [][]entry, top int) [][]entry {
	start := make([]int32, top+1)
	for _, piece := range pieces {
		for _, e := range piece {
			start[e.j+1]++
		}
	}
	for j := range top {
		start[j+1] += start[j]
	}
	all := make([]entry, start[top])
	for _, piece := range pieces {
		for _, e := range piece {
			all[start[e.j]] = e
			start[e.j]++
		}
	}
	const size = 1024
	var out [][]entry
	for len(all) > 0 {
		end := min(size, len(all))
		for end < len(all) && all[end].j == all[end-1].j {
			end++
		}
		out, all = append(out, all[:end]), all[end:]
	}
	return out
}

// walk sets the bits of entries whose named slot reaches their own.
func (r *reach) walk(g *Graph, groups [][]entry) {
	par.Do(g.set.Threads, len(groups), func(t int) {
		w := r.works.Get()
		defer r.works.Put(w)
		group := groups[t]
		for n, e := range group {
			if n == 0 || e.j != group[n-1].j {
				w.walk(g, e.j)
			}
			if w.seen[e.i] == w.now {
				// Words are shared by tasks.
				atomic.OrUint64(&r.bits[int(e.i)*r.words+int(e.p)/64], 1<<(e.p%64))
			}
		}
	})
}

// walker does breadth-first searches over the lists.
type walker struct {
	seen  []uint32 // the last search that met a slot
	now   uint32
	queue []int32
}

// walk marks the slots that j reaches in 0..s steps.
func (w *walker) walk(g *Graph, j int32) {
	w.seen = resized(w.seen, max(len(w.seen), g.top))
	if w.now++; w.now == 0 {
		clear(w.seen)
		w.now = 1
	}
	w.seen[j] = w.now
	w.queue = append(w.queue[:0], j)
	done := 0
	for range g.set.Core {
		for end := len(w.queue); done < end; done++ {
			index, _ := g.lists.nearest(w.queue[done])
			for _, to := range index {
				if w.seen[to] != w.now {
					w.seen[to] = w.now
					w.queue = append(w.queue, to)
				}
			}
		}
	}
}
