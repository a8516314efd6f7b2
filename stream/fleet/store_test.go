package fleet_test

import (
	"testing"
	"time"

	"unfold/models/snapshot"
	"unfold/stream/fleet"
	"unfold/stream/store"
	"unfold/stream/store/storetest"
)

// While the store is unreachable the learner retries and the followers keep their map. Once the
// store is back, the newest map arrives.
func TestStoreAway(t *testing.T) {
	server := storetest.StartS3(t)
	w := newWorld(t)
	remote, err := store.Open(t.Context(), server.URL("maps"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remote.Close() })
	w.store = remote
	p, done := w.publisher("a")
	f := w.follower()
	p.Offer(storetest.Snapshot(1, 10))
	w.noted("installed 1", 1)
	server.Stop()
	p.Offer(storetest.Snapshot(2, 10))
	w.noted("retrying store", 1)
	if p.Failing() == nil {
		t.Error("the learner does not say that it fails")
	}
	if s := f.Status(); s.Serving.Version != 1 || s.Problem != nil {
		t.Errorf("the follower stands at %v", s)
	}
	p.Offer(storetest.Snapshot(3, 10))
	server.Start()
	w.await("the newest is in use", func() bool { return f.Status().Serving.Version == 3 })

	// Announced, and away before it is fetched.
	late, err := fleet.NewFollower(fleet.FollowerSettings{Name: "fleet", Store: remote, Topic: w.topic.reader(), RetryMin: time.Millisecond, Hooks: w.hooks()})
	if err != nil {
		t.Fatal(err)
	}
	server.Stop()
	w.tasks.Go(func() {
		if err := late.Run(w.ctx, func(*snapshot.Snapshot) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	w.await("it says that there is no store", func() bool { return late.Status().Problem != nil })
	if s := late.Status(); s.Serving.Map() {
		t.Errorf("without the store it stands at %v", s)
	}
	server.Start()
	w.await("it has the map", func() bool { s := late.Status(); return s.Serving.Version == 3 && s.Problem == nil })
	select {
	case err := <-done:
		t.Errorf("the learner ended: %v", err)
	default:
	}
}
