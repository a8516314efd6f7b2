package lvm_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

func TestNewPlacerRefuses(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 3, 60, 4, 0, 2)
	for name, set := range map[string]placing.Options{"rule": {Rule: 9}, "neighbors": {Neighbors: -1}} {
		if _, err := lvm.NewPlacer(s, set); err == nil {
			t.Errorf("a wrong %s is taken", name)
		}
	}
	heavy := modeltest.Heavy(s)
	for name, c := range map[string]struct {
		s   *snapshot.Snapshot
		set placing.Options
	}{
		"em with heavy tails":        {heavy, placing.Options{Rule: placing.EM}},
		"robust with Gaussian tails": {s, placing.Options{Rule: placing.Robust}},
		"lle with Gaussian tails":    {s, placing.Options{Rule: placing.LLE}},
	} {
		var setting *models.SettingError
		if _, err := lvm.NewPlacer(c.s, c.set); !errors.As(err, &setting) || setting.Name != "place" || !strings.Contains(err.Error(), "take auto") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, set := range map[string]placing.Options{"negative": {Received: -1}, "infinite": {Received: math.Inf(1)}} {
		if _, err := lvm.NewPlacer(heavy, set); err == nil {
			t.Errorf("a %s weight of edges is taken", name)
		}
	}
	if _, err := lvm.NewPlacer(s, placing.Options{Received: 1}); err == nil {
		t.Error("a weight of edges is taken with Gaussian tails")
	}
	bad := *s
	bad.NoveltyK = 1000
	if _, err := lvm.NewPlacer(&bad, placing.Options{}); !models.IsBadInput(err) {
		t.Errorf("a snapshot that does not fit: got %v", err)
	}
}
