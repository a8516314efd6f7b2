package hnsw

import (
	"fmt"
	"maps"
	"slices"
)

// Clone returns a copy, which shares nothing with the index. Its capacity allows for room more
// rows.
func (ix *Index) Clone(room int) *Index {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := &Index{
		set: ix.set, dim: ix.dim, stride: ix.stride, live: ix.live, drawn: ix.drawn,
		rows: roomier(ix.rows, room*ix.stride), level: roomier(ix.level, room), base: roomier(ix.base, room*ix.width(0)),
		kids: roomier(ix.kids, room), tower: roomier(ix.tower, room), upper: slices.Clone(ix.upper), upperKids: slices.Clone(ix.upperKids),
		roots: slices.Clone(ix.roots), lastTwin: maps.Clone(ix.lastTwin), vacant: slices.Clone(ix.vacant),
	}
	for _, t := range ix.vacantTowers {
		c.vacantTowers = append(c.vacantTowers, slices.Clone(t))
	}
	return c
}

// roomier returns a copy with capacity for n more elements.
func roomier[T any](s []T, n int) []T { return append(make([]T, 0, len(s)+n), s...) }

// Renumber gives row order[i] the number i, so that numbers become dense. If order does not name
// every row once, it returns an error and changes nothing. Searches find the same rows; ties are
// broken by the new numbers. Rows are moved in place, and rows that keep their numbers cost almost
// nothing.
func (ix *Index) Renumber(order []int32) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	number, err := ix.numbers(order)
	if err != nil {
		return fmt.Errorf("hnsw: renumber: %w", err)
	}
	var chains [][]int32 // of twins, the row of the graph first
	for first := range ix.lastTwin {
		chains = append(chains, ix.twins(first, ix.live, []int32{first}))
	}
	for _, list := range append(chains, ix.base, ix.upper, ix.roots) {
		for p, r := range list {
			if r >= 0 {
				list[p] = number[r]
			}
		}
	}
	from := slices.Grow(slices.Clone(order), len(number)-len(order))
	for r, n := range number {
		if n == none {
			from = append(from, int32(r))
		}
	}
	ix.move(from)
	n := len(order)
	ix.rows, ix.level, ix.base = ix.rows[:n*ix.stride], ix.level[:n], ix.base[:n*ix.width(0)]
	ix.kids, ix.tower, ix.vacant = ix.kids[:n], ix.tower[:n], nil
	ix.rebuildTowers()
	clear(ix.lastTwin)
	for _, c := range chains {
		ix.rechain(c[0], c[1:])
	}
	return nil
}

// move moves all data of row from[i], a permutation, to i. It follows the cycles of the
// permutation; from is the identity at the end.
func (ix *Index) move(from []int32) {
	width := ix.width(0)
	at := func(r int) ([]float32, []int32) {
		return ix.rows[r*ix.stride : (r+1)*ix.stride], ix.base[r*width : (r+1)*width]
	}
	vector, links := make([]float32, ix.stride), make([]int32, width)
	for first := range from {
		if int(from[first]) == first {
			continue
		}
		v, l := at(first)
		copy(vector, v)
		copy(links, l)
		level, kids, tower := ix.level[first], ix.kids[first], ix.tower[first]
		i := first
		for {
			v, l := at(i)
			next := int(from[i])
			from[i] = int32(i)
			if next == first {
				copy(v, vector)
				copy(l, links)
				ix.level[i], ix.kids[i], ix.tower[i] = level, kids, tower
				break
			}
			fromV, fromL := at(next)
			copy(v, fromV)
			copy(l, fromL)
			ix.level[i], ix.kids[i], ix.tower[i] = ix.level[next], ix.kids[next], ix.tower[next]
			i = next
		}
	}
}

// rebuildTowers stores the blocks above the bottom contiguously, in the order of the rows.
func (ix *Index) rebuildTowers() {
	m, blocks := ix.set.M, 0
	for _, l := range ix.level {
		if l < mostLevels {
			blocks += int(l)
		}
	}
	upper, kids := ix.upper, ix.upperKids
	ix.upper, ix.upperKids, ix.vacantTowers = make([]int32, 0, blocks*m), make([]uint8, 0, blocks), nil
	for i, l := range ix.level {
		if l == 0 || l >= mostLevels {
			continue
		}
		t, n := int(ix.tower[i]), int(l)
		ix.tower[i] = int32(len(ix.upperKids))
		ix.upper = append(ix.upper, upper[t*m:(t+n)*m]...)
		ix.upperKids = append(ix.upperKids, kids[t:t+n]...)
	}
}

// numbers returns the position of each row in order.
func (ix *Index) numbers(order []int32) ([]int32, error) {
	if len(order) != ix.live {
		return nil, fmt.Errorf("%d of %d rows", len(order), ix.live)
	}
	number := make([]int32, len(ix.level))
	for r := range number {
		number[r] = none
	}
	for i, r := range order {
		if !ix.has(r) {
			return nil, fmt.Errorf("there is no row %d", r)
		}
		if number[r] != none {
			return nil, fmt.Errorf("row %d is named twice", r)
		}
		number[r] = int32(i)
	}
	return number, nil
}
