package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/drift"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/reference"
	"unfold/stream/streamtest"
)

// watching returns settings of a monitored stream, and its reports.
func watching() (Settings, *reports) {
	s, r := quick(), &reports{}
	s.Min, s.Size, s.Drift = 600, 1200, drift.Settings{Window: 60, Neighbors: 5, Events: 10_000}
	s.Hooks.Drifted = r.add
	return s, r
}

// reports collects the reports passed to a hook.
type reports struct {
	mu  sync.Mutex
	all []stream.Drift
}

func (r *reports) add(d stream.Drift) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, d)
}

// last is the newest report, the zero value if there is none.
func (r *reports) last() (d stream.Drift) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.all); n > 0 {
		d = r.all[n-1]
	}
	return d
}

// Events like those of the map raise no alarm, others do. The next map records the alarm in its
// history. From then on, the newest events are compared with its points.
func TestDriftOfAStream(t *testing.T) {
	s, r := watching()
	s.RefreshEvery, s.RefreshNew = 20*time.Millisecond, 1e-9
	s.State = t.TempDir()
	rng := rand.New(rand.NewPCG(11, 3))
	l, offset, stop := started(t, s, rng, 4)
	offers := func(messages int, dim int) {
		for range messages {
			offer(t, l, message(t, rng, 10, dim, offset))
			offset++
		}
	}
	offers(20, 4)
	streamtest.Await(t, "200 events are looked at", func() bool { return r.last().Events >= 200 })
	if d := r.last(); d.Alarms > 0 || d.Window != 60 || d.Reference != 600 || d.Version != 1 || d.Bound == 0 || d.Skipped > 0 || d.Problem != "" {
		t.Errorf("events as before: %+v", d)
	}
	// All events are of one class, which makes up a third of the first map.
	one := func(messages int) {
		for range messages {
			for {
				m := message(t, rng, 1, 4, offset)
				if strings.Contains(string(m.Value), "class 2") {
					offer(t, l, m)
					offset++
					break
				}
			}
		}
	}
	one(150)
	streamtest.Await(t, "an alarm is raised", func() bool { return r.last().Alarms > 0 })
	streamtest.Await(t, "a map has it in its history", func() bool {
		return slices.ContainsFunc(l.publisher.statsSoFar(), func(f stream.Stats) bool { return f.Newest.Alarms > 0 })
	})
	one(80)
	streamtest.Await(t, "events are held against another map", func() bool { return r.last().Version > 1 })
	stop()
	all, err := ReadHistory(s.State)
	if err != nil {
		t.Fatal(err)
	}
	if f := all[len(all)-1].Newest; f.Events == 0 {
		t.Errorf("the saved history says %+v", f)
	}
}

// statsSoFar returns the statistics of the maps so far.
func (p *publisher) statsSoFar() history {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.history
}

// Events that arrive faster than they can be monitored are skipped and counted; placing never
// waits. Before the first map no comparison is possible, and events are not counted.
func TestDriftSkips(t *testing.T) {
	s, r := watching()
	w := newWatcher(s)
	x := vec.New[float32](queueWindows*60+7, 2)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64())
	}
	w.take(x)
	if d := w.stats(); d.Skipped != 0 || w.queue.Rows != 0 {
		t.Errorf("before the first map: %+v, %d events", d, w.queue.Rows)
	}
	w.published(&snapshot.Snapshot{Reference: x.Slice(0, 400), Version: 1, Dim: 2}, nil)
	next, _ := w.waiting()
	w.says(0, nil, w.draw(next)) // too few: reported, and used for the next map
	if d := r.last(); !strings.Contains(d.Problem, "400 reference events are too few") || w.drawn {
		t.Errorf("a map of 400 points: %+v", d)
	}
	w.published(&snapshot.Snapshot{Reference: vec.Of(2*x.Rows, 2, slices.Concat(x.Data, x.Data)), Version: 2, Dim: 2}, nil)
	w.take(x)
	w.take(x.Slice(0, 5))
	if d := w.stats(); d.Skipped != 12 || w.queue.Rows != queueWindows*60 {
		t.Errorf("%+v, and %d wait", d, w.queue.Rows)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.run(ctx) })
	streamtest.Await(t, "what waits is looked at", func() bool { return r.last().Events == queueWindows*60 })
	stop()
	wg.Wait()
	if d := r.last(); d.Version != 2 || d.Problem != "" || d.Window != 60 || len(d.Clusters) != 0 {
		t.Errorf("%+v", d)
	}
}

// With clusters, reports count the events in each cluster, by its stable id. An event belongs to
// the cluster of its nearest row. Rows that are not finite are left out.
func TestDriftWithinClusters(t *testing.T) {
	s, r := watching()
	w := newWatcher(s)
	rng := rand.New(rand.NewPCG(5, 2))
	rows := func(n, groups int) vec.Matrix[float32] {
		x := vec.New[float32](n, 2)
		for i := range n {
			x.Row(i)[0], x.Row(i)[1] = float32(rng.NormFloat64())+20*float32(i%groups), float32(rng.NormFloat64())
		}
		return x
	}
	x := rows(700, 2)
	set := clusters.Settings{MinSize: 100}
	old, _, err := identity.Follow(t.Context(), vec.Convert[float64](x.Slice(0, 350)), nil, nil, set, identity.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	none := slices.Repeat([]int32{-1}, x.Rows) // other points have other ids
	g, _, err := identity.Follow(t.Context(), vec.Convert[float64](x), old, none, set, identity.Settings{})
	if err != nil || len(g.ID) != 2 {
		t.Fatalf("%v, %d clusters", err, len(g.ID))
	}
	w.published(&snapshot.Snapshot{Reference: x, Version: 3, Dim: 2}, g)
	x = rows(61, 1)
	x.Data[10] = float32(math.NaN())
	w.take(x)
	next, queue := w.waiting()
	if err := w.draw(next); err != nil {
		t.Fatal(err)
	}
	looks, err := w.look(t.Context(), queue)
	w.says(queue.Rows, looks, err)
	d := r.last()
	if err != nil || len(d.Clusters) != 2 {
		t.Fatalf("%v, %+v", err, d)
	}
	for i, c := range d.Clusters {
		if c.Cluster != uint64(g.ID[i]) || c.Cluster <= uint64(max(old.ID[0], old.ID[1])) || c.Reference < 200 {
			t.Errorf("%+v, of %v after %v", c, g.ID, old.ID)
		}
	}
	left := d.Clusters[0].Window
	if d.Clusters[1].Window > left {
		left = d.Clusters[1].Window
	}
	if all := d.Clusters[0].Window + d.Clusters[1].Window; left != all || all < 50 {
		t.Errorf("events of one group are in %+v", d.Clusters)
	}
}

func TestDriftSettings(t *testing.T) {
	for want, change := range map[string]func(s *Settings){
		"policy coverage": func(s *Settings) { s.Policy = reference.Coverage },
		"window":          func(s *Settings) { s.Drift.Window = 7 },
		"events":          func(s *Settings) { s.Drift.Events = 1 << 40 },
	} {
		s, _ := watching()
		change(&s)
		if _, err := New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := New(quick()); err != nil {
		t.Error(err)
	}
}
