package cli

import (
	"unfold/ingest"
	"unfold/models/lvm"
)

// predictBytes says how much memory a fit of such data takes, from its figures
// alone: the vectors as read (4 bytes a value) and after projection, the
// neighbour lists (12 bytes an entry), some 600 bytes a point for the graph, the
// pair sums and the solver, and ten numbers a coordinate; all of it twice, because the garbage collector
// lets as much again pile up; and the program itself. It is good to about a fifth.
func predictBytes(data *ingest.Dataset, r lvm.Report) int64 {
	const program, perPoint, perNeighbor, perCoordinate = 60 << 20, 600, 12, 80
	n, dim := int64(data.X.Rows), int64(data.X.Cols)
	live := n*dim*4 + int64(r.Unique)*(perPoint+perNeighbor*int64(max(r.Neighbors, 10))+perCoordinate*int64(r.Dims))
	if int64(r.Dim) != dim {
		live += 2 * n * int64(r.Dim) * 4
	}
	return program + 2*live
}
