package live

import (
	"unfold/internal/vec"
	"unfold/models/saul"
	"unfold/models/snapshot"
)

// shot makes the snapshot of a refreshed map of the distinct rows x, with novelty tables
// of its lists, and without version and index.
func shot(x vec.Matrix[float32], r *saul.Result, set Settings) (*snapshot.Snapshot, error) {
	s, _, err := r.Snapshot(saul.Kind, x, set.NoveltyK)
	if err != nil {
		return nil, err
	}
	s.Neighbors = set.neighbors() // also of a map that is too small for so many now
	return s, nil
}
