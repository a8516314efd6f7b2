package lvm

import (
	"context"

	"unfold/models"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// NewPlacer prepares placing against s with the model with which it was learnt. It validates s and
// then shares its memory.
func NewPlacer(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
	if TailsOf(s) == Student {
		return student.NewPlacer(s, o)
	}
	if err := models.Require(o.Received == 0, "received", "%v is the weight of edges received on maps with heavy tails; with Gaussian ones it is 1", o.Received); err != nil {
		return nil, err
	}
	return saul.NewPlacer(s, o)
}

// ResolveRule replaces placing.RuleAuto by the default for a map of the given tails and number of
// dimensions. It returns a *models.SettingError if they do not support the rule.
func ResolveRule(r placing.Rule, tails Tails, dims int) (placing.Rule, error) {
	if tails == Gaussian {
		return saul.ResolveRule(r)
	}
	return student.ResolveRule(r, dims)
}

// Reach returns the number of neighbours to search for when an event that sends the given number of
// edges is placed on a map of n reference points.
func Reach(tails Tails, neighbors, noveltyK, n int) int {
	if tails == Gaussian {
		return saul.Reach(neighbors, noveltyK, n)
	}
	return student.Reach(neighbors, noveltyK, n)
}

// KeepsIndex is placing.KeepsIndex for a map of this kind.
func KeepsIndex(s *snapshot.Snapshot, set auto.Settings) bool {
	return placing.KeepsIndex(s, func(n int) int { return Reach(TailsOf(s), s.Neighbors, s.NoveltyK, n) }, set)
}

// SetIndex is placing.SetIndex for a map of this kind.
func SetIndex(ctx context.Context, s *snapshot.Snapshot, nb *knn.Neighbors, set auto.Settings, to knn.Settings) error {
	return placing.SetIndex(ctx, s, nb, Reach(TailsOf(s), s.Neighbors, s.NoveltyK, s.Reference.Rows), set, to)
}
