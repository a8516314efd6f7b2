package learn

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/live"
	"unfold/sparse/distance"
	"unfold/stream"
	"unfold/stream/reference"
)

// ofRows returns settings of a learner that finds clusters among rows.
func ofRows(t *testing.T) Settings {
	s := grouped(t)
	s.ClustersOfRows, s.RefreshEvery, s.Policy, s.Min, s.Size = true, time.Hour, reference.Window, 80, 160
	s.Clusters = clusters.Settings{MinSize: 12, MinSamples: 4}
	return s
}

// asFound fails unless the clusters of the newest map's rows equal those that Find finds, with the
// number of events as copies.
func asFound(t *testing.T, l *Learner) {
	t.Helper()
	cur := l.current.Load()
	x, copies := cur.snapshot.Reference, copiesOf(cur.snapshot.Count, l.set.Clusters)
	set := l.set.Clusters
	set.Distance = l.set.Spec.Distance
	got, of, err := l.publisher.tree.Follow(t.Context(), x, copies, upTo(x.Rows))
	if err != nil {
		t.Fatal(err)
	}
	var all []int32
	for i, n := range copies {
		all = append(all, slices.Repeat([]int32{int32(i)}, int(n))...)
	}
	want, err := clusters.Find(t.Context(), vec.Take(x, all), set)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(of, all) || !slices.Equal(got.Core2, want.Core2) || !slices.Equal(got.Label, want.Label) || !slices.Equal(got.Probability, want.Probability) || !slices.Equal(got.Outlier, want.Outlier) {
		t.Fatalf("map version %d, %s: other clusters than Find has:\n%v\n%v", cur.Version, cur.Stats.Kind, got.Label, want.Label)
	}
	// The published clusters were made from these, apart from ids and selection.
	again, _, err := identity.NameRows(want, x, all, nil, nil, set, identity.Settings{Favour: -1})
	if err != nil {
		t.Fatal(err)
	}
	g := cur.at.Clusters()
	if !g.OfRows() || g.Points() != again.Points() || g.Memory.Rows() != x.Rows {
		t.Fatalf("the map has %d points in %d rows, want %d in %d", g.Points(), g.Memory.Rows(), again.Points(), x.Rows)
	}
}

// renamed returns a message's value with other ids, from first.
func renamed(t *testing.T, value []byte, first int64) []byte {
	t.Helper()
	r, err := arrowfmt.DecodeMessage(value, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int64, r.Len())
	for i := range ids {
		ids[i] = first + int64(i)
	}
	columns := []table.Column{table.Int64Column("event", ids)}
	for _, c := range r.Columns() {
		if c.Name() != "event" {
			columns = append(columns, c)
		}
	}
	if r, err = table.NewTable(table.Origin{}, columns...); err != nil {
		t.Fatal(err)
	}
	out, err := emit.EncodeTable(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestClustersOfRows: the clusters of the stage equal those that Find finds among the current rows,
// and the two clusters of the events keep their ids. Events are added, repeated, changed and
// deleted, with refreshes of every kind, new components and restarts.
func TestClustersOfRows(t *testing.T) {
	for name, change := range map[string]func(s *Settings){
		"carried on": func(s *Settings) { s.Major = MajorNever },
		"majors":     func(s *Settings) {},
		"components": func(s *Settings) { s.Spec.PCA = 2 },
		"by another distance": func(s *Settings) {
			s.Mapping.Metric, s.Spec.Distance, s.Spec.PCA = ingest.Manhattan, distance.Manhattan, 0
		},
		"learnt from nothing": func(s *Settings) { s.Major = MajorAlways },
		"a new frame":         func(s *Settings) { s.Frame = live.NewFrame },
		"nothing is kept":     func(s *Settings) { s.State = "" },
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(84, 1))
			s := ofRows(t)
			change(&s)
			l := newLearner(t, s)
			offset := int64(0)
			var sent []stream.Message
			more := func(rows int) {
				m, _ := around(t, rng, rows, offset)
				offset++
				sent = append(sent, m)
				offer(t, l, m)
			}
			more(40)
			more(40)
			if err := l.first(t.Context()); err != nil {
				t.Fatal(err)
			}
			asFound(t, l)
			probe, _ := around(t, rng, 40, 1000)
			before, _ := clustersOf(t, l, probe)
			for round := range 8 {
				more(25)
				// The same vectors again with other ids, and one deletion.
				offer(t, l, stream.Message{TopicPartition: tp, Offset: offset, Value: renamed(t, sent[rng.IntN(len(sent))].Value, 1000*offset)})
				offset++
				offer(t, l, stream.Message{TopicPartition: tp, Offset: offset, Key: fmt.Append(nil, 1000*(offset-2)+3)})
				offset++
				if round == 4 && s.State != "" {
					l.unsaved = true
					if err := l.saveReference(); err != nil {
						t.Fatal(err)
					}
					l = newLearner(t, s)
				}
				if err := l.refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				asFound(t, l)
			}
			if cur := l.current.Load(); cur.at.Clusters().Points() <= cur.snapshot.Mu.Rows {
				t.Errorf("%d points of %d rows: no event came twice", cur.at.Clusters().Points(), cur.snapshot.Mu.Rows)
			}
			after, text := clustersOf(t, l, probe)
			kept := 0
			for i := range before {
				if before[i] == after[i] && after[i] != "-1" {
					kept++
				}
			}
			if kept < 30 {
				t.Errorf("%d of 40 events are in the clusters that they were in:\n%v\n%v", kept, before, after)
			}
			if s.State != "" {
				if _, same := clustersOf(t, newLearner(t, s), probe); same != text {
					t.Error("the same event is placed otherwise after a restart")
				}
			}
		})
	}
}

// TestCopies: a row counts once per event, within bounds.
func TestCopies(t *testing.T) {
	set := clusters.Settings{MinSize: 50}
	for name, c := range map[string]struct{ counts, want []uint32 }{
		"alone":    {[]uint32{1, 1, 0}, []uint32{1, 1, 1}},
		"a few":    {[]uint32{3, 1, 1}, []uint32{3, 1, 1}},
		"many":     {append([]uint32{1000}, make([]uint32, 99)...), append([]uint32{50}, slices.Repeat([]uint32{1}, 99)...)},
		"too many": {[]uint32{1000, 9, 1, 1}, []uint32{3, 3, 1, 1}},
		"all":      {[]uint32{9, 9, 9}, []uint32{2, 2, 2}},
	} {
		if got := copiesOf(c.counts, set); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestClustersOfRowsAfterARestart: a restarted learner assigns the same ids as one without a
// restart.
func TestClustersOfRowsAfterARestart(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 1))
	s := ofRows(t)
	l := newLearner(t, s)
	for k := range int64(2) {
		m, _ := around(t, rng, 40, k)
		offer(t, l, m)
	}
	if err := l.first(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.unsaved = true
	if err := l.saveReference(); err != nil {
		t.Fatal(err)
	}
	without := l
	l = newLearner(t, s)
	m, _ := around(t, rng, 30, 7)
	var groups [2]*identity.Groups
	for k, l := range []*Learner{l, without} {
		offer(t, l, m)
		if err := l.refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		groups[k] = l.current.Load().at.Clusters()
	}
	if a, b := groups[0], groups[1]; !reflect.DeepEqual(a.Matched, b.Matched) {
		t.Errorf("with a restart\n%+v\nand without\n%+v", a.State, b.State)
	}
}
