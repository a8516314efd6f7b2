package learn

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// labelled returns a message of events around two centres, with a label on every third.
func labelled(t *testing.T, rng *rand.Rand, rows int, offset int64) (stream.Message, []string) {
	t.Helper()
	truth := make([]string, rows)
	m, _ := marked(t, rng, rows, offset, func(centres []int) table.Column {
		kind := make([]string, rows)
		for i, c := range centres {
			if truth[i] = []string{"even", "odd"}[c]; i%3 == 0 {
				kind[i] = truth[i]
			}
		}
		return table.StringColumn("kind", kind)
	})
	return m, truth
}

// answer returns the predictions for a message's events.
func answer(t testing.TB, l *Learner, m stream.Message) (out *table.Table, text string) {
	t.Helper()
	o := place(t, l.Current(), decode(t, l, m))[0]
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	out, err := arrowfmt.DecodeMessage(o.Value, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return out, string(o.Value)
}

// judgeClasses places a message and compares the predicted classes with the true ones.
func judgeClasses(t *testing.T, l *Learner, m stream.Message, truth []string) (right int, text string) {
	t.Helper()
	out, text := answer(t, l, m)
	class, ok := out.Column("class")
	probability, there := out.Column("class_probability")
	if !ok || !there || probability.DataType() != "float32" {
		t.Fatalf("columns %v", out.Names())
	}
	for i, c := range class.Strings() {
		if p, _ := probability.Float(i); c == truth[i] && p > 0.5 && p <= 1 {
			right++
		}
	}
	return right, text
}

// sharesOf checks that a message has the columns of all classes' probabilities, and returns how many rows
// have those of both classes.
func sharesOf(t *testing.T, out *table.Table) (rows int) {
	t.Helper()
	c, ok := out.Column(emit.ClassProbabilitiesName)
	entropy, there := out.Column(emit.ClassEntropyName)
	if !ok || !there || entropy.DataType() != "float32" {
		t.Fatalf("columns %v", out.Names())
	}
	for i := range out.Len() {
		if text := c.Text(i); !c.IsNull(i) && strings.Contains(text, "even") && strings.Contains(text, "odd") {
			rows++
		}
	}
	return rows
}

// begun starts a learner, offers it 60 events of two kinds, some with a label, and waits for its
// first map.
func begun(t *testing.T, rng *rand.Rand, s *Settings) (l *Learner, stop func(), published chan *stream.Published) {
	t.Helper()
	published = make(chan *stream.Published, 100)
	s.Hooks.Published = func(p *stream.Published, _ time.Duration) { published <- p }
	l = newLearner(t, *s)
	stop = running(t, l)
	for offset := range int64(6) {
		m, _ := labelled(t, rng, 10, offset)
		offer(t, l, m)
	}
	waitReady(t, l)
	return l, stop, published
}

// Events without a label get a class, with the probabilities of all, after a refresh too, and after a
// restart the same.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	s := quick()
	s.Mapping.Keep, s.Mapping.Label, s.Classify, s.Probabilities = nil, "kind", true, true
	s.State = t.TempDir()
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 0.3
	l, stop, published := begun(t, rng, &s)
	m, truth := labelled(t, rng, 40, 50)
	if right, _ := judgeClasses(t, l, m, truth); right < 36 {
		t.Errorf("%d of 40 right", right)
	}
	out, _ := answer(t, l, m)
	if n := sharesOf(t, out); n != 40 {
		t.Errorf("%d of 40 events have the probabilities of two classes", n)
	}
	for len(published) > 0 {
		<-published
	}
	for offset := range int64(4) {
		more, _ := labelled(t, rng, 10, 60+offset)
		offer(t, l, more)
	}
	select {
	case <-published:
	case <-time.After(streamtest.Patience):
		t.Fatal("no refresh")
	}
	stop()
	right, before := judgeClasses(t, l, m, truth)
	if right < 36 {
		t.Errorf("%d of 40 right after a refresh", right)
	}
	again := newLearner(t, s)
	if _, after := judgeClasses(t, again, m, truth); after != before {
		t.Error("after a restart the bytes differ")
	}
	if again.pool.Len() == 0 || again.pool.Len() > l.pool.Len() {
		t.Errorf("%d labelled events after a restart, %d before", again.pool.Len(), l.pool.Len())
	}
}

// Before the first label the classes are empty. Duplicate columns and a missing label column are
// refused.
func TestNoClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 1))
	s := quick()
	s.Mapping.Keep, s.Mapping.Label, s.Classify, s.Probabilities = nil, "nothing", true, true
	l := newLearner(t, s)
	stop := running(t, l)
	defer stop()
	for offset := range int64(6) {
		labels, _ := labelled(t, rng, 10, offset)
		in, err := arrowfmt.DecodeMessage(labels.Value, table.Origin{}, arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		event, _ := in.Column("event")
		v, _ := in.Column("v")
		empty, err := table.NewTable(table.Origin{}, event, table.StringColumn("nothing", make([]string, 10)), v)
		if err != nil {
			t.Fatal(err)
		}
		if labels.Value, err = emit.EncodeTable(empty); err != nil {
			t.Fatal(err)
		}
		offer(t, l, labels)
		if offset == 5 {
			waitReady(t, l)
			if right, _ := judgeClasses(t, l, labels, make([]string, 10)); right != 0 {
				t.Error("an empty class has a probability")
			}
			out, _ := answer(t, l, labels)
			if n := sharesOf(t, out); n != 0 {
				t.Errorf("%d events have probabilities, and there is no class", n)
			}
		}
	}
	for want, change := range map[string]func(s *Settings){
		"name the column": func(s *Settings) { s.Mapping.Label = "" },
		"rename it":       func(s *Settings) { s.Mapping.Label = "class" },
		"class_entropy":   func(s *Settings) { s.Mapping.Keep = []string{"class_entropy"} },
	} {
		bad := s
		change(&bad)
		if _, err := New(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
