package learn

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
)

// around returns a message of events around centres, and the centre of each event.
func around(t *testing.T, rng *rand.Rand, rows int, offset int64) (m stream.Message, of []int) {
	m, _ = marked(t, rng, rows, offset, func(centres []int) table.Column {
		of = centres
		return table.Int64Column("centre", make([]int64, len(centres)))
	})
	return m, of
}

// grouped returns settings of a learner that finds clusters.
func grouped(t *testing.T) Settings {
	s := quick()
	s.Mapping.Keep = nil
	s.Clusters = clusters.Settings{MinSize: 30, MinSamples: 10}
	s.Min = 120
	s.State = t.TempDir()
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 0.3
	return s
}

// clustersOf places a message and returns the clusters of its events.
func clustersOf(t testing.TB, l *Learner, m stream.Message) (ids []string, text string) {
	t.Helper()
	out, text := answer(t, l, m)
	for _, name := range []string{emit.ClusterName, emit.ClusterProbabilityName, emit.ClusterOutlierName} {
		if _, there := out.Column(name); !there {
			t.Fatalf("columns %v", out.Names())
		}
	}
	c, _ := out.Column(emit.ClusterName)
	return c.Strings(), text
}

// waitBeyond waits for a newer map.
func waitBeyond(t testing.TB, l *Learner, version uint64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); l.Current().Version <= version; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the map is still version %d", version)
		}
	}
}

// TestClusters: events of two centres are in two clusters, which keep their ids over refreshes and
// restarts. A snapshot in a file gives the same bytes as the learner.
func TestClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	s := grouped(t)
	published := make(chan *stream.Published, 1000)
	s.Hooks.Published = func(p *stream.Published, _ time.Duration) { published <- p }
	l := newLearner(t, s)
	stop := running(t, l)
	offset := int64(0)
	more := func() {
		m, _ := around(t, rng, 20, offset)
		offset++
		offer(t, l, m)
	}
	for range 6 {
		more()
	}
	waitReady(t, l)
	first := <-published
	if f := first.Stats.Clusters; f.Clusters != 2 || f.Born != 2 || f.Births != 2 {
		t.Fatalf("the first map has %+v", f)
	}
	probe, of := around(t, rng, 40, 1000)
	before, _ := clustersOf(t, l, probe)
	for range 5 {
		version := l.Current().Version
		for range 4 {
			more()
		}
		waitBeyond(t, l, version)
	}
	stop()
	after, text := clustersOf(t, l, probe)
	right := 0
	for i := range of {
		if before[i] == after[i] && after[i] != "-1" && (after[i] == after[slices.Index(of, of[i])]) {
			right++
		}
	}
	if right < 36 {
		t.Errorf("%d of 40 events are in the clusters that they were in:\n%v\n%v", right, before, after)
	}
	if g := l.current.Load().at.Clusters(); g.State.Last > 4 {
		t.Errorf("ids up to %d were given for two clusters", g.State.Last)
	}
	t.Run("restart", func(t *testing.T) {
		again := s
		again.Hooks.Published = nil
		l := newLearner(t, again)
		if _, same := clustersOf(t, l, probe); same != text {
			t.Error("the same event is placed otherwise after a restart")
		}
		if g := l.current.Load().at.Clusters(); g == nil || g.Memory.Rows() == 0 {
			t.Error("what points remember is gone")
		}
	})
	t.Run("file", func(t *testing.T) {
		snap, err := snapshot.ReadFile(filepath.Join(s.State, MapFile))
		if err != nil {
			t.Fatal(err)
		}
		for of, set := range map[string]embed.Settings{"embedder": s.Placing(), "file": {Mapping: s.Mapping, Classes: embed.ClassesNever}} {
			m, err := embed.Open(snap, set)
			if err != nil {
				t.Fatal(err)
			}
			p := m.Published(snap, stream.Stats{})
			out := place(t, &p, decode(t, l, probe))[0]
			if out.Err != nil || string(out.Value) != text {
				t.Errorf("%s: other bytes, %v", of, out.Err)
			}
		}
		g, err := identity.Open(snap, 1)
		if err != nil || len(g.ID) != 2 {
			t.Fatalf("%v, or other clusters", err)
		}
	})
	t.Run("without", func(t *testing.T) {
		none := s
		none.Clusters = clusters.Settings{}
		none.Hooks.Published = nil
		out, _ := answer(t, newLearner(t, none), probe)
		if _, there := out.Column(emit.ClusterName); there {
			t.Errorf("columns %v", out.Names())
		}
	})
}

// TestClustersOfAnOldState: a map from a state without clusters has empty cluster columns. The next
// map has clusters.
func TestClustersOfAnOldState(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	s := grouped(t)
	set := s.Clusters
	s.Clusters = clusters.Settings{}
	l := newLearner(t, s)
	stop := running(t, l)
	for k := range int64(6) {
		m, _ := around(t, rng, 20, k)
		offer(t, l, m)
	}
	waitReady(t, l)
	stop()
	s.Clusters = set
	l = newLearner(t, s)
	probe, _ := around(t, rng, 10, 1000)
	out, _ := answer(t, l, probe)
	c, _ := out.Column(emit.ClusterName)
	p, _ := out.Column(emit.ClusterProbabilityName)
	if v, _ := p.Float(0); slices.ContainsFunc(c.Strings(), func(id string) bool { return id != "-1" }) || !math.IsNaN(v) {
		t.Errorf("clusters %v, probability %v", c.Strings(), v)
	}
	stop = running(t, l)
	version := l.Current().Version
	for k := int64(6); k < 10; k++ {
		m, _ := around(t, rng, 20, k)
		offer(t, l, m)
	}
	waitBeyond(t, l, version)
	stop()
	if ids, _ := clustersOf(t, l, probe); slices.Contains(ids, "0") || !slices.Contains(ids, "1") {
		t.Errorf("clusters %v", ids)
	}
}

// TestClustersAreAskedFor: where a stage is started again with clusters, or with others, the next map
// has them, although no event comes. With the same settings the map stays.
func TestClustersAreAskedFor(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 1))
	s := grouped(t)
	asked := s.Clusters
	s.Clusters = clusters.Settings{}
	l := newLearner(t, s)
	stop := running(t, l)
	for k := range int64(6) {
		m, _ := around(t, rng, 20, k)
		offer(t, l, m)
	}
	waitReady(t, l)
	stop()
	probe, _ := around(t, rng, 10, 1000)
	other := asked
	other.MinSize--
	for name, set := range map[string]clusters.Settings{"first": asked, "others": other} {
		s.Clusters, s.RefreshEvery = set, 10*time.Millisecond
		l = newLearner(t, s)
		version := l.Current().Version
		stop = running(t, l)
		waitBeyond(t, l, version)
		stop()
		if ids, _ := clustersOf(t, l, probe); slices.Contains(ids, "0") || !slices.Contains(ids, "1") {
			t.Errorf("%s: clusters %v", name, ids)
		}
		if again := newLearner(t, s); again.due() {
			t.Errorf("%s: the clusters of the state are sought again", name)
		}
	}
}

// TestClusterSettings: settings that cannot be met are an error at the start.
func TestClusterSettings(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Settings)
		want   string
	}{
		"one point": {func(s *Settings) { s.Clusters.MinSize = 1 }, "at least 2 points"},
		"no size":   {func(s *Settings) { s.Clusters = clusters.Settings{MinSamples: 3} }, "a least number of points"},
		"in use":    {func(s *Settings) { s.Mapping.Keep = []string{"cluster"} }, `"cluster" cannot be kept`},
	} {
		s := grouped(t)
		c.change(&s)
		if _, err := New(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
