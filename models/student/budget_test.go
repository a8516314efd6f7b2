package student

import (
	"context"
	"testing"

	"unfold/models/prior"
)

// TestBudget: a budget keeps learning near the frame of the prior, and a larger one lets places move
// further, to a higher likelihood. The budget ends with the prior.
func TestBudget(t *testing.T) {
	x := blobs(400, 8)
	m, st, _ := learnt(t, x, 2, ModelSettings{Steps: 60})
	// The frame is a map of the first four dimensions alone, so that learning leaves it.
	frame := func() *prior.Prior {
		half := x.Clone()
		for i := range half.Rows {
			clear(half.Row(i)[4:])
		}
		_, other, _ := learnt(t, half, 2, ModelSettings{Steps: 60})
		return prior.New(other.Mu)
	}()
	within := func(b prior.Budget) (spent, loglik float64) {
		now := st.Clone()
		m.SetPrior(frame, prior.Schedule{From: 100, To: 0.001})
		m.SetBudget(b)
		r, err := m.Learn(context.Background(), now, nil)
		if err != nil {
			t.Fatal(err)
		}
		frame.Fit(now.Mu)
		return frame.Spent(now.Mu, prior.Budget{0.01, 0.01, 0.01}), r.Loglik
	}
	small, low := within(prior.Budget{0.02, 0.04, 0.06})
	large, high := within(prior.Budget{0.1, 0.2, 0.3})
	free, most := within(prior.Budget{})
	t.Logf("distances of %.1f, %.1f and %.1f %%, likelihoods %.0f, %.0f and %.0f", small, large, free, low, high, most)
	if small > 7 || !(small < large && large <= 1.05*free && low < high) {
		t.Errorf("distances of %.1f, %.1f and %.1f %%, likelihoods %.0f, %.0f and %.0f", small, large, free, low, high, most)
	}
	m.SetBudget(prior.Budget{0.02, 0.04, 0.06})
	m.SetPrior(frame, prior.Schedule{From: 3, To: 2})
	if m.budget != (prior.Budget{}) || m.last().kappa != 2 {
		t.Errorf("a new prior has the budget %v and the weight %v", m.budget, m.last().kappa)
	}
}
