package learn

import "testing"

// Settings of outputs apply to the learner and to embedders that follow it.
func TestPlacingAsksForLogLik(t *testing.T) {
	for _, asked := range []bool{true, false} {
		if got := (Settings{LogLik: asked}).Placing().LogLik; got != asked {
			t.Errorf("log-likelihoods are asked for: %v, and placing has %v", asked, got)
		}
	}
}
