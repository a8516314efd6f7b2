package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"unfold/ingest/emit"
	"unfold/models/clusters"
	"unfold/models/live"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/reference"
	"unfold/stream/streamtest"
	"unfold/stream/streamtest/formats"
)

// A stage that finds clusters keeps a pipeline's guarantees over restarts, at least once and
// exactly once, for messages of one event in each format. Every output has the columns.
func TestClustersInOtherFormats(t *testing.T) {
	for _, n := range formattest.Formats() {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			h := streamtest.MemoryHarness{Broker: streamtest.NewBroker()}
			var members atomic.Int64
			streamtest.TestPipelines(t, h, false, func(t *testing.T) streamtest.Kind {
				state, sink := t.TempDir(), &movesSink{}
				var plain atomic.Pointer[format.Decoder]
				k := formats.Kind(t, n, func(own formats.Stage) (stream.Decoder, stream.Learner, error) {
					s, err := withFormats(own)
					if err != nil {
						return nil, nil, err
					}
					d, err := format.NewDecoder(format.Decoding{Registry: own.Registry})
					if err != nil {
						return nil, nil, err
					}
					plain.Store(d)
					s.State, s.Min, s.RefreshEvery = state, 30, 5*time.Millisecond
					s.Clusters, s.Groups = clusters.Settings{MinSize: 8, MinSamples: 3}, sink
					if s.GroupsWriter, err = format.NewEncoder(format.Encoding{Registry: own.Registry, Topic: "groups"}); err != nil {
						return nil, nil, err
					}
					l, err := New(s)
					return l, l, err
				})
				same := k.Check
				k.Check = func(in, out *stream.Message) error {
					if err := same(in, out); err != nil {
						return err
					}
					e, err := plain.Load().DecodeNow(context.Background(), out)
					if err != nil {
						return err
					}
					for _, name := range []string{emit.ClusterName, emit.ClusterProbabilityName, emit.ClusterOutlierName} {
						c, there := e.Table.Column(name)
						if !there {
							return fmt.Errorf("columns %v", e.Table.Names())
						}
						if name == emit.ClusterName && c.Text(0) != "-1" {
							members.Add(1)
						}
					}
					return nil
				}
				return k
			})
			t.Cleanup(func() {
				if members.Load() == 0 {
					t.Error("no event was in a cluster")
				}
			})
		})
	}
}

// The topic of clusters is in the format of the events.
func TestTopicOfClustersInOtherFormats(t *testing.T) {
	for _, n := range formattest.Formats() {
		t.Run(string(n), func(t *testing.T) {
			own, sink := formats.Known(t, n), &movesSink{}
			s, err := withFormats(own)
			if err != nil {
				t.Fatal(err)
			}
			s.Groups, s.Clusters = sink, clusters.Settings{MinSize: 10, MinSamples: 3}
			if s.GroupsWriter, err = format.NewEncoder(format.Encoding{Registry: own.Registry, Topic: "groups"}); err != nil {
				t.Fatal(err)
			}
			l := newLearner(t, s)
			for id := range s.Min {
				offer(t, l, eventMessage(t, n, id))
			}
			if err := l.first(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := l.emitGroups(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found := l.Current().Stats.Clusters.Clusters; found < 2 || len(sink.messages) != found {
				t.Fatalf("%d messages of %d clusters", len(sink.messages), found)
			}
			plain, err := format.NewDecoder(format.Decoding{Registry: own.Registry})
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for _, m := range sink.messages {
				e, err := plain.DecodeNow(t.Context(), &m)
				if err != nil || e.Wire.Format != n || e.Table.Len() != 1 {
					t.Fatalf("%d rows in %s: %v", e.Table.Len(), e.Wire.Format, err)
				}
				if contentType, _ := m.Header(stream.HeaderContentType); string(contentType) != n.ContentType() {
					t.Errorf("content type %s", contentType)
				}
				if id := textOf(t, e.Table, "id"); id != string(m.Key) || textOf(t, e.Table, "event") != "born" || textOf(t, e.Table, "other") != "-1" {
					t.Errorf("cluster %s under the key %s: %s of %s", id, m.Key, textOf(t, e.Table, "event"), textOf(t, e.Table, "other"))
				}
				names := e.Table.Names()
				if n == format.JSON { // lists of text in JSON cannot be read as columns
					var object map[string]any
					if err := json.Unmarshal(m.Value, &object); err != nil {
						t.Fatal(err)
					}
					names = slices.Collect(maps.Keys(object))
				}
				for _, name := range []string{"name", "share", "first_seen", "last_seen", "medoids", "traits", "labels", "votes", "model_version"} {
					if !slices.Contains(names, name) {
						t.Errorf("there is no %s in %v", name, names)
					}
				}
				size := 0
				if _, err := fmt.Sscan(textOf(t, e.Table, "size"), &size); err != nil {
					t.Error(err)
				}
				total += size
			}
			if rows := l.Snapshot().Mu.Rows; total < rows/2 || total > rows {
				t.Errorf("clusters have %d of %d points", total, rows)
			}
		})
	}
}

// Ids are kept when the map is learnt from scratch, also in a new frame, over restarts, and after
// all points of the first map have been replaced.
func TestClustersOverMajors(t *testing.T) {
	for name, c := range map[string]struct {
		major Major
		frame live.MajorFrame
		kind  string
	}{
		"carried on":          {MajorNever, live.KeepFrame, "ordinary"},
		"learnt from nothing": {MajorAlways, live.KeepFrame, "refit"},
		"a new frame":         {MajorAuto, live.NewFrame, "major"},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(83, 1))
			s := grouped(t)
			s.RefreshEvery, s.Policy, s.Size, s.Major, s.Frame, s.Spec.Steps = time.Hour, reference.Window, 160, c.major, c.frame, 60
			s.Min = 80
			l := newLearner(t, s)
			offset := int64(0)
			more := func() {
				m, _ := around(t, rng, 40, offset)
				offset++
				offer(t, l, m)
			}
			for range 2 {
				more()
			}
			if err := l.first(t.Context()); err != nil {
				t.Fatal(err)
			}
			probe, of := around(t, rng, 40, 1000)
			before, _ := clustersOf(t, l, probe)
			var kinds []string
			for round := range 8 {
				more()
				if round == 4 {
					l.unsaved = true
					if err := l.saveReference(); err != nil {
						t.Fatal(err)
					}
					l = newLearner(t, s)
				}
				if err := l.refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, l.Current().Stats.Kind)
			}
			after, _ := clustersOf(t, l, probe)
			kept := 0
			for i := range of {
				if before[i] == after[i] && after[i] != "-1" {
					kept++
				}
			}
			if kept < 36 || !slices.Contains(kinds, c.kind) {
				t.Errorf("%d of 40 events are in the clusters that they were in after refreshes %v:\n%v\n%v", kept, kinds, before, after)
			}
			if f := l.Current().Stats.Clusters; f.Births != 2 || f.Deaths != 0 {
				t.Errorf("%+v", f)
			}
		})
	}
}
