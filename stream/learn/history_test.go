package learn

import (
	"context"
	"math/rand/v2"
	"testing"

	"unfold/stream"
	"unfold/stream/embed"
)

// A history is bounded, reaches back to the beginning, and keeps all maps that were learnt from
// scratch.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	const maps, perEpoch, perMajor = 4500, 450, 90
	for v := uint64(1); v <= maps; v++ {
		before := len(h)
		f := stream.Stats{Version: v, Epoch: uint32(1 + (v-1)/perEpoch), Kind: "ordinary"}
		if v%perMajor == 0 {
			f.Kind = "major"
		}
		next := h.with(f)
		if len(h) != before || len(next) > maxHistory {
			t.Fatalf("version %d: %d stats", v, len(next))
		}
		h = next
	}
	if h[0].Version != 1 || h[len(h)-1].Version != maps || len(h) < maxHistory/2 {
		t.Errorf("%d stats from version %d to %d", len(h), h[0].Version, h[len(h)-1].Version)
	}
	begins, majors := 0, 0
	for i, f := range h {
		if i > 0 && f.Version <= h[i-1].Version {
			t.Fatalf("version %d after %d", f.Version, h[i-1].Version)
		}
		if (f.Version-1)%perEpoch == 0 {
			begins++
		}
		if f.Kind == "major" {
			majors++
		}
	}
	if majors != maps/perMajor {
		t.Errorf("%d of %d major refreshes are there", majors, maps/perMajor)
	}
	if begins != maps/perEpoch {
		t.Errorf("%d of %d epochs have their beginning", begins, maps/perEpoch)
	}
	// The last thousand are complete.
	if got := h[len(h)-maxHistory/4].Version; got != maps-maxHistory/4+1 {
		t.Errorf("the newest quarter begins at version %d", got)
	}
}

func TestReadHistory(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 1))
	s := quick()
	s.State = t.TempDir()
	l, next, stop := started(t, s, rng, 4)
	stop()
	for range 3 {
		offer(t, l, message(t, rng, 10, 4, next))
		next++
		if err := l.refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadHistory(s.State)
	if err != nil || len(got) != 4 || got[0].Kind != "first" || got[3].Version != 4 || got[3].Points != l.Current().Points {
		t.Errorf("%+v, %v", got, err)
	}
	f, known := embed.StatsOf(l.Snapshot())
	if !known || f.Version != 4 || f.Born != 10 || !(f.Diameter > 0) || !(f.Moves.P99 > 0) || f.LoglikPair == 0 || f.Events != 90 {
		t.Errorf("%+v", f)
	}
	if _, err := ReadHistory(t.TempDir()); err == nil {
		t.Error("a folder without a map has a history")
	}
	if err := Clear(s.State); err != nil || len(files(t, s.State)) != 0 {
		t.Errorf("%v, left: %d files", err, len(files(t, s.State)))
	}
}
