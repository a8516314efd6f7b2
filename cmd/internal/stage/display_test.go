package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"unfold/cmd/internal/config"
	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/models"
	hdbscan "unfold/models/clusters"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/embed/embedtest"
	"unfold/stream/learn"
	"unfold/stream/streamtest"
	"unfold/stream/view"
)

// page returns a display whose health is always good.
func page() *display { return newDisplay(config.Defaults(), func() (string, error) { return "", nil }) }

// batch returns the decoded events of a message.
func batch(t *testing.T, rng *rand.Rand, offset int64, rows int) *embed.Events {
	t.Helper()
	return &embed.Events{Table: embedtest.Sample(t, rng, 1000*offset, rows), Position: stream.Position{TopicPartition: stream.TopicPartition{Topic: "in"}, Offset: offset}}
}

// bent returns a snapshot of the next version, in which each group has moved differently.
func bent(s *snapshot.Snapshot) *snapshot.Snapshot {
	next := *s
	next.Version++
	next.Mu = s.Mu.Clone()
	for i := range next.Mu.Rows {
		row := next.Mu.Row(i)
		row[0], row[1] = row[0]*1.1+row[1]*0.2+1, row[1]*0.9-row[0]*0.1
	}
	return &next
}

// ways moves places from any of a stage's maps to the last one, using only the places of map
// points.
type ways struct {
	maps  []*embed.Map
	moves []func(x, y float32) (float32, float32)
	bases shown
}

func (w *ways) add(m *embed.Map) {
	before := w.bases.base
	w.bases.base = w.bases.baseOf(m)
	if w.maps = append(w.maps, m); len(w.maps) > 1 {
		w.moves = append(w.moves, view.Carry(before, w.bases.base))
	}
}

// lead moves a place from the map of a version to the last map.
func (w *ways) lead(version uint64, x, y float32) (float32, float32) {
	for k, m := range w.maps[1:] {
		if m.Placer().Version() > version {
			x, y = w.moves[k](x, y)
		}
	}
	return x, y
}

// A page hears of the first map at once, not with the next second's status.
func TestTheFirstMapIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := page()
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { d.run(ctx) })
		defer work.Wait()
		defer stop()
		synctest.Wait() // the first status waits for events: later ones come with the tick
		r := d.hub.Join()
		defer r.Close()
		status := func() (s Status) {
			t.Helper()
			for {
				m, err := r.Next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				var said struct {
					Type   string
					Status Status
				}
				if m.Text && json.Unmarshal(m.Data, &said) == nil && said.Type == "status" {
					return said.Status
				}
			}
		}
		h := d.hooks()
		h.EventsIn(stream.TopicPartition{}, d.first)
		for status().Phase != "learning" {
		}
		at := time.Now()
		h.Published(&stream.Published{}, time.Second)
		if s := status(); s.Phase != "" || s.Detail != "" || s.Progress != 0 {
			t.Errorf("with a map, the status is %+v", s)
		}
		if took := time.Since(at); took > 0 {
			t.Errorf("it came after %v", took)
		}
	})
}

// Events are shown at the places to which later maps move them, however late they are placed:
// before a map exists, on it, or long after.
func TestLatePlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	d, w := page(), ways{bases: shown{seed: page().shown.seed}}
	s := embedtest.Fit(t, embedtest.Sample(t, rng, 0, 150), 20)
	placed := map[string]func() (x, y float32){}
	offset := int64(1)
	var all []*embed.Map
	place := func(m *embed.Map) {
		e := batch(t, rng, offset, 20)
		offset++
		if out, err := m.Place(t.Context(), []stream.Events{e}); err != nil || out[0].Err != nil {
			t.Fatal(err, out[0].Err)
		}
		o, err := m.Table(t.Context(), e.Table)
		if err != nil {
			t.Fatal(err)
		}
		for i := range o.Len() {
			at := o.Embedding.Row(i)
			placed[o.ID.Text(i)] = func() (x, y float32) { return w.lead(o.Version, at[0], at[1]) }
		}
	}
	for range 5 {
		m, err := embed.Open(s, embed.Settings{Watch: d, Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "event"}}})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Published(s, stream.Stats{})
		d.NewMap(&p)
		w.add(m)
		all = append(all, m)
		for _, old := range all { // a backlog of events on all maps so far
			place(old)
		}
		s = bent(s)
	}
	if len(placed) != 15*20 {
		t.Fatalf("%d events", len(placed))
	}
	for id, want := range placed {
		x, y := want()
		if got, _, there := d.hub.Point(id, 0); !there || got.X != x || got.Y != y {
			t.Errorf("event %s is shown at (%v, %v), want (%v, %v)", id, got.X, got.Y, x, y)
		}
	}
}

