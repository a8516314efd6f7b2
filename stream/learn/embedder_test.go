package learn

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/streamtest"
)

// feed sends maps to an embedder and reports the outcome for each.
type feed struct {
	maps chan *snapshot.Snapshot
	done chan error
}

func (f *feed) follow(ctx context.Context, install func(*snapshot.Snapshot) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-f.maps:
			f.done <- install(s)
		}
	}
}

// give sends a map, written to a file and read again.
func (f *feed) give(t *testing.T, s *snapshot.Snapshot) error {
	t.Helper()
	var file bytes.Buffer
	if err := snapshot.Write(&file, s); err != nil {
		t.Fatal(err)
	}
	again, err := snapshot.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	f.maps <- again
	return <-f.done
}

// embedderOf returns the settings of the embedder that matches a learner.
func embedderOf(s Settings, follow embed.Follow) embed.EmbedderSettings {
	return embed.EmbedderSettings{Spec: s.Spec, Embed: s.Placing(), Limits: s.Limits, Hooks: s.Hooks, Follow: follow}
}

func newEmbedder(t *testing.T, s Settings) (*embed.Embedder, *feed) {
	t.Helper()
	f := &feed{make(chan *snapshot.Snapshot), make(chan error)}
	e, err := embed.NewEmbedder(embedderOf(s, f.follow))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return e, f
}

// bytesOf returns the encoded outcome: all rows, and its rows 2 to 4 alone.
func bytesOf(t *testing.T, outcomes []stream.Outcome) [2][]byte {
	t.Helper()
	if len(outcomes) != 1 || outcomes[0].Err != nil {
		t.Fatalf("outcomes %+v", outcomes)
	}
	part, err := outcomes[0].Parts.Part(2, 5)
	if err != nil {
		t.Fatal(err)
	}
	return [2][]byte{outcomes[0].Value, part}
}

// An embedder returns the same bytes as the learner, for every version.
func TestEmbedderPlacesAsTheLearner(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	s := quick()
	s.RefreshEvery = 20 * time.Millisecond
	l, offset, _ := started(t, s, rng, 4)
	var versions []uint64
	s.Hooks = stream.Hooks{Published: func(p *stream.Published, took time.Duration) {
		if versions = append(versions, p.Version); took != 0 {
			t.Errorf("a map that was learnt elsewhere took %v", took)
		}
	}}
	e, f := newEmbedder(t, s)
	probe := message(t, rng, 7, 4, 1_000_000)
	if e.Current() != nil {
		t.Error("there is a map before one came")
	}
	for len(versions) < 3 {
		m, at := l.Snapshot(), l.Current()
		if m.Version != at.Version {
			continue // another version was published between the two
		}
		if err := f.give(t, m); err != nil {
			t.Fatal(err)
		}
		mine, err := e.Decode(probe)
		if err != nil {
			t.Fatal(err)
		}
		got, want := bytesOf(t, place(t, e.Current(), mine)), bytesOf(t, place(t, at, decode(t, l, probe)))
		if !reflect.DeepEqual(got, want) || len(got[0]) == 0 {
			t.Errorf("version %d: the embedder places otherwise than the learner", m.Version)
		}
		if c := e.Current(); c.Version != m.Version || c.Epoch != m.Epoch || c.Points != m.Reference.Rows || c.Stats.Kind == "" {
			t.Errorf("it says of version %d: %+v", m.Version, c)
		}
		if err := e.Offer(t.Context(), mine); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(streamtest.Patience); l.Current().Version == m.Version; offset++ {
			if offer(t, l, message(t, rng, 10, 4, offset)); time.Now().After(end) {
				t.Fatal("no further version")
			}
		}
	}
}

// Before the first map all messages wait, afterwards none.
func TestEmbedderWaits(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	l, _, _ := started(t, quick(), rng, 4)
	e, f := newEmbedder(t, quick())
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := e.Offer(short, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("before the first map: %v", err)
	}
	through := make(chan error, 1)
	go func() { through <- e.Offer(t.Context(), nil) }()
	if err := f.give(t, l.Snapshot()); err != nil {
		t.Fatal(err)
	}
	<-e.Ready()
	if err := <-through; err != nil {
		t.Error(err)
	}
}

// A map that does not fit is refused, and the one before stays in use.
func TestEmbedderRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	l, _, _ := started(t, quick(), rng, 4)
	other, _, _ := started(t, quick(), rng, 5)
	three := quick()
	three.Spec.Dims = 3
	deep, _, _ := started(t, three, rng, 4)
	e, f := newEmbedder(t, quick())
	if err := f.give(t, l.Snapshot()); err != nil {
		t.Fatal(err)
	}
	before := e.Current()
	mute := *l.Snapshot()
	mute.Encoder = nil
	for name, c := range map[string]struct {
		s    *snapshot.Snapshot
		want string
	}{
		"other vectors": {other.Snapshot(), "of vectors of 5 values, the one before of 4"}, "other dimensions": {deep.Snapshot(), "in 3 dimensions, the settings say lvm in 2"},
		"no encoder": {&mute, "how events become vectors"},
	} {
		if err := f.give(t, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if e.Current() != before {
			t.Errorf("%s: it is in use", name)
		}
	}
	if _, err := embed.NewEmbedder(embedderOf(quick(), nil)); err == nil {
		t.Error("an embedder that nobody brings maps is made")
	}
}
