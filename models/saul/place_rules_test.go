package saul_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/saul"
	"unfold/models/snapshot"
)

func TestPlaceRules(t *testing.T) {
	for _, rule := range []saul.PlaceRule{saul.RuleAuto, saul.Median, saul.EM, saul.Robust, saul.LLE} {
		if got, err := saul.ParsePlaceRule(rule.String()); err != nil || got != rule {
			t.Errorf("%v is read as %v (%v)", rule, got, err)
		}
	}
	if got, err := saul.ParsePlaceRule(""); err != nil || got != saul.RuleAuto {
		t.Errorf("no name is read as %v (%v)", got, err)
	}
	if _, err := saul.ParsePlaceRule("mean"); err == nil || !strings.Contains(err.Error(), "auto, median, em, robust, lle") {
		t.Errorf("an unknown name gives %v", err)
	}
}

func TestNewPlacerRefuses(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 3, 60, 4, 0, 2)
	for name, set := range map[string]saul.PlaceSettings{"rule": {Rule: 9}, "neighbors": {Neighbors: -1}} {
		if _, err := saul.NewPlacer(s, set); err == nil {
			t.Errorf("a wrong %s is taken", name)
		}
	}
	heavy := modeltest.Heavy(s)
	for name, c := range map[string]struct {
		s   *snapshot.Snapshot
		set saul.PlaceSettings
	}{
		"em with heavy tails":        {heavy, saul.PlaceSettings{Rule: saul.EM}},
		"robust with Gaussian tails": {s, saul.PlaceSettings{Rule: saul.Robust}},
		"lle with Gaussian tails":    {s, saul.PlaceSettings{Rule: saul.LLE}},
	} {
		var setting *saul.SettingError
		if _, err := saul.NewPlacer(c.s, c.set); !errors.As(err, &setting) || setting.Name != "place" || !strings.Contains(err.Error(), "take auto") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, set := range map[string]saul.PlaceSettings{"negative": {Received: -1}, "infinite": {Received: math.Inf(1)}} {
		if _, err := saul.NewPlacer(heavy, set); err == nil {
			t.Errorf("a %s weight of edges is taken", name)
		}
	}
	if _, err := saul.NewPlacer(s, saul.PlaceSettings{Received: 1}); err == nil {
		t.Error("a weight of edges is taken with Gaussian tails")
	}
	bad := *s
	bad.NoveltyK = 1000
	if _, err := saul.NewPlacer(&bad, saul.PlaceSettings{}); !models.IsBadInput(err) {
		t.Errorf("a snapshot that does not fit: got %v", err)
	}
}
