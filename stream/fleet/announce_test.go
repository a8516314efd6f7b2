package fleet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/fleet"
	"unfold/stream/store/storetest"
)

// Embedders place events on the map that a learner announces, whether they were started before or
// after the announcement.
func TestMapsArrive(t *testing.T) {
	w := newWorld(t)
	early := w.follower()
	if s := early.Status(); s.Serving.Map() || s.Problem != nil {
		t.Errorf("before all it stands at %v", s)
	}
	p, _ := w.publisher("a")
	if p.Last().Map() {
		t.Errorf("nothing was announced before, yet there is %v", p.Last())
	}
	for v := uint64(1); v <= 5; v++ {
		p.Offer(storetest.Snapshot(v, 10))
		w.await("it is in use", func() bool { s := early.Status(); return s.Serving.Version == v && s.Problem == nil })
	}
	late := w.follower()
	w.await("a late one begins with the newest", func() bool { return late.Status().Serving.Version == 5 })
	if n := w.count("installed 4"); n != 1 {
		t.Errorf("version 4 was installed %d times: a late one should not take it", n)
	}
	w.await("the store keeps the newest three", func() bool {
		all, err := w.store.List(t.Context(), "fleet")
		return err == nil && len(all) == 3 && all[0].Version == 3
	})
	a := p.Last()
	if a.Learner != "a" || a.Points != 10 || a.Dim != 3 || a.Dims != 2 || a.Kind != "lvm" || a.Generation == 0 || time.Since(a.At) > time.Hour {
		t.Errorf("the announcement is %+v", a)
	}
}

// If a new map is bad, a follower keeps the current one, reports the problem, and installs the next
// good map.
func TestBadMapsAreRefused(t *testing.T) {
	w := newWorld(t)
	p, _ := w.publisher("a")
	f := w.follower(4)
	p.Offer(storetest.Snapshot(1, 10))
	w.noted("installed 1", 1)

	damaged := storetest.Snapshot(2, 10)
	o, err := w.store.Put(t.Context(), "fleet", damaged)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := w.bucket.ReadAll(t.Context(), o.Key)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(whole)
	bad[len(bad)/2] ^= 1
	if err := w.bucket.WriteAll(t.Context(), o.Key, bad, nil); err != nil {
		t.Fatal(err)
	}
	p.Offer(damaged) // it is there already, so it is announced as it is
	w.noted("refused 2: damaged", 1)
	s := f.Status()
	if s.Serving.Version != 1 || s.Newest.Version != 2 || s.Problem == nil || !strings.Contains(s.String(), "map version 1, although version 2 was announced") {
		t.Errorf("it stands at %v", s)
	}

	wide := storetest.Snapshot(3, 10)
	wide.Mu.Cols, wide.Mu.Rows = 1, 10
	wide.Mu.Data = wide.Mu.Data[:10]
	p.Offer(wide)
	w.noted("refused 3: dimension", 1)
	p.Offer(storetest.Snapshot(4, 10))
	w.noted("refused 4: unusable", 1)
	p.Offer(storetest.Snapshot(5, 10))
	w.noted("installed 5", 1)
	if s := f.Status(); s.Problem != nil || s.Serving.Version != 5 {
		t.Errorf("with a good one it stands at %v", s)
	}
	for _, version := range []string{"2", "3", "4"} {
		if w.count("installed "+version) > 0 {
			t.Errorf("version %s was installed", version)
		}
	}
}

// An announcement whose size, checksum or dimensions do not fit the object is refused.
func TestLyingAnnouncements(t *testing.T) {
	w := newWorld(t)
	w.follower()
	o, err := w.store.Put(t.Context(), "fleet", storetest.Snapshot(1, 10))
	if err != nil {
		t.Fatal(err)
	}
	base := fleet.Of(storetest.Snapshot(1, 10), o)
	base.Format, base.Name, base.Generation = fleet.Format, "fleet", 1
	announce := func(change func(a *fleet.Announcement)) {
		a := base
		change(&a)
		m, err := a.Message()
		if err != nil {
			t.Fatal(err)
		}
		w.topic.write(m)
	}
	announce(func(a *fleet.Announcement) { a.Dim = 4 })
	w.noted("refused 1: dimension", 1)
	announce(func(a *fleet.Announcement) { a.Version = 2 })
	w.noted("refused 2: damaged", 1)
	announce(func(a *fleet.Announcement) { a.Version, a.Key = 3, "fleet/nothing.unfold" })
	w.noted("refused 3: missing", 1)
	announce(func(a *fleet.Announcement) {})
	w.noted("installed 1", 1)
	announce(func(a *fleet.Announcement) { a.Version, a.Generation = 9, 0 })
	w.noted("malformed 4", 1)
}

