package live

import (
	"context"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// gaussian is learn for Gaussian tails. The graph E is computed from the parts that lists keep, the
// dissimilar pairs from the dynamic landmarks. Both equal those of a batch. A major refresh is a
// fit near the previous map, or with NewFrame in a frame of its own. Other refreshes are warm EM
// steps with the anchor of Model.Hold (package saul). No refresh lowers the likelihood.
func (m *Map) gaussian(ctx context.Context, r *Report, x vec.Matrix[float32], slots []int32, nb *knn.Neighbors, parts *graph.Parts, before *student.State, set lvm.Settings) (*lvm.Result, error) {
	from := saul.Warm{
		State: &saul.State{Mu: before.Mu, Sigma2: before.Sigma2}, Refit: r.Kind == Major, Parts: parts, Pairs: m.pairs(slots),
	}
	schedule := m.set.Ordinary
	if r.Kind == Gentle {
		schedule = m.set.Gentle
	}
	if r.Kind == Major && m.set.Frame == KeepFrame {
		set.Saul.Prior = prior.Settings{Frame: prior.Given, Given: m.held(slots, before.Mu, old), Schedule: m.hold(len(slots))}
	}
	if r.Kind != Major {
		if set.Steps = schedule.Steps; set.Steps == 0 {
			set.Steps = -1
		}
		set.Saul.Momentum, set.Saul.NoMomentum = schedule.Momentum, schedule.Momentum == 0
		from.Anchor = schedule.Anchor
	}
	res, err := saul.Continue(ctx, x, nb, from, set.ForSaul())
	if err != nil {
		return nil, err
	}
	r.Steps, r.CGIterations = res.Report.Iterations, res.Report.CGIterations
	r.Loglik, r.LoglikBefore = res.Report.Loglik, res.Report.LoglikInitial
	return lvm.OfSaul(res), nil
}
