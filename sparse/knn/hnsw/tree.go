package hnsw

import (
	"slices"

	"unfold/internal/simd/dist"
)

// The rows of every layer form a tree, whose edges are links in both directions that are never
// removed when links are chosen. So every row stays reachable from every other. A row's parent is
// the nearest of its links that had few children.

// mostChildren returns the maximum number of children of a row in a layer.
func (ix *Index) mostChildren(layer int) int { return ix.width(layer) / 4 }

// fixed returns the number of a row's links that belong to the tree; they come first.
func (ix *Index) fixed(layer int, row int32) int {
	n := int(*ix.children(layer, row))
	if row != ix.roots[layer] {
		n++
	}
	return n
}

func (ix *Index) hasRoom(layer int, row int32) bool {
	return int(*ix.children(layer, row)) < ix.mostChildren(layer)
}

// kin returns the children of a row in a layer.
func (ix *Index) kin(layer int, row int32) []int32 {
	fixed := ix.fixed(layer, row)
	return ix.links(layer, row)[fixed-int(*ix.children(layer, row)) : fixed]
}

// parentFor returns the parent for a row: the first of the candidates with space for a child,
// otherwise a row below from. It descends to the nearest child until one has space. Ties are broken
// by row number, so that many equal rows make a wide tree, not a deep one.
func (ix *Index) parentFor(layer int, row int32, candidates []int32, from int32) int32 {
	for _, c := range candidates {
		if c != row && ix.hasRoom(layer, c) {
			return c
		}
	}
	q := ix.vector(row)
	for turn := int(row); !ix.hasRoom(layer, from); turn /= ix.mostChildren(layer) + 1 {
		kin := ix.kin(layer, from)
		best, least := int32(none), float32(0)
		for i := range kin {
			c := kin[(i+turn)%len(kin)]
			if d := dist.Squared(q, ix.vector(c)); best < 0 || d < least {
				best, least = c, d
			}
		}
		from = best
	}
	return from
}

// adopt makes child, which has no parent, a child of parent, which must have space. It returns the
// link that was displaced, or none. The child's first slot is for the parent.
func (ix *Index) adopt(layer int, parent, child int32) (displaced int32) {
	ix.links(layer, child)[0] = parent
	return ix.enter(layer, parent, child)
}

// enter adds a new child to its parent's list.
func (ix *Index) enter(layer int, parent, child int32) (displaced int32) {
	list, fixed := ix.links(layer, parent), ix.fixed(layer, parent)
	*ix.children(layer, parent)++
	end := used(list)
	if p := slices.Index(list[fixed:end], child); p >= 0 {
		list[fixed], list[fixed+p] = list[fixed+p], list[fixed]
		return none
	}
	displaced, list[fixed] = list[fixed], child
	if displaced >= 0 && end < len(list) {
		list[end], displaced = displaced, none
	}
	return displaced
}
