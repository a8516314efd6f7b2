package learn

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"unfold/ingest/table"
	"unfold/models/points"
	"unfold/stream/streamtest"
)

// supervisedBy returns settings of a learner whose maps are supervised by column kind.
func supervisedBy() Settings {
	s := classifying()
	s.Classify = false
	s.Spec.LVM.Student.Supervision = 1
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 1e-9
	return s
}

// mapLabels counts the labels with which the learner's map was learnt.
func mapLabels(t testing.TB, l *Learner) map[string]int {
	t.Helper()
	label, err := points.LabelsOf(l.current.Load().snapshot)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, name := range label {
		count[name]++
	}
	return count
}

// TestMapsByLabels: the first map, later maps, maps after a restart and maps learnt again use the
// labels of their points, also labels that come later.
func TestMapsByLabels(t *testing.T) {
	kind := func(centres []int) table.Column {
		out := make([]string, len(centres))
		for i, c := range centres {
			if i%2 == 0 {
				out[i] = []string{"low", "high"}[c]
			}
		}
		return table.StringColumn("kind", out)
	}
	for _, major := range []Major{MajorNever, MajorAlways} {
		t.Run(major.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(91, 1))
			s := supervisedBy()
			s.State, s.Major = t.TempDir(), major
			l := newLearner(t, s)
			stop := running(t, l)
			want := map[string]int{}
			send := func(rows int, offset int64) {
				m, centres := marked(t, rng, rows, offset, kind)
				for i, c := range centres {
					name := ""
					if i%2 == 0 {
						name = []string{"low", "high"}[c]
					}
					want[name]++
				}
				offer(t, l, m)
			}
			knows := func(what string) {
				t.Helper()
				streamtest.Await(t, what, func() bool {
					got := mapLabels(t, l)
					return got["low"] == want["low"] && got["high"] == want["high"] && got[""] == want[""]
				})
			}
			for offset := range int64(6) {
				send(12, offset)
			}
			waitReady(t, l)
			knows("the map knows the labels")
			send(20, 50)
			knows("the next map knows those that came")
			stop()
			l = newLearner(t, s)
			defer running(t, l)()
			send(20, 60)
			knows("a map after the restart knows all")
		})
	}
}

// TestStartKnowsLabels: a learner that starts from a map takes over its labels.
func TestStartKnowsLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 1))
	all := func(centres []int) table.Column {
		out := make([]string, len(centres))
		for i, c := range centres {
			out[i] = []string{"low", "high"}[c]
		}
		return table.StringColumn("kind", out)
	}
	l := newLearner(t, supervisedBy())
	stop := running(t, l)
	for offset := range int64(6) {
		m, _ := marked(t, rng, 12, offset, all)
		offer(t, l, m)
	}
	waitReady(t, l)
	stop()
	begun := l.current.Load().snapshot
	was, err := points.LabelsOf(begun)
	if err != nil || len(was) == 0 || slices.Contains(was, "") {
		t.Fatalf("%d labels, error %v", len(was), err)
	}
	s := supervisedBy()
	s.Start = begun
	l = newLearner(t, s)
	defer running(t, l)()
	m, _ := marked(t, rng, 20, 50, func([]int) table.Column { return table.Column{} })
	offer(t, l, m)
	streamtest.Await(t, "the next map knows the labels of the first", func() bool {
		got := mapLabels(t, l)
		return got["low"]+got["high"] == len(was) && got[""] == 20
	})
}
