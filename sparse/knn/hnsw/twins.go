package hnsw

import "slices"

// Equal rows would only have links to each other, and a search could not leave them. So only the
// first of them is in the graph. The others are its twins: a chain in the order of their numbers,
// stored in slots that their links do not need.
const (
	placeFirst = 0 // the row of the graph that a twin equals
	placeNext  = 1 // the next twin, or none
)

// addTwin makes row a twin of first, a row of the graph.
func (ix *Index) addTwin(first, row int32) {
	ix.level[row] = levelTwin
	ix.kids[row] = 0
	ix.tower[row] = none
	list := ix.links(0, row)
	unlink(list)
	list[placeFirst] = first
	last, some := ix.lastTwin[first]
	switch {
	case !some:
		// Each twin points to the next, and the last points to the first.
		list[placeNext] = row
		ix.lastTwin[first] = row
	case row > last:
		list[placeNext] = ix.nextTwin(last)
		ix.links(0, last)[placeNext] = row
		ix.lastTwin[first] = row
	default:
		before := last
		for ix.nextTwin(before) < row {
			before = ix.nextTwin(before)
		}
		list[placeNext] = ix.nextTwin(before)
		ix.links(0, before)[placeNext] = row
	}
}

// nextTwin returns the twin after the given one; the first follows the last.
func (ix *Index) nextTwin(row int32) int32 { return ix.links(0, row)[placeNext] }

// twins appends up to most twins of a row.
func (ix *Index) twins(first int32, most int, to []int32) []int32 {
	last, some := ix.lastTwin[first]
	if !some {
		return to
	}
	for t := ix.nextTwin(last); most > 0; t = ix.nextTwin(t) {
		to = append(to, t)
		most--
		if t == last {
			break
		}
	}
	return to
}

// rechain makes rows, in any order, the twins of first.
func (ix *Index) rechain(first int32, rows []int32) {
	delete(ix.lastTwin, first)
	slices.Sort(rows)
	for _, r := range rows {
		ix.addTwin(first, r)
	}
}
