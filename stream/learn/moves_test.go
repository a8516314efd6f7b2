package learn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/models/live"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/streamtest"
)

// movesSink is a sink that stores its messages.
type movesSink struct {
	mu       sync.Mutex
	messages []stream.Message
	broken   bool
}

func (s *movesSink) Write(_ context.Context, messages []stream.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return errors.New("no route to the broker")
	}
	s.messages = append(s.messages, messages...)
	return nil
}

func (s *movesSink) Close() error { return nil }

// received returns the messages since the last call: places by id, all of one version.
func (s *movesSink) received(t *testing.T, version uint64, epoch uint32) map[string][]float64 {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	at := map[string][]float64{}
	for _, m := range s.messages {
		records, err := arrowfmt.DecodeMessage(m.Value, table.Origin{}, arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		text := func(name string) string {
			c, ok := records.Column(name)
			if !ok || records.Len() != 1 {
				t.Fatalf("%d rows of %v", records.Len(), records.Names())
			}
			return c.Text(0)
		}
		id := text("id")
		if c, _ := records.Column("id"); c.DataType() != "int64" || id != string(m.Key) {
			t.Errorf("id %s (%s) under the key %s", id, c.DataType(), m.Key)
		}
		if text("model_version") != fmt.Sprint(version) || text("map_epoch") != fmt.Sprint(epoch) {
			t.Errorf("version %s, epoch %s, want %d and %d", text("model_version"), text("map_epoch"), version, epoch)
		}
		if h, ok := m.Header(stream.HeaderModelVersion); !ok || string(h) != fmt.Sprint(version) {
			t.Errorf("the header says version %s", h)
		}
		if _, twice := at[id]; twice {
			t.Errorf("id %s is moved twice", id)
		}
		var x, y float64
		if _, err := fmt.Sscanf(text("embedding"), "[%g %g]", &x, &y); err != nil {
			t.Fatalf("%s: %v", text("embedding"), err)
		}
		at[id] = []float64{x, y}
	}
	s.messages = nil
	return at
}

// places returns the places of a learner's reference points, by id.
func places(l *Learner) map[string][]float64 {
	at := map[string][]float64{}
	for p := range l.ref.All() {
		if r := l.ref.Row(p); r >= 0 {
			for _, id := range l.ref.IDs(p) {
				at[id] = l.Snapshot().Mu.Row(int(r))
			}
		}
	}
	return at
}

// A downstream table is given the places of events and applies the topic of moves. It is correct up
// to the threshold after every refresh, also if the topic was unavailable for a while, and over a
// restart.
func TestMovesKeepATableTrue(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	sink := &movesSink{}
	s := quick()
	s.State, s.Moves, s.MovesThreshold = t.TempDir(), sink, 0.01
	s.Spec.Steps = 40
	s.Size = 90
	s.Hooks.RefreshFailed = func(error) {}
	l, next, stop := started(t, s, rng, 5)
	stop()
	if got := sink.received(t, 1, 1); len(got) != 0 {
		t.Errorf("%d points were emitted with the first map", len(got))
	}
	records := places(l) // as the events were published after they had waited
	var moved, majors, quiet int
	for round := range 14 {
		m := message(t, rng, 4, 5, next)
		next++
		e := decode(t, l, m)
		place(t, l.Current(), e) // published, then offered
		if err := l.Offer(context.Background(), e); err != nil {
			t.Fatal(err)
		}
		b, err := e.(*embed.Events).Encode(l.encoder, nil)
		if err != nil {
			t.Fatal(err)
		}
		placed, err := l.current.Load().at.Placer().Place(context.Background(), b.X)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			records[fmt.Sprint(100*(next-1)+int64(i))] = []float64{float64(placed.Mu.Row(i)[0]), float64(placed.Mu.Row(i)[1])}
		}
		sink.broken = round == 5
		if err := l.refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		if round == 5 || round == 9 {
			// Sent later, after a restart.
			sink.broken = false
			l.unsaved = true
			if err := l.saveReference(); err != nil {
				t.Fatal(err)
			}
			l = newLearner(t, s)
			if err := l.emitMoves(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		received := sink.received(t, l.Current().Version, 1)
		maps.Copy(records, received)
		moved += len(received)
		if l.Current().Stats.Kind == "major" {
			if majors++; len(received) == 0 || len(received) == len(places(l)) {
				t.Errorf("round %d: a major refresh in the same frame emits %d of %d points", round, len(received), len(places(l)))
			}
		}
		limit := s.MovesThreshold*l.Current().Stats.Diameter + 1e-4
		for id, at := range places(l) {
			if d := math.Hypot(at[0]-records[id][0], at[1]-records[id][1]); d > limit {
				t.Errorf("round %d: %s is %v from where the table has it, the threshold is %v", round, id, d, limit)
			} else if d > 1e-6 {
				quiet++
			}
		}
	}
	t.Logf("%d moves emitted, %d smaller ones kept quiet, %d major refreshes", moved, quiet, majors)
	if moved == 0 || quiet == 0 || majors == 0 {
		t.Error("too little happened for the test to mean anything")
	}
}

// A new epoch emits every point: after a map learnt from scratch, or as a whole in a frame of its
// own.
func TestEpochsAreAnnounced(t *testing.T) {
	for _, c := range []struct {
		name  string
		major Major
		frame live.MajorFrame
		kind  string
	}{
		{"learnt from nothing", MajorAlways, live.KeepFrame, "refit"},
		{"a new frame", MajorAuto, live.NewFrame, "major"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(52, 1))
			sink := &movesSink{}
			var moved []int
			s := quick()
			s.Moves, s.Major, s.Frame = sink, c.major, c.frame
			s.Hooks.Moved = func(n int) { moved = append(moved, n) }
			l, next, stop := started(t, s, rng, 5)
			stop()
			offer(t, l, message(t, rng, 30, 5, next)) // growth by half
			if err := l.refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
			got := sink.received(t, 2, 2)
			for id, at := range places(l) {
				if d := math.Hypot(at[0]-got[id][0], at[1]-got[id][1]); d > 1e-4 {
					t.Errorf("%s is %v away", id, d)
				}
			}
			if len(got) != 90 || !slices.Equal(moved, []int{90}) || l.Current().Stats.Kind != c.kind {
				t.Errorf("%d points were emitted, %v by the hook, after a %s; want 90", len(got), moved, l.Current().Stats.Kind)
			}
		})
	}
}

