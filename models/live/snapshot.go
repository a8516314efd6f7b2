package live

import (
	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/snapshot"
)

// shot makes the snapshot of a refreshed map of the distinct rows x, with novelty tables
// of its lists, and without version and index.
func shot(x vec.Matrix[float32], r *lvm.Result, set Settings) (*snapshot.Snapshot, error) {
	s, _, err := r.Snapshot(x, set.NoveltyK)
	if err != nil {
		return nil, err
	}
	s.Neighbors = set.neighbors() // also of a map that is too small for so many now
	return s, nil
}
