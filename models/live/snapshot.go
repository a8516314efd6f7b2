package live

import (
	"unfold/internal/vec"
	"unfold/models/novelty"
	"unfold/models/saul"
	"unfold/models/snapshot"
)

// shot makes the snapshot of a map of the distinct rows x, with novelty tables of
// its lists, and without version.
func shot(x vec.Matrix[float32], r *saul.Result, set Settings) (*snapshot.Snapshot, error) {
	s := &snapshot.Snapshot{
		Kind: "lvm", Dim: x.Cols, Reference: x, Count: r.Count,
		Mu: r.Mu, Sigma2: r.Sigma2, Bandwidth2: r.Bandwidth2, Student: r.Student, Unlearnt: r.Unlearnt,
		Neighbors: set.neighbors(), Steps: r.Report.Iterations,
	}
	if s.Student == nil {
		s.Dissimilar = saul.DissimilarShare(r.Report.Level)
	}
	t, _, err := novelty.New(r.Neighbors, set.NoveltyK, set.LVM.Threads)
	if err != nil {
		return nil, err
	}
	s.NoveltyK, s.KDist2, s.Density, s.LocalScores, s.GlobalScores = t.K, t.KDist2, t.Density, t.Local, t.Global
	return s, nil
}
