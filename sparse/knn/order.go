package knn

import (
	"cmp"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// Order returns the rows of x ordered so that blocks of size rows contain near rows: the leaves of
// a k-d tree, which halves nodes along the column of largest variance (Bentley 1975). Within a
// block of neighbours thresholds become tight at once. The order does not affect results.
func Order[T vec.Float](x vec.Matrix[T], size, threads int) []int32 {
	rows := make([]entry, x.Rows)
	for i := range rows {
		rows[i].row = int32(i)
	}
	nodes := [][]entry{rows}
	for len(nodes) > 0 {
		halves := make([][2][]entry, len(nodes))
		par.Do(threads, len(nodes), func(t int) {
			if len(nodes[t]) > size {
				halves[t] = split(x, nodes[t], size)
			}
		})
		nodes = nodes[:0]
		for _, h := range halves {
			if h[0] != nil {
				nodes = append(nodes, h[0], h[1])
			}
		}
	}
	order := make([]int32, x.Rows)
	for i, e := range rows {
		order[i] = e.row
	}
	return order
}

// entry is a row with its value in the column that its node is divided along.
type entry struct {
	key float64
	row int32
}

// split sorts a node along its widest column and returns its halves; the size of the first is a
// multiple of size.
func split[T vec.Float](x vec.Matrix[T], node []entry, size int) [2][]entry {
	k := widest(x, node)
	for i, e := range node {
		node[i].key = float64(x.Row(int(e.row))[k])
	}
	slices.SortFunc(node, func(a, b entry) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.row, b.row)
	})
	mid := (par.Pieces(len(node), size) + 1) / 2 * size
	return [2][]entry{node[:mid], node[mid:]}
}

// widest returns the column of largest variance over at most 128 evenly spaced rows of the node.
func widest[T vec.Float](x vec.Matrix[T], node []entry) (column int) {
	count := min(len(node), 128)
	var most float64
	for k := range x.Cols {
		var sum, squares float64
		first := float64(x.Row(int(node[0].row))[k])
		for s := range count {
			d := float64(x.Row(int(node[s*len(node)/count].row))[k]) - first
			sum += d
			squares += d * d
		}
		if v := squares - sum*sum/float64(count); v > most {
			column, most = k, v
		}
	}
	return column
}
