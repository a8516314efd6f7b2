package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/stream"
	"unfold/stream/streamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick returns settings for fast learning: these tests check the steps, not the map's quality.
func quick() Settings {
	return Settings{
		Spec: fit.Spec{Common: models.Common{Steps: 20, Seed: 1, Threads: 1}}, Min: 60, Size: 200, RefreshEvery: time.Hour,
		Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "event", Keep: []string{"class"}}},
	}
}

// value returns a message of rows events of three classes in dim dimensions.
func value(t testing.TB, rng *rand.Rand, rows, dim int, first int64) []byte {
	t.Helper()
	x := vec.New[float32](rows, dim)
	ids, class := make([]int64, rows), make([]string, rows)
	for i := range rows {
		c := rng.IntN(3)
		ids[i], class[i] = first+int64(i), fmt.Sprint("class ", c)
		for k := range dim {
			x.Row(i)[k] = float32(rng.NormFloat64()) + 6*float32(c*(k%2))
		}
	}
	records, err := table.NewTable(table.Origin{}, table.Int64Column("event", ids), table.StringColumn("class", class), table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	v, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var tp = stream.TopicPartition{Topic: "in"}

func message(t testing.TB, rng *rand.Rand, rows, dim int, offset int64) stream.Message {
	return stream.Message{TopicPartition: tp, Offset: offset, Value: value(t, rng, rows, dim, 100*offset)}
}

func newLearner(t testing.TB, s Settings) *Learner {
	t.Helper()
	l, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// running runs a learner until the returned function is called.
func running(t testing.TB, l *Learner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := l.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(stop)
	return stop
}

func decode(t testing.TB, l *Learner, m stream.Message) stream.Events {
	t.Helper()
	e, err := l.Decode(m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func offer(t testing.TB, l *Learner, m stream.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), streamtest.Patience)
	defer cancel()
	if err := l.Offer(ctx, decode(t, l, m)); err != nil {
		t.Fatal(err)
	}
}

func waitReady(t testing.TB, l *Learner) {
	t.Helper()
	select {
	case <-l.Ready():
	case <-time.After(streamtest.Patience):
		t.Fatalf("no map after %v", streamtest.Patience)
	}
}

// started returns a learner with its first map, and a function that stops it.
func started(t testing.TB, s Settings, rng *rand.Rand, dim int) (*Learner, int64, func()) {
	t.Helper()
	l := newLearner(t, s)
	stop := running(t, l)
	offset := int64(0)
	for ; 10*offset < int64(l.set.Min); offset++ {
		offer(t, l, message(t, rng, 10, dim, offset))
	}
	waitReady(t, l)
	return l, offset, stop
}

func place(t testing.TB, p *stream.Published, e ...stream.Events) []stream.Outcome {
	t.Helper()
	out, err := p.Map.Place(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFirstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := quick()
	var versions []uint64
	s.Hooks.Published = func(p *stream.Published, _ time.Duration) { versions = append(versions, p.Version) }
	l, next, stop := started(t, s, rng, 5)
	defer stop()
	p := l.Current()
	if p.Version != 1 || p.Epoch != 1 || p.Points != 60 || len(versions) != 1 {
		t.Fatalf("published %+v", p)
	}
	snap := l.Snapshot()
	if len(snap.Positions) != 1 || snap.Positions[0].Offset != next || len(snap.Encoder) == 0 {
		t.Errorf("positions %v", snap.Positions)
	}
	m := message(t, rng, 7, 5, next)
	out := place(t, p, decode(t, l, m))
	got, err := arrowfmt.DecodeMessage(out[0].Value, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"id", "class", "embedding", "sigma", "novelty_local", "novelty_global", "map_epoch", "model_version"}; fmt.Sprint(got.Names()) != fmt.Sprint(want) || got.Len() != 7 {
		t.Errorf("%d rows of %v", got.Len(), got.Names())
	}
	if id, _ := got.Column("id"); id.Text(6) != fmt.Sprint(100*next+6) {
		t.Errorf("id %s", id.Text(6))
	}
	if e, _ := got.Column("embedding"); e.DataType() != "fixed_size_list<float32>[2]" {
		t.Errorf("embedding is %s", e.DataType())
	}
}

// A message gives the same bytes, whatever messages are placed with it.
func TestPlaceIsPure(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	l, next, stop := started(t, quick(), rng, 5)
	defer stop()
	var messages []stream.Message
	var want [][]byte
	for i := range 8 {
		m := message(t, rng, i, 5, next+int64(i))
		messages = append(messages, m)
		want = append(want, place(t, l.Current(), decode(t, l, m))[0].Value)
	}
	for range 5 {
		order := rng.Perm(len(messages))
		var in []stream.Events
		for _, i := range order {
			in = append(in, decode(t, l, messages[i]))
		}
		for k, o := range place(t, l.Current(), in...) {
			if o.Err != nil || string(o.Value) != string(want[order[k]]) {
				t.Fatalf("message %d placed with others gives other bytes (%v)", order[k], o.Err)
			}
		}
	}
}

func TestBadEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	l := newLearner(t, quick())
	stop := running(t, l)
	defer stop()
	odd := func(columns ...table.Column) []byte {
		records, err := table.NewTable(table.Origin{}, columns...)
		if err != nil {
			t.Fatal(err)
		}
		v, err := emit.EncodeTable(records)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	id, class := table.Int64Column("event", []int64{1}), table.StringColumn("class", []string{"x"})
	vector := func(v ...float32) table.Column { return table.VectorColumn("v", vec.Of(1, len(v), v)) }
	inf := float32(math.Inf(1))
	bad := map[string][]byte{
		"no vector": odd(id, class),
		"no id":     odd(class, vector(1, 2, 3, 4, 5)),
		"infinite":  odd(id, class, vector(1, inf, 3, 4, 5)),
	}
	check := func(when string) {
		for name, v := range bad {
			e := decode(t, l, stream.Message{TopicPartition: stream.TopicPartition{Topic: "bad " + name}, Value: v})
			var me *stream.MessageError
			if err := l.Offer(context.Background(), e); !errors.As(err, &me) || me.Stage != stream.StagePlace || !table.IsBadInput(err) {
				t.Errorf("%s, %s: %v", when, name, err)
			}
		}
	}
	// A first message of another dimension does not fix the dimension.
	offer(t, l, stream.Message{TopicPartition: stream.TopicPartition{Topic: "other"}, Value: odd(id, class, vector(1, 2))})
	check("before the map")
	for o := range int64(6) {
		offer(t, l, message(t, rng, 10, 5, o))
	}
	waitReady(t, l)
	if l.Snapshot().Dim != 5 || l.Current().Points != 60 {
		t.Fatalf("a map of %d points in %d dimensions", l.Current().Points, l.Snapshot().Dim)
	}
	bad["another dimension"] = odd(id, class, vector(1, 2))
	l.intake.mu.Lock()
	clear(l.next)
	l.intake.mu.Unlock()
	check("after the map")

	in := []stream.Events{decode(t, l, message(t, rng, 3, 5, 10))}
	for _, v := range bad {
		in = append(in, decode(t, l, stream.Message{Value: v}), decode(t, l, message(t, rng, 3, 5, 11)))
	}
	for i, o := range place(t, l.Current(), in...) {
		if (o.Err != nil) != (i%2 == 1) || (o.Value == nil) != (i%2 == 1) {
			t.Errorf("message %d: %v", i, o.Err)
		}
	}
	if _, err := l.Decode(stream.Message{Value: []byte("not Arrow")}); err == nil {
		t.Error("anything is decoded")
	}
}

// A vector whose projection overflows spoils its own message only.
func TestOverflow(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	s := quick()
	s.Spec.PCA = 2
	s.Mapping = ingest.Mapping{}
	l, next, stop := started(t, s, rng, 5)
	defer stop()
	huge := vec.New[float32](2, 5)
	for k := range huge.Data[5:] {
		huge.Data[5+k] = math.MaxFloat32
	}
	records, err := table.NewTable(table.Origin{}, table.VectorColumn("v", huge))
	if err != nil {
		t.Fatal(err)
	}
	v, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	good := decode(t, l, message(t, rng, 3, 5, next))
	alone := place(t, l.Current(), good)[0].Value
	out := place(t, l.Current(), good, decode(t, l, stream.Message{TopicPartition: tp, Offset: 99, Value: v}), good)
	for _, i := range []int{0, 2} {
		if out[i].Err != nil || string(out[i].Value) != string(alone) {
			t.Errorf("message %d: %v", i, out[i].Err)
		}
	}
	var re *models.RowError
	if !errors.As(out[1].Err, &re) || re.Row != 1 {
		t.Errorf("message 1: %v", out[1].Err)
	}
}

func TestDuplicatesWaitForMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	s := quick()
	var mu sync.Mutex
	failures := 0
	s.Hooks.RefreshFailed = func(error) { mu.Lock(); failures++; mu.Unlock() }
	l := newLearner(t, s)
	stop := running(t, l)
	defer stop()
	same := value(t, rand.New(rand.NewPCG(9, 9)), 1, 5, 0)
	for o := range int64(60) {
		offer(t, l, stream.Message{TopicPartition: tp, Offset: o, Value: same})
	}
	for o := int64(60); l.Current() == nil && o < 120; o++ {
		offer(t, l, message(t, rng, 1, 5, o))
	}
	waitReady(t, l)
	mu.Lock()
	defer mu.Unlock()
	if failures != 1 {
		t.Errorf("%d failures", failures)
	}
}

func TestNeverEnough(t *testing.T) {
	s := quick()
	s.Size = 80
	l := newLearner(t, s)
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), streamtest.Patience)
	defer cancel()
	go func() { done <- l.Run(ctx) }()
	same := value(t, rand.New(rand.NewPCG(9, 9)), 1, 5, 0)
	for o := range int64(80) {
		offer(t, l, stream.Message{TopicPartition: tp, Offset: o, Value: same})
	}
	if err := <-done; !models.IsBadInput(err) {
		t.Errorf("80 equal events: %v", err)
	}
}

func TestRefresh(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	s := quick()
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 0.3
	published := make(chan *stream.Published, 100)
	s.Hooks.Published = func(p *stream.Published, _ time.Duration) { published <- p }
	l, next, stop := started(t, s, rng, 5)
	defer stop()
	<-published
	first := l.Snapshot()
	offer(t, l, message(t, rng, 30, 5, next)) // at once, since several messages may make two maps
	next++
	var p *stream.Published
	select {
	case p = <-published:
	case <-time.After(streamtest.Patience):
		t.Fatal("no refresh")
	}
	if p.Version != 2 || p.Epoch != 1 || p.Stats.Kind != "major" || p.Points != 90 || l.Snapshot().Positions[0].Offset != next {
		t.Errorf("published %+v, positions %v", p, l.Snapshot().Positions)
	}
	if string(l.Snapshot().Encoder) != string(first.Encoder) {
		t.Error("the encoder changed")
	}
	select {
	case p := <-published:
		t.Errorf("version %d without new events", p.Version)
	case <-time.After(50 * time.Millisecond):
	}
}

// After a failed refresh the map stays, and the refresh is retried.
func TestRefreshFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	s := quick()
	s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 0.1
	s.State = filepath.Join(t.TempDir(), "state")
	failed := make(chan error, 1000)
	s.Hooks.RefreshFailed = func(err error) { failed <- err }
	l, next, stop := started(t, s, rng, 5)
	defer stop()
	if err := errors.Join(os.Rename(s.State, s.State+"-aside"), os.WriteFile(s.State, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	offer(t, l, message(t, rng, 10, 5, next))
	select {
	case <-failed:
	case <-time.After(streamtest.Patience):
		t.Fatal("saving into a file that should be a directory succeeds")
	}
	if v := l.Current().Version; v != 1 {
		t.Errorf("version %d was published though it is not on the disk", v)
	}
	if err := os.Remove(s.State); err != nil { // the learner creates the folder again
		t.Fatal(err)
	}
	streamtest.Await(t, "it is retried", func() bool { return l.Current().Version >= 2 })
}
