package points

import (
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/novelty"
	"unfold/models/snapshot"
)

// Snapshot returns the map of the points x (n x dim, those of Unique). kind is the model that
// learnt it, and c are its settings with all defaults filled in. The map includes the labels, the
// points' own novelty, and novelty tables of noveltyK neighbours; Neighbors must have at least as
// long lists. The caller sets Version, Epoch, Index and everything that only its kind has.
func Snapshot(r *models.Result, kind string, x vec.Matrix[float32], c models.Common, noveltyK int) (*snapshot.Snapshot, novelty.Scores, error) {
	s := &snapshot.Snapshot{
		Kind: kind, Dim: x.Cols, Distance: c.Distance, Reference: x, Count: r.Count,
		Mu: r.Mu, Sigma2: r.Sigma2, Bandwidth2: r.Bandwidth2, Unlearnt: r.Unlearnt,
		Neighbors: c.Neighbors, Steps: r.Report.Iterations,
	}
	t, own, err := novelty.New(r.Neighbors, noveltyK, c.Threads)
	if err != nil {
		return nil, own, err
	}
	if r.Labels != nil {
		if s.Parts, err = labelParts(r.Labels); err != nil {
			return nil, own, err
		}
	}
	s.NoveltyK, s.KDist2, s.Density, s.LocalScores, s.GlobalScores = t.K, t.KDist2, t.Density, t.Local, t.Global
	return s, own, nil
}
