package hnsw

import (
	"fmt"
	"slices"

	"unfold/internal/par"
	"unfold/sparse/knn"
)

// Delete removes rows. Rows that linked to a deleted row are linked to its neighbours instead, by
// the rule for choosing links, and the graph stays connected. It passes over all links once, so
// deleting many rows at a time costs little more than one. If a row does not exist or is named
// twice, nothing is deleted.
func (ix *Index) Delete(rows []int32, s knn.Settings) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	d := deletion{ix: ix, threads: s.Threads, rows: slices.Clone(rows), dead: make([]uint64, (len(ix.level)+63)/64)}
	slices.Sort(d.rows)
	for i, r := range d.rows {
		if !ix.has(r) {
			return fmt.Errorf("hnsw: delete: there is no row %d", r)
		}
		if i > 0 && r == d.rows[i-1] {
			return fmt.Errorf("hnsw: delete: row %d is named twice", r)
		}
		d.dead[r/64] |= 1 << (r % 64)
	}
	d.twins()
	for layer := len(ix.roots) - 1; layer >= 0; layer-- {
		d.layer(layer)
	}
	for _, r := range slices.Backward(d.rows) {
		ix.release(r)
	}
	ix.live -= len(rows)
	return nil
}

// deletion is one call of Delete.
type deletion struct {
	ix      *Index
	threads int
	rows    []int32
	dead    []uint64
}

func (d *deletion) isDead(row int32) bool { return d.dead[row/64]>>(row%64)&1 != 0 }

// twins removes rows from the chains of twins. If a row of the graph is deleted and has remaining
// twins, the first of them replaces it.
func (d *deletion) twins() {
	ix := d.ix
	var firsts []int32
	for _, r := range d.rows {
		if ix.level[r] == levelTwin {
			r = ix.links(0, r)[placeFirst]
		}
		if _, some := ix.lastTwin[r]; some {
			firsts = append(firsts, r)
		}
	}
	slices.Sort(firsts)
	heirs := map[int32]int32{}
	for _, first := range slices.Compact(firsts) {
		chain := slices.DeleteFunc(ix.twins(first, ix.live, nil), d.isDead)
		delete(ix.lastTwin, first)
		if d.isDead(first) && len(chain) > 0 {
			heirs[first] = chain[0]
			ix.replace(first, chain[0])
			first, chain = chain[0], chain[1:]
		}
		ix.rechain(first, chain)
	}
	if len(heirs) > 0 {
		d.rename(heirs)
	}
}

// replace puts heir into the graph in place of first. Links to first stay.
func (ix *Index) replace(first, heir int32) {
	for layer, root := range ix.roots {
		if root == first {
			ix.roots[layer] = heir
		}
	}
	copy(ix.links(0, heir), ix.links(0, first))
	ix.level[heir], ix.level[first] = ix.level[first], levelTwin
	ix.kids[heir], ix.kids[first] = ix.kids[first], 0
	ix.tower[heir], ix.tower[first] = ix.tower[first], none
}

// rename redirects links to replaced rows to their heirs.
func (d *deletion) rename(heirs map[int32]int32) {
	ix := d.ix
	for layer := range ix.roots {
		d.members(layer, func(_ *work, row int32) {
			list := ix.links(layer, row)
			for i, r := range list {
				if r < 0 {
					break
				}
				if !d.isDead(r) {
					continue
				}
				if heir, some := heirs[r]; some {
					list[i] = heir
				}
			}
		})
	}
}

// members calls f for every row of a layer, on several threads.
func (d *deletion) members(layer int, f func(w *work, row int32)) {
	const size = 4096
	ix := d.ix
	par.Ranges(d.threads, len(ix.level), size, func(_, from, to int) {
		w := ix.pool.Get()
		w.fit(len(ix.level), 0, ix.width(0))
		for r := from; r < to; r++ {
			if l := int(ix.level[r]); l >= layer && l < mostLevels {
				f(w, int32(r))
			}
		}
		ix.pool.Put(w)
	})
}

// layer removes dead rows from a layer.
func (d *deletion) layer(layer int) {
	ix := d.ix
	some := false
	for _, r := range d.rows {
		if l := int(ix.level[r]); l >= layer && l < mostLevels {
			d.uproot(layer, r)
			some = true
		}
	}
	if ix.roots[layer] < 0 {
		ix.roots = ix.roots[:layer]
		return
	}
	if some {
		d.members(layer, func(w *work, row int32) {
			if !d.isDead(row) && slices.ContainsFunc(ix.links(layer, row), func(r int32) bool { return r >= 0 && d.isDead(r) }) {
				d.mend(w, layer, row)
			}
		})
	}
}

