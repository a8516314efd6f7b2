package learn

import (
	"math/rand/v2"
	"testing"
	"time"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// next makes a learner publish another map.
func next(t *testing.T, l *Learner, rng *rand.Rand, offset *int64) *stream.Published {
	t.Helper()
	before := l.Current().Version
	streamtest.Await(t, "another version", func() bool {
		offer(t, l, message(t, rng, 10, 5, *offset))
		*offset++
		return l.Current().Version > before
	})
	return l.Current()
}

// A map keeps its id through refreshes, epochs and restarts, and in a learner that starts from its
// snapshot. Another map has another id.
func TestOneMapOneID(t *testing.T) {
	for name, major := range map[string]Major{"carried on": MajorAuto, "learnt from nothing": MajorAlways} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(31, 1))
			sink := &movesSink{}
			s := quick()
			s.State, s.Major, s.RefreshEvery, s.Moves = t.TempDir(), major, 20*time.Millisecond, sink
			l, offset, stop := started(t, s, rng, 5)
			id := l.Current().MapID
			if err := snapshot.CheckMapID(id); err != nil {
				t.Fatal(err)
			}
			check := func(when string, l *Learner) {
				t.Helper()
				if p, s := l.Current(), l.Snapshot(); p.MapID != id || s.MapID != id {
					t.Errorf("%s: version %d is of the map %s, its snapshot of %s, want %s", when, p.Version, p.MapID, s.MapID, id)
				}
			}
			for l.Current().Version < 4 {
				next(t, l, rng, &offset)
				check("refreshed", l)
			}
			stop()
			sink.mu.Lock()
			for _, m := range sink.messages {
				if h, _ := m.Header(stream.HeaderMapID); string(h) != id {
					t.Fatalf("a move is of the map %q, want %s", h, id)
				}
			}
			sink.mu.Unlock()

			again := newLearner(t, s)
			check("restarted", again)
			stop = running(t, again)
			next(t, again, rng, &offset)
			check("restarted and refreshed", again)
			stop()

			from := s
			from.State, from.Start = t.TempDir(), again.Snapshot()
			third := newLearner(t, from)
			check("begun with the map", third)
			stop = running(t, third)
			next(t, third, rng, &offset)
			check("begun with the map and refreshed", third)
			stop()

			other := s
			other.State, other.RefreshEvery = t.TempDir(), time.Hour
			if l, _, _ := started(t, other, rng, 5); l.Current().MapID == id || l.Current().Version != 1 {
				t.Errorf("another map, version %d, has the same id", l.Current().Version)
			}
		})
	}
}

// mapIDOf returns the map id in a message's schema.
func mapIDOf(t *testing.T, value []byte) string {
	t.Helper()
	records, err := arrowfmt.DecodeMessage(value, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return records.MapID()
}

// The schema of an output holds the map id, so that two maps of one version differ in it.
func TestOutputsNameTheMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	l, offset, _ := started(t, quick(), rng, 5)
	m := message(t, rng, 4, 5, offset)
	value := place(t, l.Current(), decode(t, l, m))[0].Value
	if id := mapIDOf(t, value); id != l.Current().MapID || id == "" {
		t.Errorf("the output is of the map %q, want %q", id, l.Current().MapID)
	}
	if mapIDOf(t, m.Value) != "" {
		t.Error("an input is of a map")
	}
}

// A map from a state without ids has none until its next version.
func TestAnOldMapGetsAnID(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	s := quick()
	l, offset, stop := started(t, s, rng, 5)
	stop()
	old := *l.Snapshot()
	old.MapID = ""
	s.Start, s.State, s.RefreshEvery = &old, t.TempDir(), 20*time.Millisecond
	going := newLearner(t, s)
	p := going.Current()
	if p.MapID != "" || p.Version != 1 {
		t.Fatalf("it begins with version %d of the map %q", p.Version, p.MapID)
	}
	value := place(t, p, decode(t, going, message(t, rng, 4, 5, offset)))[0].Value
	if id := mapIDOf(t, value); id != "" || len(p.Headers()) != 1 {
		t.Errorf("an output of it is of the map %q, with the headers %v", id, p.Headers())
	}
	stop = running(t, going)
	defer stop()
	id := next(t, going, rng, &offset).MapID
	if err := snapshot.CheckMapID(id); err != nil {
		t.Error(err)
	}
	if again := next(t, going, rng, &offset).MapID; again != id {
		t.Errorf("the id was %s and is %s", id, again)
	}
}
