package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/fleet"
	"unfold/stream/store"
	"unfold/stream/streamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// topic is a topic in memory, with its writers.
type topic struct {
	mu       sync.Mutex
	messages []stream.Message
	more     chan struct{} // closed and replaced with every message
	owner    *writer
	broken   error // the error of all writes while not nil
}

func newTopic() *topic { return &topic{more: make(chan struct{})} }

func (t *topic) write(m stream.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m.Topic, m.Offset = "maps", int64(len(t.messages))
	t.messages = append(t.messages, m)
	close(t.more)
	t.more = make(chan struct{})
}

// fail makes all later writes return err; nil lets them succeed again.
func (t *topic) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.broken = err
}

// reader returns a reader from the beginning.
func (t *topic) reader() fleet.Topic { return &topicReader{topic: t} }

type topicReader struct {
	topic  *topic
	next   int
	caught bool
}

func (b *topicReader) Next(ctx context.Context) ([]stream.Message, error) {
	for {
		b.topic.mu.Lock()
		out, more := slices.Clone(b.topic.messages[b.next:]), b.topic.more
		b.topic.mu.Unlock()
		if b.next += len(out); len(out) > 0 || !b.caught {
			b.caught = true
			return out, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-more:
		}
	}
}

type writer struct{ topic *topic }

// take returns a new writer and fences all earlier ones.
func (t *topic) take() fleet.FencedWriter {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owner = &writer{t}
	return t.owner
}

func (d *writer) Write(ctx context.Context, m stream.Message) error {
	d.topic.mu.Lock()
	owner, broken := d.topic.owner, d.topic.broken
	d.topic.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case owner != d:
		return fmt.Errorf("writer: %w", stream.ErrFenced)
	case broken != nil:
		return broken
	}
	d.topic.write(m)
	return nil
}

// world is a test's store and topic, with a record of all hook calls.
type world struct {
	t      *testing.T
	bucket *blob.Bucket
	store  *store.Store
	topic  *topic

	mu    sync.Mutex
	notes []string
	ctx   context.Context
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

func newWorld(t *testing.T) *world {
	bucket := memblob.OpenBucket(nil)
	w := &world{t: t, bucket: bucket, store: store.New(bucket, "mem"), topic: newTopic()}
	w.ctx, w.stop = context.WithCancel(context.Background())
	t.Cleanup(func() {
		w.stop()
		w.tasks.Wait()
		w.store.Close()
	})
	return w
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// count returns the number of hook calls recorded with this text.
func (w *world) count(note string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.notes {
		if s == note {
			n++
		}
	}
	return n
}

func (w *world) await(what string, holds func() bool) {
	w.t.Helper()
	defer func() {
		if w.t.Failed() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.t.Logf("notes: %q", w.notes)
		}
	}()
	streamtest.Await(w.t, what, holds)
}

func (w *world) noted(note string, times int) {
	w.t.Helper()
	w.await(fmt.Sprintf("%q was noted %d times", note, times), func() bool { return w.count(note) >= times })
}

func (w *world) hooks() fleet.Hooks {
	return fleet.Hooks{
		Announced: func(a fleet.Announcement, _ time.Duration) { w.note("announced %d", a.Version) },
		Removed:   func(n int) { w.note("removed %d", n) },
		Heard:     func(a fleet.Announcement) { w.note("heard %d", a.Version) },
		Installed: func(a fleet.Announcement, _ time.Duration) { w.note("installed %d", a.Version) },
		Refused:   func(a fleet.Announcement, why string, err error) { w.note("refused %d: %s", a.Version, why) },
		Malformed: func(m stream.Message, err error) { w.note("malformed %d", m.Offset) },
		Retrying:  func(what string, _ int, err error, _ time.Duration) { w.note("retrying %s", what) },
	}
}

// publisher takes over the topic and runs until the end of the test. The channel receives the error
// of Run.
func (w *world) publisher(name string) (*fleet.Publisher, <-chan error) {
	w.t.Helper()
	writer := w.topic.take()
	p, err := fleet.Take(w.ctx, fleet.PublisherSettings{Name: "fleet", Learner: name, Store: w.store, Topic: w.topic.reader(), Writer: writer,
		Keep: 3, RetryMin: time.Millisecond, RetryMax: 5 * time.Millisecond, Hooks: w.hooks()})
	if err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	w.tasks.Go(func() { done <- p.Run(w.ctx) })
	return p, done
}

// follower runs until the end of the test and refuses the map versions in bad.
func (w *world) follower(bad ...uint64) *fleet.Follower {
	w.t.Helper()
	f, err := fleet.NewFollower(fleet.FollowerSettings{Name: "fleet", Store: w.store, Topic: w.topic.reader(), Dims: 2,
		RetryMin: time.Millisecond, RetryMax: 5 * time.Millisecond, Hooks: w.hooks()})
	if err != nil {
		w.t.Fatal(err)
	}
	w.tasks.Go(func() {
		err := f.Run(w.ctx, func(s *snapshot.Snapshot) error {
			if slices.Contains(bad, s.Version) {
				return errors.New("no good")
			}
			return nil
		})
		if err != nil {
			w.t.Error(err)
		}
	})
	return f
}