// After a change of epoch, events placed on the old map are not shown.
func TestLatePlacesOfAnotherMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 2))
	d := page()
	var maps []*embed.Map
	for range 2 {
		s := embedtest.Fit(t, embedtest.Sample(t, rng, 0, 60), 5)
		m, err := embed.Open(s, embed.Settings{Watch: d, Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "event"}}})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Published(s, stream.Stats{})
		d.NewMap(&p)
		maps = append(maps, m)
	}
	for i, m := range maps {
		if _, err := m.Place(t.Context(), []stream.Events{batch(t, rng, int64(i+1), 10)}); err != nil {
			t.Fatal(err)
		}
		if n := d.hub.Len(); n != 10*i {
			t.Errorf("%d points are shown after those of map %d", n, i+1)
		}
	}
}

// slow is a page that delays one partition behind the maps, and records the placements.
type slow struct {
	*display

	mu     sync.Mutex
	newMap sync.Cond
	ways   ways
	places map[string]place
	// held is the map version up to which the delayed partition has waited. left is the number of
	// its messages to come.
	held       uint64
	left, late int
}

// place is the place of an event on the map of a version.
type place struct {
	version uint64
	x, y    float32
}

func (s *slow) NewMap(p *stream.Published) {
	s.mu.Lock()
	s.ways.add(p.Map.(*embed.Map))
	s.mu.Unlock()
	s.display.NewMap(p)
	s.newMap.Broadcast()
}

func (s *slow) newest() uint64 { return s.ways.maps[len(s.ways.maps)-1].Placer().Version() }

// steady is the number of messages of partition 1 for each map. behind is the number of maps by
// which partition 0 lags.
const steady, behind = 10, 3

// Placed delays a message of partition 0 until there are newer maps. Partition 1, whose events
// cause new maps, sometimes waits for the next one.
func (s *slow) Placed(o *emit.Output, x vec.Matrix[float32], from stream.Position) {
	s.mu.Lock()
	switch {
	case from.Partition == 0:
		for s.newest() < o.Version+behind && s.left > 0 {
			s.newMap.Wait()
		}
		if s.newest() > o.Version {
			s.late++
		}
	case from.Offset%steady == 0 && from.Offset > 0:
		for s.newest() <= s.held {
			s.newMap.Wait()
		}
		s.held = s.newest()
	}
	for i := range o.Len() {
		at := o.Embedding.Row(i)
		s.places[o.ID.Text(i)] = place{o.Version, at[0], at[1]}
	}
	if from.Partition == 1 {
		if s.left--; s.left == 0 {
			s.newMap.Broadcast()
		}
	}
	s.mu.Unlock()
	s.display.Placed(o, x, from)
}

// messages is the number of messages of an overloaded stage, eventsOf the number of events in each.
const messages, eventsOf = 200, 10

// overloaded runs a stage that places one partition long after the next maps exist. done is called
// after the backlog, while the stage still runs.
func overloaded(t *testing.T, set learn.Settings, done func(s *slow, l *learn.Learner)) {
	t.Helper()
	s := &slow{display: page(), places: map[string]place{}, left: messages / 2}
	s.newMap.L = &s.mu
	s.ways.bases.seed = s.shown.seed
	shown := streamtest.Go(t, func(ctx context.Context) error { s.run(ctx); return nil })
	set.Watch, set.Hooks = s, s.hooks()
	l, err := learn.New(set)
	if err != nil {
		t.Fatal(err)
	}
	b := streamtest.NewBroker()
	b.CreateTopic("in", 2)
	b.CreateTopic("out", 1)
	p := &stream.Pipeline{Decoder: l, Learner: l, Settings: stream.Settings{BatchMessages: steady}}
	source, err := b.Source("in", "stage")
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	sink, err := b.Sink("out")
	if err != nil {
		t.Fatal(err)
	}
	p.Source, p.Sink = source, sink
	rng := rand.New(rand.NewPCG(44, 3))
	for k := range messages {
		value, err := emit.EncodeTable(embedtest.Sample(t, rng, int64(1000*k), eventsOf))
		if err != nil {
			t.Fatal(err)
		}
		b.Append("in", k%2, stream.Message{Value: value})
	}
	stage := streamtest.Go(t, p.Run)
	stage.Await("the backlog is over", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.places) == eventsOf*messages
	})
	// Events are offered to the learner after they are placed, so the last map has all events.
	stage.Await("the last map", func() bool { _, waiting := l.Seen(); return waiting == 0 })
	done(s, l)
	if err := stage.Stop(); err != nil {
		t.Error(err)
	}
	if err := shown.Stop(); err != nil {
		t.Error(err)
	}
	if s.late == 0 {
		t.Error("no message was late: the stage was not overloaded")
	}
}

