package learn

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/reference"
)

// named returns a message of events around two centres, labelled by the centre, or with the labels
// swapped.
func named(t *testing.T, rng *rand.Rand, rows int, offset int64, names [2]string) stream.Message {
	t.Helper()
	m, _ := marked(t, rng, rows, offset, func(centres []int) table.Column {
		kind := make([]string, rows)
		for i, c := range centres {
			kind[i] = names[c]
		}
		return table.StringColumn("kind", kind)
	})
	return m
}

// The map predicts labelled events before it learns from them. Known labels are correct. Swapped
// labels are counted as wrong until they have been learnt, also after a restart.
func TestVotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	s := quick()
	s.Mapping.Keep, s.Mapping.Label, s.State = nil, "kind", t.TempDir()
	s.Policy, s.Size, s.Min = reference.Window, 60, 60
	l := newLearner(t, s)
	stop := running(t, l)
	as, swapped := [2]string{"even", "odd"}, [2]string{"odd", "even"}
	next := int64(0)
	send := func(l *Learner, messages int, names [2]string) {
		t.Helper()
		for range messages {
			offer(t, l, named(t, rng, 10, next, names))
			next++
		}
	}
	send(l, 6, as)
	waitReady(t, l)
	stop()
	refresh := func(l *Learner, voted int, least, most float64) {
		t.Helper()
		if err := l.refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		f := l.Current().Stats
		if share := float64(f.Wrong) / float64(f.Voted); f.Voted != voted || share < least || share > most {
			t.Errorf("version %d: %d of %d votes are wrong, want %v to %v of %d", f.Version, f.Wrong, f.Voted, least, most, voted)
		}
	}
	if f := l.Current().Stats; f.Voted != 0 || f.Wrong != 0 {
		t.Errorf("the first map has been judged: %+v", f)
	}
	send(l, 3, as)
	refresh(l, 30, 0, .1)
	send(l, 6, swapped)
	refresh(l, 60, .9, 1)
	send(l, 2, swapped)
	refresh(l, 20, 0, .1)
	again := newLearner(t, s)
	was, is := l.current.Load(), again.current.Load()
	if !slices.Equal(was.classes, is.classes) || !slices.Equal(again.prequential.names, l.prequential.names) || len(is.classes) == 0 {
		t.Errorf("classes %v and names %v after a restart, before %v and %v", is.classes, again.prequential.names, was.classes, l.prequential.names)
	}
	send(again, 2, as)
	refresh(again, 20, .9, 1)
	got, err := ReadHistory(s.State)
	if err != nil || len(got) != 5 || got[4].Voted != 20 || got[2].Wrong < 54 {
		t.Errorf("history %+v, %v", got, err)
	}
}

// The sample is bounded and uniform, for messages of any sizes.
func TestVotesSample(t *testing.T) {
	const events, runs = 3000, 40
	first := 0
	for run := range runs {
		v := newPrequential(uint64(run))
		b := &ingest.Batch{X: vec.New[float32](events, 1)}
		classes := make([]int32, events)
		for i := range events {
			b.X.Row(i)[0] = float32(i)
			classes[i] = int32(i % 3)
		}
		classes[7] = noClass
		v.sample(b, classes)
		s := v.cut()
		if len(s.class) != mostVotes || s.x.Rows != mostVotes || v.came != 0 || v.kept.x.Rows != 0 {
			t.Fatalf("a sample of %d events, %d left", s.x.Rows, v.kept.x.Rows)
		}
		for i, k := range s.class {
			if at := int(s.x.Row(i)[0]); at == 7 || k != int32(at%3) {
				t.Fatalf("event %d has class %d", at, k)
			} else if at < events/2 {
				first++
			}
		}
	}
	// Half of them come from the first half; their number has a standard deviation of about 82.
	if want := runs * mostVotes / 2; first < want-500 || first > want+500 {
		t.Errorf("%d of %d sampled events are of the first half", first, runs*mostVotes)
	}
	v := newPrequential(1)
	for i := range mostClasses + 5 {
		want := int32(i)
		if i >= mostClasses {
			want = noClass
		}
		if k := v.class(string(rune('a'+i%26)) + string(rune(0x4e00+i))); k != want {
			t.Fatalf("label %d is class %d", i, k)
		}
	}
	if v.class("") != noClass || v.class(string(make([]byte, labelBytes+1))) != noClass {
		t.Error("no label, or one of any length, is a class")
	}
}

func TestMajority(t *testing.T) {
	class := []int32{5, 6, 6, 5, 7}
	for _, c := range []struct {
		near []int32
		want int32
	}{{[]int32{0}, 5}, {[]int32{4, 1, 2}, 6}, {[]int32{1, 0, 3, 2}, 6}, {[]int32{0, 1, 2, 3}, 5}, {[]int32{4, 0, 1}, 7}} {
		if got := majority(c.near, class); got != c.want {
			t.Errorf("%v vote for %d, want %d", c.near, got, c.want)
		}
	}
}

// The notes of a set are kept as far as the settings still ask for them.
func TestRenote(t *testing.T) {
	for _, c := range []struct {
		moves, label bool
		want         []float32 // -1: unknown
	}{{true, true, []float32{3, 4, 1}}, {true, false, []float32{3, 4}}, {false, true, []float32{1}}, {false, false, nil}} {
		s := Settings{}
		if c.label {
			s.Mapping.Label = "kind"
		}
		if c.moves {
			s.Moves = nowhere{}
		}
		l := &Learner{set: s, intake: &intake{prequential: newPrequential(1)}, publisher: &publisher{}}
		v := reference.Saved{X: vec.New[float32](1, 1), Notes: vec.Of(1, 3, []float32{3, 4, 1})}
		l.renote(&v, &set{setHeader: setHeader{Labels: []string{"a", "b"}}}, 9)
		if !slices.Equal(v.Notes.Data, c.want) || (l.movesEpoch == 9) == c.moves {
			t.Errorf("moves %v, labels %v: notes %v, epoch of moves %d", c.moves, c.label, v.Notes.Data, l.movesEpoch)
		}
		if c.label != reflect.DeepEqual(l.prequential.names, []string{"a", "b"}) {
			t.Errorf("labels %v: %v", c.label, l.prequential.names)
		}
	}
}

type nowhere struct{}

func (nowhere) Write(context.Context, []stream.Message) error { return nil }
func (nowhere) Close() error                                  { return nil }
