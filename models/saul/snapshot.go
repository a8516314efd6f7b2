package saul

import (
	"unfold/internal/vec"
	"unfold/models/novelty"
	"unfold/models/snapshot"
)

// Kind is the name of this kind of model, as snapshots have it.
const Kind = "lvm"

// Snapshot returns the map of the points x (n x dim, those of Unique) that a model of that
// kind has learnt, with novelty tables of noveltyK neighbours, and the points' own novelty.
// It has no Version, Epoch and Index. Neighbors must have lists of noveltyK points.
func (r *Result) Snapshot(kind string, x vec.Matrix[float32], noveltyK int) (*snapshot.Snapshot, novelty.Scores, error) {
	s := &snapshot.Snapshot{
		Kind: kind, Dim: x.Cols, Reference: x, Count: r.Count,
		Mu: r.Mu, Sigma2: r.Sigma2, Bandwidth2: r.Bandwidth2, Student: r.Student, Unlearnt: r.Unlearnt,
		Neighbors: r.Settings.Neighbors, Steps: r.Report.Iterations,
	}
	if s.Student == nil && kind == Kind {
		s.Dissimilar = DissimilarShare(r.Report.Level)
	}
	t, own, err := novelty.New(r.Neighbors, noveltyK, r.Settings.Threads)
	if err != nil {
		return nil, own, err
	}
	s.NoveltyK, s.KDist2, s.Density, s.LocalScores, s.GlobalScores = t.K, t.KDist2, t.Density, t.Local, t.Global
	return s, own, nil
}