// If the object holds another map than the announced one, which the map's id shows, it is refused.
// Old announcements and objects have no ids and are still accepted.
func TestAnotherMapThanAnnounced(t *testing.T) {
	w := newWorld(t)
	f := w.follower()
	const mine, other = "00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"
	announce := func(version uint64, holds, says string) {
		t.Helper()
		s := storetest.Snapshot(version, 10)
		s.MapID = holds
		o, err := w.store.Put(t.Context(), "fleet", s)
		if err != nil {
			t.Fatal(err)
		}
		a := fleet.Of(s, o)
		a.Format, a.Name, a.Generation, a.MapID = fleet.Format, "fleet", 1, says
		m, err := a.Message()
		if err != nil {
			t.Fatal(err)
		}
		w.topic.write(m)
	}
	announce(1, "", "")
	w.noted("installed 1", 1)
	announce(2, mine, mine)
	w.noted("installed 2", 1)
	if a := f.Status().Serving; a.MapID != mine || !strings.Contains(a.String(), mine) {
		t.Errorf("it serves %v of the map %q", a, a.MapID)
	}
	announce(3, other, mine)
	w.noted("refused 3: unusable", 1)
	announce(4, mine, "not an id")
	w.noted("malformed 3", 1)
	announce(5, mine, "")
	w.noted("installed 5", 1)
}

// A follower without a map installs an older announced map if the newest cannot be used.
func TestFallsBackAtStart(t *testing.T) {
	w := newWorld(t)
	p, _ := w.publisher("a")
	for v := uint64(1); v <= 3; v++ {
		p.Offer(storetest.Snapshot(v, 10))
		w.noted(strings.Replace("announced N", "N", string(rune('0'+v)), 1), 1)
	}
	if err := w.bucket.WriteAll(t.Context(), p.Last().Key, []byte("nonsense"), nil); err != nil {
		t.Fatal(err)
	}
	f := w.follower(2)
	w.noted("installed 1", 1)
	if w.count("refused 3: damaged") != 1 || w.count("refused 2: unusable") != 1 {
		t.Error("the newer ones were not tried")
	}
	if s := f.Status(); s.Problem == nil || s.Newest.Version != 3 {
		t.Errorf("it stands at %v, and says nothing of it", s)
	}
	p.Offer(storetest.Snapshot(4, 10))
	w.await("the next is in use", func() bool { s := f.Status(); return s.Serving.Version == 4 && s.Problem == nil })
}

// Messages that are no announcements are counted and skipped, both at the start and later.
func TestMalformedAnnouncements(t *testing.T) {
	w := newWorld(t)
	junk := func() {
		for _, text := range []string{"", "{", `{"format":1}`, `{"format":2,"name":"fleet","generation":1}`, `{"format":1,"name":"other","generation":1}`,
			`{"format":1,"name":"fleet","generation":1,"version":7,"key":"x","bytes":1,"sha256":"00"}`, `[1]`} {
			w.topic.write(stream.Message{Key: []byte("fleet"), Value: []byte(text)})
		}
		w.topic.write(stream.Message{Key: []byte("somebody else"), Value: []byte("not for us")})
		w.topic.write(stream.Message{Key: []byte("fleet")}) // a tombstone
	}
	junk()
	p, _ := w.publisher("a")
	f := w.follower()
	p.Offer(storetest.Snapshot(1, 10))
	w.noted("installed 1", 1)
	junk()
	p.Offer(storetest.Snapshot(2, 10))
	w.await("the next is in use", func() bool { return f.Status().Serving.Version == 2 })
	for offset, want := range map[string]int{"0": 2, "6": 2, "7": 0, "8": 0} {
		if n := w.count("malformed " + offset); n != want { // learner and follower
			t.Errorf("message %s was malformed for %d of the two", offset, n)
		}
	}
}

