package live

import (
	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/snapshot"
)

// shot returns the snapshot of a refreshed map of the distinct rows x, with novelty tables of its
// lists. Version and index are missing.
func shot(x vec.Matrix[float32], r *lvm.Result, set Settings) (*snapshot.Snapshot, error) {
	s, _, err := r.Snapshot(x, set.NoveltyK)
	if err != nil {
		return nil, err
	}
	s.Neighbors = set.neighbors() // even if the map is too small for so many now
	return s, nil
}
