package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/streamtest"
)

// marked returns a message of events around two centres. label computes a column from their
// centres; without one the message lacks the column.
func marked(t testing.TB, rng *rand.Rand, rows int, offset int64, label func(centres []int) table.Column) (stream.Message, []int) {
	t.Helper()
	x, ids, centre := vec.New[float32](rows, 3), make([]int64, rows), make([]int, rows)
	for i := range rows {
		ids[i], centre[i] = 1000*offset+int64(i), rng.IntN(2)
		for k := range 3 {
			x.Row(i)[k] = float32(rng.NormFloat64()) + 8*float32(centre[i])
		}
	}
	columns := []table.Column{table.Int64Column("event", ids)}
	if c := label(centre); c.Valid() {
		columns = append(columns, c)
	}
	records, err := table.NewTable(table.Origin{}, append(columns, table.VectorColumn("v", x))...)
	if err != nil {
		t.Fatal(err)
	}
	v, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return stream.Message{TopicPartition: tp, Offset: offset, Value: v}, centre
}

// classifying returns settings of a learner that predicts the classes of column kind.
func classifying() Settings {
	s := quick()
	s.Mapping.Keep, s.Mapping.Label, s.Classify = nil, "kind", true
	return s
}

// classesOf returns the predicted classes of a message's events.
func classesOf(t testing.TB, l *Learner, m stream.Message) []string {
	t.Helper()
	out, _ := answer(t, l, m)
	class, ok := out.Column("class")
	if !ok {
		t.Fatalf("columns %v", out.Names())
	}
	return class.Strings()
}

// A label is the text of a column of any type. NaN is no label, and a message may lack the column.
func TestLabelsOfEveryType(t *testing.T) {
	number := func(c int) float64 { return []float64{7, 2.5}[c] }
	for what, c := range map[string]struct {
		names [2]string
		of    func(centres []int) table.Column
	}{
		"int": {[2]string{"7", "8"}, func(centres []int) table.Column {
			out := make([]int64, len(centres))
			for i, c := range centres {
				out[i] = int64(7 + c)
			}
			return table.Int64Column("kind", out)
		}},
		"bool": {[2]string{"false", "true"}, func(centres []int) table.Column {
			out := make([]bool, len(centres))
			for i, c := range centres {
				out[i] = c == 1
			}
			return table.BoolColumn("kind", out)
		}},
		"float with NaN": {[2]string{"7", "2.5"}, func(centres []int) table.Column {
			out := make([]float64, len(centres))
			for i, c := range centres {
				if out[i] = number(c); i%2 == 0 {
					out[i] = math.NaN()
				}
			}
			return table.Float64Column("kind", out)
		}},
		"dictionary": {[2]string{"a", "b"}, func(centres []int) table.Column {
			out := make([]string, len(centres))
			for i, c := range centres {
				if i%2 == 1 {
					out[i] = string(rune('a' + c))
				}
			}
			return ingesttest.Dictionary(t, "kind", out)
		}},
		"text, some empty": {[2]string{"a", "b"}, func(centres []int) table.Column {
			out := make([]string, len(centres))
			for i, c := range centres {
				if i%2 == 1 {
					out[i] = string(rune('a' + c))
				}
			}
			return table.StringColumn("kind", out)
		}},
	} {
		t.Run(what, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(81, 1))
			l := newLearner(t, classifying())
			defer running(t, l)()
			for offset := range int64(6) {
				m, _ := marked(t, rng, 12, offset, c.of)
				offer(t, l, m)
			}
			waitReady(t, l)
			m, centres := marked(t, rng, 40, 50, func([]int) table.Column { return table.Column{} })
			mostlyRight(t, classesOf(t, l, m), c.names, centres)
		})
	}
}

// Labels may come later, in messages with another schema and with events that are sent again.
func TestLabelsComeLater(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	s := classifying()
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 1e-9
	l := newLearner(t, s)
	defer running(t, l)()
	without := func([]int) table.Column { return table.Column{} }
	with := func(centres []int) table.Column {
		out := make([]string, len(centres))
		for i, c := range centres {
			out[i] = []string{"low", "high"}[c]
		}
		return table.StringColumn("kind", out)
	}
	for offset := range int64(6) {
		m, _ := marked(t, rng, 12, offset, without)
		offer(t, l, m)
	}
	waitReady(t, l)
	m, centres := marked(t, rng, 30, 50, without)
	for _, class := range classesOf(t, l, m) {
		if class != "" {
			t.Fatalf("class %q before any label came", class)
		}
	}
	later, _ := marked(t, rng, 30, 51, with)
	offer(t, l, later)
	streamtest.Await(t, "there are classes", func() bool { return l.Current().Stats.Classes.Classes == 2 })
	mostlyRight(t, classesOf(t, l, m), [2]string{"low", "high"}, centres)
}

