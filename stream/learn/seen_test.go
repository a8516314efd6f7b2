package learn

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/stream/streamtest"
)

// Points of a map are kept until the map is published, which may take seconds because of its
// classes.
func TestSeenWhileAMapIsReleased(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	s := quick()
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 0.01
	var learner atomic.Pointer[Learner]
	var releases, early atomic.Int64
	s.Open = func(m *snapshot.Snapshot) (models.Placer, error) {
		if l := learner.Load(); l != nil {
			releases.Add(1)
			if _, waiting := l.Seen(); waiting == 0 {
				early.Add(1)
			}
		}
		return fit.Open(m, placing.Options{})
	}
	l := newLearner(t, s)
	learner.Store(l)
	stop := running(t, l)
	defer stop()
	for offset := range int64(12) {
		offer(t, l, message(t, rng, 10, 5, offset))
	}
	waitReady(t, l)
	streamtest.Await(t, "all points are on the newest map", func() bool {
		_, waiting := l.Seen()
		return waiting == 0
	})
	if releases.Load() == 0 || early.Load() > 0 {
		t.Errorf("of %d maps %d counted as published while they were released", releases.Load(), early.Load())
	}
}

// Offsets begin again when a topic was created again. Its events are taken, and those of other
// topics are not taken twice.
func TestTopicCreatedAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	l := newLearner(t, quick())
	stop := running(t, l)
	defer stop()
	for offset := range int64(12) {
		offer(t, l, message(t, rng, 10, 5, offset))
	}
	waitReady(t, l)
	next := func() int64 {
		seen, _ := l.Seen()
		if len(seen) == 0 {
			return 0
		}
		return seen[0].Offset
	}
	offer(t, l, message(t, rng, 10, 5, 3))
	l.CreatedAgain("another")
	if n := next(); n != 12 {
		t.Fatalf("an event that was seen before: the next offset is %d, want 12", n)
	}
	l.CreatedAgain(tp.Topic)
	offer(t, l, message(t, rng, 10, 5, 0))
	if n := next(); n != 1 {
		t.Errorf("the next offset is %d, want 1", n)
	}
}