// small returns the settings of a learner that refreshes permanently.
func small() learn.Settings {
	return learn.Settings{
		Spec: fit.Spec{Common: models.Common{Steps: 20, Seed: 1, Threads: 1}}, Min: 60, Size: 4000, RefreshEvery: time.Millisecond, RefreshNew: 0.01,
		Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "event"}}, Named: true, Limits: arrowfmt.Limits{},
	}
}

// A stage refreshes its map faster than it places events. After the backlog every event is shown at
// the place to which later maps move it.
func TestOverloaded(t *testing.T) {
	overloaded(t, small(), func(s *slow, _ *learn.Learner) {
		maps := map[uint64]bool{}
		for id, p := range s.places {
			maps[p.version] = true
			x, y := s.ways.lead(p.version, p.x, p.y)
			if got, _, there := s.hub.Point(id, 0); !there || got.X != x || got.Y != y {
				t.Errorf("event %s of version %d is shown at (%v, %v), want (%v, %v)", id, p.version, got.X, got.Y, x, y)
			}
		}
		t.Logf("%d messages of %d were late, on %d of %d maps", s.late, messages, len(maps), len(s.ways.maps))
	})
}

// Points placed before there were clusters, or on an older map, get the clusters of the current
// map.
func TestPointsGetTheirClusters(t *testing.T) {
	for _, rows := range []bool{false, true} {
		t.Run(fmt.Sprint("of rows: ", rows), func(t *testing.T) {
			set := small()
			set.Clusters, set.ClustersOfRows = hdbscan.Settings{MinSize: 40, MinSamples: 10}, rows
			overloaded(t, set, func(s *slow, l *learn.Learner) {
				g := l.Current().Map.(*embed.Map).Clusters()
				if len(g.ID) < 2 {
					t.Fatalf("the map has %d clusters", len(g.ID))
				}
				living := map[string]bool{noise: true}
				for _, id := range g.ID {
					living[clusterValue(id)] = true
				}
				streamtest.Await(t, "points are in the clusters of the map", func() bool {
					lives, none, as, expected := 0, 0, 0, 0 // expected in no cluster, by place
					for id := range s.places {
						p, _, _ := s.hub.Point(id, 0)
						of, _ := p.Values[emit.ClusterName].(string)
						if living[of] {
							lives++
						}
						if of == noise {
							none++
						}
						m, err := g.Predict(t.Context(), vec.Of(1, 2, []float32{p.X, p.Y}))
						if err != nil {
							continue
						}
						predicted := clusterValue(m.ID[0])
						if predicted == of {
							as++
						}
						if predicted == noise {
							expected++
						}
					}
					if rows {
						return lives == len(s.places) && none < len(s.places)/3
					}
					return lives == len(s.places) && none < expected+len(s.places)/20 && as > len(s.places)*95/100
				})
			})
		})
	}
}

// The centre of a cluster is the centre of its points on the current map. For a cluster that this
// map lacks, the last centre moves with the map.
func TestCentresFollow(t *testing.T) {
	before := view.Clusters{Living: []view.Cluster{{ID: "1", X: 1, Y: 1}, {ID: "2", X: 2, Y: 2}}}
	now := view.Clusters{Living: []view.Cluster{{ID: "1", X: 5, Y: 5}, {ID: "2", Missing: true, X: 7, Y: 7}, {ID: "3", Missing: true, X: 8, Y: 8}}}
	got := carried(now, before, func(x, y float32) (float32, float32) { return x + 10, y })
	for i, want := range []float32{5, 12, 8} {
		if got.Living[i].X != want {
			t.Errorf("cluster %d is at %v, want %v", i+1, got.Living[i].X, want)
		}
	}
}

// The page learns for how long no events have been read.
func TestQuiet(t *testing.T) {
	d, at := page(), time.Unix(1000, 0)
	d.heard = at
	before, now := tally{}, tally{read: 5}
	for _, c := range []struct{ seconds, want int }{{1, 0}, {31, 30}, {400, 399}} {
		if got := d.quiet(before, now, at.Add(time.Duration(c.seconds)*time.Second)); got != c.want {
			t.Errorf("after %d s the stage has been quiet for %d s, want %d", c.seconds, got, c.want)
		}
		before = now
	}
	if got := d.quiet(before, tally{read: 6}, at.Add(401*time.Second)); got != 0 {
		t.Errorf("after an event it has been quiet for %d s", got)
	}
}
