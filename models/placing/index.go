package placing

import (
	"context"

	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/hnsw"
)

// NewIndex returns the index that events should be placed by, for Snapshot.Index, if a
// placer looks for reach neighbours: nil if there are so few reference points, or so much
// recall is wanted, that they are searched exactly. Neighbours of the reference points, if they
// are known, make it faster. It is a function of these, the reference points and the settings.
func NewIndex(ctx context.Context, s *snapshot.Snapshot, nb *knn.Neighbors, reach int, set auto.Settings, to knn.Settings) (*hnsw.Index, error) {
	if err := models.CheckSearch(set, s.Distance); err != nil {
		return nil, err
	}
	if s.Distance != distance.Euclidean || s.Graph != nil {
		return nil, nil
	}
	if ofRows(set, s, s.Reference.Rows).Index(s.Reference.Rows, s.Reference.Cols, reach) != auto.HNSW {
		return nil, nil
	}
	if nb != nil && auto.Listed(nb.N, nb.K) {
		return auto.BuildFrom(ctx, s.Reference, nb, reach, set, to)
	}
	return auto.Build(ctx, s.Reference, reach, set, to)
}

// KeepsIndex reports whether a map that is carried on, and has an index, goes on with
// one: as long as a map of twice as many reference points would have one, so that a map
// about that size does not build one again and again. Reach is as in NewIndex, for n
// reference points.
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
