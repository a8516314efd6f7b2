package placing_test

import (
	"strings"
	"testing"

	"unfold/models/placing"
)

func TestPlaceRules(t *testing.T) {
	for _, rule := range []placing.Rule{placing.RuleAuto, placing.Median, placing.EM, placing.Robust, placing.LLE} {
		if got, err := placing.ParseRule(rule.String()); err != nil || got != rule {
			t.Errorf("%v is read as %v (%v)", rule, got, err)
		}
	}
	if got, err := placing.ParseRule(""); err != nil || got != placing.RuleAuto {
		t.Errorf("no name is read as %v (%v)", got, err)
	}
	if _, err := placing.ParseRule("mean"); err == nil || !strings.Contains(err.Error(), "auto, median, em, robust, lle") {
		t.Errorf("an unknown name gives %v", err)
	}
}