// When a second learner starts, the first one ends with an error that names its successor, and its
// announcements no longer count.
func TestSecondLearner(t *testing.T) {
	w := newWorld(t)
	first, ended := w.publisher("first")
	f := w.follower()
	first.Offer(storetest.Snapshot(1, 10))
	w.noted("installed 1", 1)
	second, going := w.publisher("second")
	w.await("the first learner ends", func() bool { return len(ended) > 0 })
	if err := <-ended; !errors.Is(err, stream.ErrFenced) || !strings.Contains(err.Error(), "second") || !strings.Contains(err.Error(), "stop one of the two") {
		t.Errorf("the first ends with %v", err)
	}
	if a := second.Last(); a.Version != 1 {
		t.Errorf("the second begins behind %v", a)
	}
	second.Offer(storetest.Snapshot(2, 10))
	w.await("the second's map is in use", func() bool { return f.Status().Serving.Version == 2 })
	if n := w.count("installed 1"); n != 1 {
		t.Errorf("version 1 was installed %d times", n)
	}
	select {
	case err := <-going:
		t.Errorf("the second ends with %v", err)
	default:
	}
}

// A learner that was suspended while another one took over is refused, and its earlier writes do
// not count.
func TestZombie(t *testing.T) {
	w := newWorld(t)
	asleep := newTopic() // the suspended learner reads nothing from it
	writer := w.topic.take()
	zombie, err := fleet.Take(w.ctx, fleet.PublisherSettings{Name: "fleet", Learner: "zombie", Store: w.store, Topic: asleep.reader(), Writer: writer, Hooks: w.hooks()})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	w.tasks.Go(func() { done <- zombie.Run(w.ctx) })
	second, _ := w.publisher("second")
	second.Offer(storetest.Snapshot(5, 10))
	w.noted("announced 5", 1)
	zombie.Offer(storetest.Snapshot(6, 10))
	if err := <-done; !errors.Is(err, stream.ErrFenced) {
		t.Errorf("the zombie ends with %v", err)
	}
	if w.count("announced 6") > 0 {
		t.Error("the zombie has announced")
	}
	// Even if the write succeeds, followers ignore announcements of an older generation.
	f := w.follower()
	w.await("the second's map is in use", func() bool { return f.Status().Serving.Version == 5 })
	o, err := w.store.Put(t.Context(), "fleet", storetest.Snapshot(6, 10))
	if err != nil {
		t.Fatal(err)
	}
	a := fleet.Of(storetest.Snapshot(6, 10), o)
	a.Format, a.Name, a.Generation = fleet.Format, "fleet", 1
	value, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	w.topic.write(stream.Message{Key: []byte("fleet"), Value: value})
	second.Offer(storetest.Snapshot(7, 10))
	w.noted("installed 7", 1)
	if w.count("installed 6") > 0 {
		t.Error("an announcement of an older learner counts")
	}
}

// While the broker is unavailable only the newest map waits to be announced; the ones between are
// skipped.
func TestBrokerAway(t *testing.T) {
	w := newWorld(t)
	p, _ := w.publisher("a")
	f := w.follower()
	p.Offer(storetest.Snapshot(1, 10))
	w.noted("installed 1", 1)
	w.topic.fail(errors.New("away"))
	p.Offer(storetest.Snapshot(2, 10))
	w.noted("retrying announce", 3)
	if p.Failing() == nil {
		t.Error("it does not say that it fails")
	}
	p.Offer(storetest.Snapshot(3, 10))
	p.Offer(storetest.Snapshot(4, 10))
	// After another retry, every attempt begun before map 4 was offered has failed.
	w.noted("retrying announce", w.count("retrying announce")+1)
	w.topic.fail(nil)
	w.await("the newest is in use", func() bool { return f.Status().Serving.Version == 4 })
	w.await("all is well", func() bool { return p.Failing() == nil })
	if w.count("announced 3") > 0 {
		t.Error("a map that was followed by another at once was announced")
	}
}

func TestSettings(t *testing.T) {
	w := newWorld(t)
	good := fleet.PublisherSettings{Name: "fleet", Store: w.store, Topic: w.topic.reader(), Writer: w.topic.take()}
	for name, spoil := range map[string]func(*fleet.PublisherSettings){
		"no store": func(s *fleet.PublisherSettings) { s.Store = nil }, "no writer": func(s *fleet.PublisherSettings) { s.Writer = nil },
		"bad name": func(s *fleet.PublisherSettings) { s.Name = "a/b" }, "one version": func(s *fleet.PublisherSettings) { s.Keep = 1 },
		"pauses": func(s *fleet.PublisherSettings) { s.RetryMin, s.RetryMax = 2, 1 },
	} {
		s := good
		spoil(&s)
		if _, err := fleet.Take(t.Context(), s); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if _, err := fleet.NewFollower(fleet.FollowerSettings{Name: "fleet", Store: w.store}); err == nil {
		t.Error("a follower without a topic is made")
	}
}