// mostlyRight fails the test unless nine of ten classes match the centres.
func mostlyRight(t testing.TB, classes []string, names [2]string, centres []int) {
	t.Helper()
	right := 0
	for i, class := range classes {
		if class == names[centres[i]] {
			right++
		}
	}
	if right*10 < 9*len(centres) {
		t.Errorf("%d of %d right", right, len(centres))
	}
}

// A label column of event numbers is reported as an error, and the map has no classes.
func TestTooManyLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 1))
	s := classifying()
	s.Min = 200
	var mu sync.Mutex
	var failed error
	s.Hooks.RefreshFailed = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = err
	}
	l := newLearner(t, s)
	defer running(t, l)()
	event := int64(0)
	ids := func(centres []int) table.Column {
		out := make([]int64, len(centres))
		for i := range out {
			event++
			out[i] = event
		}
		return table.Int64Column("kind", out)
	}
	for offset := range int64(10) {
		m, _ := marked(t, rng, 20, offset, ids)
		offer(t, l, m)
	}
	waitReady(t, l)
	m, _ := marked(t, rng, 5, 50, ids)
	for _, class := range classesOf(t, l, m) {
		if class != "" {
			t.Errorf("class %q", class)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{`column "kind"`, "200 classes", "at most 128"} {
		if failed == nil || !strings.Contains(failed.Error(), want) {
			t.Errorf("%v does not say %q", failed, want)
		}
	}
	if f := l.Current().Stats.Classes; f.Classes != 0 || f.Labelled != 200 {
		t.Errorf("%+v", f)
	}
}

// Sites are kept from one map to the next: training starts from those of its events and converges
// in fewer sweeps.
func TestClassesKeepUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(84, 1))
	s := classifying()
	s.Min, s.Size = 360, 1000
	s.RefreshEvery, s.RefreshNew, s.Major = 5*time.Millisecond, 1e-9, MajorNever
	l := newLearner(t, s)
	defer running(t, l)()
	mostly := func(centres []int) table.Column { // one label in five is wrong
		out := make([]int64, len(centres))
		for i, c := range centres {
			if out[i] = int64(c); rng.IntN(5) == 0 {
				out[i] = int64(1 - c)
			}
		}
		return table.Int64Column("kind", out)
	}
	for offset := range int64(6) {
		m, _ := marked(t, rng, 60, offset, mostly)
		offer(t, l, m)
	}
	waitReady(t, l)
	first := l.Current().Stats.Classes
	if first.Classes != 2 || first.Used != 360 || first.Warm != 0 || first.Took <= 0 || first.Labelled != 360 || first.Behind != 0 {
		t.Fatalf("%+v", first)
	}
	for offset := range int64(4) {
		m, _ := marked(t, rng, 4, 60+offset, mostly)
		version := l.Current().Version
		offer(t, l, m)
		streamtest.Await(t, "there is another map", func() bool { return l.Current().Version > version })
		f := l.Current().Stats.Classes
		if f.Warm != 360+4*int(offset) || f.Used != f.Warm+4 || f.Labelled != uint64(f.Used) || f.Sweeps >= first.Sweeps {
			t.Errorf("map %d: %+v after %+v", l.Current().Version, f, first)
		}
	}
}

// stuck is a placer that blocks, once armed, until it is released.
type stuck struct {
	models.Placer
	armed         bool
	entered, free chan struct{}
}

func (s *stuck) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if s.armed {
		close(s.entered)
		<-s.free
	}
	return s.Placer.Place(ctx, x)
}

// While classes are learnt, incoming events are placed on the previous map and wait for the next
// refresh.
func TestClassesHoldUpNobody(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 1))
	l := newLearner(t, classifying())
	defer running(t, l)()
	for offset := range int64(6) {
		m, _ := labelled(t, rng, 12, offset)
		offer(t, l, m)
	}
	waitReady(t, l)
	cur := l.current.Load()
	s, set := *cur.snapshot, l.set.Placing()
	slow := &stuck{Placer: cur.at.Placer(), entered: make(chan struct{}), free: make(chan struct{})}
	set.Open = func(*snapshot.Snapshot) (models.Placer, error) { return slow, nil }
	at, err := embed.Open(&s, set)
	if err != nil {
		t.Fatal(err)
	}
	slow.armed = true
	next := &published{Published: cur.Published, snapshot: &s, at: at.WithClasses(cur.at.Classes())}
	done := make(chan error)
	go func() { done <- l.learnClasses(t.Context(), next) }()
	<-slow.entered
	m, truth := labelled(t, rng, 30, 70)
	offer(t, l, m)
	if right, _ := judgeClasses(t, l, m, truth); right < 27 {
		t.Errorf("%d of 30 right meanwhile", right)
	}
	close(slow.free)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if f := next.Stats.Classes; f.Behind != 10 || f.Classes != 2 {
		t.Errorf("%+v", f)
	}
}