// If an epoch was emitted in part only, the rest is emitted later, and no point twice.
func TestEpochsAreToldToTheEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 1))
	sink := &shortBreath{}
	s := quick()
	s.Min, s.Size, s.Major = 700, 800, MajorAlways
	s.Spec.Steps = 3
	s.Moves = sink
	s.Hooks.RefreshFailed = func(error) {}
	l, next, stop := started(t, s, rng, 5)
	stop()
	offer(t, l, message(t, rng, 10, 5, next))
	if err := l.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := l.emitMoves(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if got := sink.received(t, 2, 2); len(got) != 710 || l.movesPending || sink.writes < 3 {
		t.Errorf("%d points were emitted in %d writes, want 710", len(got), sink.writes)
	}
}

// shortBreath accepts one write and fails at the next.
type shortBreath struct {
	movesSink
	writes int
}

func (s *shortBreath) Write(ctx context.Context, messages []stream.Message) error {
	if s.writes++; s.writes%2 == 0 {
		return errors.New("out of breath")
	}
	return s.movesSink.Write(ctx, messages)
}

func TestIDColumn(t *testing.T) {
	for _, c := range []struct{ typ, id, want string }{
		{"int64", "17", "int64"}, {"uint32", "17", "int64"}, {"uint64", "18446744073709551615", "uint64"}, {"uint64", "17", "uint64"}, {"int64", "9223372036854775808", "uint64"}, {"string", "17", "string"}, {"", "a", "string"},
	} {
		got := idColumn(c.typ, c.id)
		if got.DataType() != c.want || got.Text(0) != c.id {
			t.Errorf("%q of type %q becomes %q of type %q", c.id, c.typ, got.Text(0), got.DataType())
		}
	}
}

// Emitting moves stops when the learner is stopped.
func TestTellingStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	s := quick()
	s.Moves = &movesSink{broken: true}
	s.RefreshEvery, s.RefreshNew, s.Major = 2*time.Millisecond, 0.01, MajorAlways
	failed := make(chan error, 1000)
	s.Hooks.RefreshFailed = func(err error) { failed <- err }
	l, next, stop := started(t, s, rng, 5)
	offer(t, l, message(t, rng, 10, 5, next))
	select {
	case <-failed:
	case <-time.After(streamtest.Patience):
		t.Error("nobody hears of it")
	}
	stop()
}

// refusing refuses every message.
type refusing struct{ movesSink }

func (s *refusing) Write(_ context.Context, messages []stream.Message) error {
	why := errors.New("its time is too old")
	return &stream.WriteError{Remaining: []int{0}, Err: &stream.RefusedError{Messages: []stream.Refused{{Topic: "moves", Why: why}}}}
}

// A move that its topic refuses permanently stops the learner with the reason.
func TestRefusedMovesEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 1))
	s := quick()
	s.Moves, s.Major, s.RefreshEvery, s.RefreshNew = &refusing{}, MajorAlways, 10*time.Millisecond, 0.01
	l := newLearner(t, s)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { ended <- l.Run(ctx) }()
	for next := int64(0); ; next++ {
		select {
		case err := <-ended:
			var refused *stream.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), "topic moves") || !strings.Contains(err.Error(), "its time is too old") {
				t.Errorf("it ends with %v", err)
			}
			return
		default:
			offer(t, l, message(t, rng, 4, 5, next))
		}
	}
}
