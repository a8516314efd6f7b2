package hnsw

import (
	"fmt"
	"maps"
	"slices"
)

// Clone returns a copy, which shares nothing with the index.
func (ix *Index) Clone() *Index {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := &Index{
		set: ix.set, dim: ix.dim, stride: ix.stride, live: ix.live, drawn: ix.drawn,
		rows: slices.Clone(ix.rows), level: slices.Clone(ix.level), base: slices.Clone(ix.base), kids: slices.Clone(ix.kids),
		tower: slices.Clone(ix.tower), upper: slices.Clone(ix.upper), upperKids: slices.Clone(ix.upperKids),
		roots: slices.Clone(ix.roots), lastTwin: maps.Clone(ix.lastTwin), vacant: slices.Clone(ix.vacant),
	}
	for _, t := range ix.vacantTowers {
		c.vacantTowers = append(c.vacantTowers, slices.Clone(t))
	}
	return c
}

// Renumbered returns a copy in which row order[i] has number i, so that numbers are
// as dense as the rows are: order names every row once. It finds what the index finds;
// among rows at equal distances the numbers decide.
func (ix *Index) Renumbered(order []int32) (*Index, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	number, err := ix.numbers(order)
	if err != nil {
		return nil, fmt.Errorf("hnsw: renumber: %w", err)
	}
	n, width := len(order), ix.width(0)
	c := &Index{
		set: ix.set, dim: ix.dim, stride: ix.stride, live: ix.live, drawn: ix.drawn, lastTwin: map[int32]int32{},
		rows: make([]float32, n*ix.stride), level: make([]uint8, n), base: make([]int32, n*width), kids: make([]uint8, n),
		tower: make([]int32, n), roots: make([]int32, len(ix.roots)),
	}
	rename := func(to, from []int32) {
		for p, r := range from {
			if to[p] = r; r >= 0 {
				to[p] = number[r]
			}
		}
	}
	rename(c.roots, ix.roots)
	for i, r := range order {
		copy(c.vector(int32(i)), ix.vector(r))
		c.level[i], c.kids[i], c.tower[i] = ix.level[r], ix.kids[r], none
		rename(c.base[i*width:(i+1)*width], ix.links(0, r))
		if l := int(ix.level[r]); l > 0 && l < mostLevels {
			c.raise(int32(i), l)
			for layer := 1; layer <= l; layer++ {
				rename(c.links(layer, int32(i)), ix.links(layer, r))
				*c.children(layer, int32(i)) = *ix.children(layer, r)
			}
		}
	}
	for _, first := range slices.Sorted(maps.Keys(ix.lastTwin)) {
		chain := ix.twins(first, ix.live, nil)
		for p, t := range chain {
			chain[p] = number[t]
		}
		c.rechain(number[first], chain)
	}
	return c, nil
}

// numbers returns where in order each row stands.
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
