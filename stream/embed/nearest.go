package embed

import (
	"unfold/ingest/table"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Names of the columns of nearest points.
const (
	NeighborName         = "neighbor"
	NeighborDistanceName = "neighbor_distance"
	NeighborIDName       = "neighbor_id"
)

// NeighborColumns returns the nearest points of rows as columns of lists: their numbers, their distances by d, and
// their ids, if the map knows them (ids by number; nil if it does not).
func NeighborColumns(near *knn.Neighbors, d distance.Distance, ids []string) []table.Column {
	point, far, id := make([]int64, len(near.Index)), make([]float32, len(near.Index)), make([]string, 0, len(near.Index))
	for i, p := range near.Index {
		point[i], far[i] = int64(p), float32(d.Length(near.Dist2[i]))
		if ids != nil {
			id = append(id, ids[p])
		}
	}
	list := func(name string, values table.Column) table.Column {
		return table.NewColumn(name, table.FixedList(near.N, near.K, values.Array()))
	}
	out := []table.Column{list(NeighborName, table.Int64Column("", point)), list(NeighborDistanceName, table.Float32Column("", far))}
	if ids != nil {
		out = append(out, list(NeighborIDName, table.StringColumn("", id)))
	}
	return out
}
