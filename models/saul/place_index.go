package saul

import (
	"context"

	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/hnsw"
)

// Reach is how many neighbours are looked for to place an event that sends so many
// edges on a map of n reference points: the most that anything uses and one more, in
// case the event is a reference point.
func Reach(tails Tails, neighbors, noveltyK, n int) int {
	most := receiveRange
	if tails == Student {
		most = max(heavyRange, lleNeighbors(neighbors))
	}
	return min(n, max(neighbors, most, noveltyK)+1)
}

// KeepsIndex reports whether a map that is carried on, and has an index, goes on with
// one: as long as a map of twice as many reference points would have one, so that a map
// about that size does not build one again and again.
func KeepsIndex(s *snapshot.Snapshot, set auto.Settings) bool {
	n := 2 * s.Reference.Rows
	return checkSearch(set) == nil && set.Index(n, s.Reference.Cols, Reach(TailsOf(s), s.Neighbors, s.NoveltyK, n)) == auto.HNSW
}

// NewIndex returns the index that events should be placed by, for Snapshot.Index:
// nil if there are so few reference points, or so much recall is wanted, that they
// are searched exactly. It is a function of the reference points and the settings.
func NewIndex(ctx context.Context, s *snapshot.Snapshot, set auto.Settings, threads int) (*hnsw.Index, error) {
	k := Reach(TailsOf(s), s.Neighbors, s.NoveltyK, s.Reference.Rows)
	if err := checkSearch(set); err != nil {
		return nil, err
	}
	if set.Index(s.Reference.Rows, s.Reference.Cols, k) != auto.HNSW {
		return nil, nil
	}
	return auto.Build(ctx, s.Reference, k, set, knn.Settings{Threads: threads})
}
