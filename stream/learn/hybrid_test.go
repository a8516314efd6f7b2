package learn

import (
	"math/rand/v2"
	"testing"
	"time"

	"unfold/ingest/table"
	"unfold/models/classic/hybrid"
	"unfold/models/fit"
	"unfold/stream/streamtest"
)

// oneSpace returns settings of a learner whose maps are of vectors and labels of column kind.
func oneSpace() Settings {
	s := quick()
	s.Mapping.Keep, s.Mapping.Label, s.Classify, s.Probabilities, s.LogLik = nil, "kind", true, true, true
	s.Spec.Kind = fit.GPLVM
	s.Spec.GPLVM.Supervision, s.Spec.GPLVM.Active = 1, 8
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, .3
	return s
}

// A learner learns maps of vectors and labels. Their own classifier predicts the classes of events
// without a label: after the first map, after a map that was learnt again and moved onto the first,
// and with the same bytes after a restart. An initial map is used unchanged, and its labels are
// used to learn the next map.
func TestMapsOfVectorsAndLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 1))
	s := oneSpace()
	s.State = t.TempDir()
	l, stop, published := begun(t, rng, &s)
	m, truth := labelled(t, rng, 40, 50)
	check := func(l *Learner, when string) (text string) {
		t.Helper()
		right, text := judgeClasses(t, l, m, truth)
		out, _ := answer(t, l, m)
		likely, there := out.Column("loglik")
		if n := sharesOf(t, out); right < 36 || n != 40 || !there || likely.IsNull(0) {
			t.Errorf("%s: %d of 40 right, %d with the probabilities of two classes, columns %v", when, right, n, out.Names())
		}
		if !hybrid.Is(l.Snapshot()) {
			t.Errorf("%s: the map is not one of vectors and labels", when)
		}
		return text
	}
	check(l, "the first map")
	first := l.Snapshot()
	if p := <-published; p.Stats.Classes.Classes != 2 {
		t.Errorf("%+v", p.Stats.Classes)
	}
	for offset := range int64(4) {
		more, _ := labelled(t, rng, 10, 60+offset)
		offer(t, l, more)
	}
	streamtest.Await(t, "the map is learnt again", func() bool { return l.Snapshot().Version > first.Version })
	stop()
	before := check(l, "after a refresh")
	if _, moved := l.Snapshot().Part("labels.frame"); !moved {
		t.Error("the classifier was not moved with the map")
	}
	again := newLearner(t, s)
	if check(again, "after a restart") != before {
		t.Error("after a restart the bytes differ")
	}
	if again.pool != nil {
		t.Error("events are collected for a classifier that is not learnt")
	}

	s = oneSpace()
	s.Start = first
	l = newLearner(t, s)
	defer running(t, l)()
	check(l, "a map to start with")
	for offset := range int64(4) {
		bare, _ := marked(t, rng, 10, 80+offset, func(c []int) table.Column { return table.StringColumn("kind", make([]string, len(c))) })
		offer(t, l, bare)
	}
	streamtest.Await(t, "the next map", func() bool { return l.Snapshot().Version > first.Version })
	check(l, "a map learnt by the labels of the one before")
}

// A learner of such maps needs a column of labels.
func TestMapsOfVectorsAndLabelsNeedLabels(t *testing.T) {
	s := oneSpace()
	s.Mapping.Label, s.Classify, s.Probabilities = "", false, false
	if _, err := New(s); err == nil {
		t.Error("maps of vectors and labels without a column of labels are accepted")
	}
}
