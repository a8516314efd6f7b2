package lvm_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/snapshot"
)

func TestPlaceRules(t *testing.T) {
	for _, rule := range []lvm.PlaceRule{lvm.RuleAuto, lvm.Median, lvm.EM, lvm.Robust, lvm.LLE} {
		if got, err := lvm.ParsePlaceRule(rule.String()); err != nil || got != rule {
			t.Errorf("%v is read as %v (%v)", rule, got, err)
		}
	}
	if got, err := lvm.ParsePlaceRule(""); err != nil || got != lvm.RuleAuto {
		t.Errorf("no name is read as %v (%v)", got, err)
	}
	if _, err := lvm.ParsePlaceRule("mean"); err == nil || !strings.Contains(err.Error(), "auto, median, em, robust, lle") {
		t.Errorf("an unknown name gives %v", err)
	}
}

func TestNewPlacerRefuses(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 3, 60, 4, 0, 2)
	for name, set := range map[string]lvm.PlaceSettings{"rule": {Rule: 9}, "neighbors": {Neighbors: -1}} {
		if _, err := lvm.NewPlacer(s, set); err == nil {
			t.Errorf("a wrong %s is taken", name)
		}
	}
	heavy := modeltest.Heavy(s)
	for name, c := range map[string]struct {
		s   *snapshot.Snapshot
		set lvm.PlaceSettings
	}{
		"em with heavy tails":        {heavy, lvm.PlaceSettings{Rule: lvm.EM}},
		"robust with Gaussian tails": {s, lvm.PlaceSettings{Rule: lvm.Robust}},
		"lle with Gaussian tails":    {s, lvm.PlaceSettings{Rule: lvm.LLE}},
	} {
		var setting *lvm.SettingError
		if _, err := lvm.NewPlacer(c.s, c.set); !errors.As(err, &setting) || setting.Name != "place" || !strings.Contains(err.Error(), "take auto") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, set := range map[string]lvm.PlaceSettings{"negative": {Received: -1}, "infinite": {Received: math.Inf(1)}} {
		if _, err := lvm.NewPlacer(heavy, set); err == nil {
			t.Errorf("a %s weight of edges is taken", name)
		}
	}
	if _, err := lvm.NewPlacer(s, lvm.PlaceSettings{Received: 1}); err == nil {
		t.Error("a weight of edges is taken with Gaussian tails")
	}
	bad := *s
	bad.NoveltyK = 1000
	if _, err := lvm.NewPlacer(&bad, lvm.PlaceSettings{}); !models.IsBadInput(err) {
		t.Errorf("a snapshot that does not fit: got %v", err)
	}
}