// uproot removes a row from a layer's tree. One of its children takes its place, and the others
// become children of that one or of rows below it. The row's own links stay unchanged.
func (d *deletion) uproot(layer int, row int32) {
	ix := d.ix
	kin := slices.Clone(ix.kin(layer, row))
	root, parent := ix.roots[layer] == row, ix.links(layer, row)[0]
	*ix.children(layer, row) = 0
	if len(kin) == 0 {
		if root {
			ix.roots[layer] = none
		} else {
			ix.disown(layer, parent, row)
		}
		return
	}
	heir := kin[max(0, slices.IndexFunc(kin, func(r int32) bool { return !d.isDead(r) }))]
	if root {
		ix.roots[layer] = heir
		list := ix.links(layer, heir)
		copy(list, list[1:])
		list[len(list)-1] = none
	} else {
		ix.inherit(layer, parent, row, heir)
	}
	for _, c := range kin {
		if c != heir {
			to := ix.parentFor(layer, c, nil, heir)
			ix.drop(layer, c, to)
			ix.adopt(layer, to, c)
		}
	}
}

// disown removes a child from its parent's list.
func (ix *Index) disown(layer int, parent, child int32) {
	list, fixed := ix.links(layer, parent), ix.fixed(layer, parent)
	*ix.children(layer, parent)--
	p, end := slices.Index(list, child), used(list)
	list[p] = list[fixed-1]
	list[fixed-1] = list[end-1]
	list[end-1] = none
}

// inherit replaces row by heir, one of its children, in the list of row's parent.
func (ix *Index) inherit(layer int, parent, row, heir int32) {
	ix.drop(layer, parent, heir)
	list := ix.links(layer, parent)
	list[slices.Index(list, row)] = heir
	ix.drop(layer, heir, parent)
	ix.links(layer, heir)[0] = parent
}

// drop removes a link that does not belong to the tree, if there is one.
func (ix *Index) drop(layer int, row, other int32) {
	list, fixed := ix.links(layer, row), ix.fixed(layer, row)
	if p := slices.Index(list[fixed:], other); p >= 0 {
		end := used(list)
		list[fixed+p] = list[end-1]
		list[end-1] = none
	}
}

// mend replaces a row's links to dead rows by links to their neighbours, following further dead
// rows if necessary.
func (d *deletion) mend(w *work, layer int, row int32) {
	ix := d.ix
	list := ix.links(layer, row)
	fixed, end := ix.fixed(layer, row), used(list)
	w.forget()
	w.see(row)
	for _, r := range list[:end] {
		w.see(r)
	}
	w.number, w.others = w.number[:0], w.others[:0]
	n := fixed
	for _, r := range list[fixed:end] {
		if d.isDead(r) {
			w.number = append(w.number, r)
		} else {
			list[n] = r
			n++
		}
	}
	unlink(list[n:])
	for at := 0; at < len(w.number) && len(w.others) < mendCandidates*len(list); at++ {
		for _, r := range w.unseen(ix.links(layer, w.number[at])) {
			if d.isDead(r) {
				w.number = append(w.number, r)
			} else {
				w.others = append(w.others, r)
			}
		}
	}
	ix.replenish(w, layer, row, w.others, end)
}

// mendCandidates is the approximate maximum number of candidates for a row, as a multiple of its
// slots for links.
const mendCandidates = 4

// release frees a row's number, memory and tower.
func (ix *Index) release(row int32) {
	if l := int(ix.level[row]); l > 0 && l < mostLevels {
		for layer := 1; layer <= l; layer++ {
			unlink(ix.links(layer, row))
		}
		for len(ix.vacantTowers) <= l {
			ix.vacantTowers = append(ix.vacantTowers, nil)
		}
		ix.vacantTowers[l] = append(ix.vacantTowers[l], ix.tower[row])
	}
	unlink(ix.links(0, row))
	clear(ix.vector(row))
	ix.level[row], ix.kids[row], ix.tower[row] = levelVacant, 0, none
	ix.vacant = append(ix.vacant, row)
}
