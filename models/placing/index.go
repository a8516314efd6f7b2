package placing

import (
	"context"

	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// SetIndex selects the search for placing on s with reach neighbours and stores it in s. The choice
// is cells, or an index if cells are not suitable or links are requested. It is neither if there
// are so few points, such wide ones, or such a high recall that the search is exact. Known
// neighbours of the reference points make building an index faster. The result is a function of
// these, the reference points and the settings.
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
	case set.Scans(x.Rows, x.Cols):
		return nil
	case nb != nil && auto.Listed(nb.N, nb.K):
		s.Index, err = auto.BuildFrom(ctx, x, nb, reach, set, to)
	default:
		s.Index, err = auto.Build(ctx, x, reach, set, to)
	}
	return err
}

// KeepsIndex reports whether an updated map that has an index keeps one. It does if a map of twice
// as many reference points would need one. Otherwise a map near the limit would drop and rebuild
// the index repeatedly. reach(n) is that of SetIndex for n reference points.
func KeepsIndex(s *snapshot.Snapshot, reach func(n int) int, set auto.Settings) bool {
	n := 2 * s.Reference.Rows
	return s.Distance == distance.Euclidean && models.CheckSearch(set, s.Distance) == nil && ofRows(set, s, n).Index(n, s.Reference.Cols, reach(n)) == auto.HNSW
}

// ofRows returns the settings for n reference points of the snapshot's kind of values.
func ofRows(set auto.Settings, s *snapshot.Snapshot, n int) auto.Settings {
	if knn.Binary(s.Reference, 0) {
		return set.Bits(n, s.Reference.Cols)
	}
	return set
}
