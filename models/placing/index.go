package placing

import (
	"context"

	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// SetIndex gives s what events should be placed by, if a placer looks for reach neighbours:
// cells, or an index where cells are not the way to search the reference points or
// links are asked for, or neither if there are so few of these, or so much recall is wanted, that
// they are searched exactly. Neighbours of the reference points, if they are known, make an index
// faster. It is a function of these, the reference points and the settings.
func SetIndex(ctx context.Context, s *snapshot.Snapshot, nb *knn.Neighbors, reach int, set auto.Settings, to knn.Settings) error {
	if err := models.CheckSearch(set, s.Distance); err != nil {
		return err
	}
	x := s.Reference
	s.Index, s.Cells, s.CellRecall = nil, nil, 0
	if s.Distance != distance.Euclidean || s.Graph != nil || ofRows(set, s, x.Rows).Index(x.Rows, x.Cols, reach) != auto.HNSW {
		return nil
	}
	cells, err := auto.Cells(ctx, x, reach, set, to.Threads)
	switch {
	case err != nil:
		return err
	case cells != nil:
		s.Cells, s.CellRecall = cells, cells.Recall()
		return nil
	case nb != nil && auto.Listed(nb.N, nb.K):
		s.Index, err = auto.BuildFrom(ctx, x, nb, reach, set, to)
	default:
		s.Index, err = auto.Build(ctx, x, reach, set, to)
	}
	return err
}

// KeepsIndex reports whether a map that is carried on, and has an index, goes on with one: as
// long as a map of twice as many reference points would not be searched exactly, so that a map
// about that size does not build one again and again. Reach is as in SetIndex, for n reference
// points.
func KeepsIndex(s *snapshot.Snapshot, reach func(n int) int, set auto.Settings) bool {
	n := 2 * s.Reference.Rows
	return s.Distance == distance.Euclidean && models.CheckSearch(set, s.Distance) == nil && ofRows(set, s, n).Index(n, s.Reference.Cols, reach(n)) == auto.HNSW
}

// ofRows are the settings for n reference points like those of the snapshot.
func ofRows(set auto.Settings, s *snapshot.Snapshot, n int) auto.Settings {
	if knn.Binary(s.Reference, 0) {
		return set.Bits(n, s.Reference.Cols)
	}
	return set
}
