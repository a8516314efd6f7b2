package learn

import "testing"

// What a stage asks of its outputs holds for the learner and for embedders that follow it.
func TestPlacingAsksForLogLik(t *testing.T) {
	for _, asked := range []bool{true, false} {
		if got := (Settings{LogLik: asked}).Placing().LogLik; got != asked {
			t.Errorf("log-likelihoods are asked for: %v, and placing has %v", asked, got)
		}
	}
}
