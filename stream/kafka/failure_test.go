package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// TestUnreachable: a missing broker, or one that never answers, is reported within 10 s.
func TestUnreachable(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	var mu sync.Mutex
	var conns []net.Conn
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			c.Close()
		}
	})
	for name, addr := range map[string]string{"closed": "127.0.0.1:1", "silent": silent.Addr().String(), "nonsense": "no port"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			c := kafka.Cluster{Brokers: []string{addr}}
			_, err := kafka.NewSource(context.Background(), kafka.SourceSettings{Cluster: c, Topic: "t", Group: "g"})
			if d := time.Since(begin); err == nil || d > 10*time.Second+slack {
				t.Errorf("after %v: %v", d, err)
			}
			if err == nil || !strings.Contains(err.Error(), addr) {
				t.Errorf("the error does not name the broker: %v", err)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	c := newFake(t, kfake.SeedTopics(1, "there", "too"))
	ctx := context.Background()
	if err := kafka.Check(ctx, c.cluster(), "there", "too"); err != nil {
		t.Error(err)
	}
	err := kafka.Check(ctx, c.cluster(), "there", "absent", "gone")
	if !errors.Is(err, stream.ErrUnknownTopic) || !strings.Contains(err.Error(), "absent") || !strings.Contains(err.Error(), "gone") {
		t.Errorf("error %v", err)
	}
	// A dead broker does not matter as long as another one answers.
	two := kafka.Cluster{Brokers: append([]string{"127.0.0.1:1"}, c.brokers...)}
	if err := kafka.Check(ctx, two, "there"); err != nil {
		t.Error(err)
	}
	if err := kafka.Check(ctx, kafka.Cluster{}, "there"); err == nil {
		t.Error("no brokers, no error")
	}
}

func TestSettings(t *testing.T) {
	c := kafka.Cluster{Brokers: []string{"127.0.0.1:1"}}
	for name, s := range map[string]kafka.SourceSettings{
		"no topic": {Cluster: c, Group: "g"}, "no group": {Cluster: c, Topic: "t"}, "negative": {Cluster: c, Topic: "t", Group: "g", FetchBytes: -1},
	} {
		if _, err := kafka.NewSource(context.Background(), s); err == nil || strings.Contains(err.Error(), "reach") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, s := range map[string]kafka.SinkSettings{"no topic": {Cluster: c}, "negative": {Cluster: c, Topic: "t", BatchBytes: -1}} {
		if _, err := kafka.NewSink(context.Background(), s); err == nil || strings.Contains(err.Error(), "reach") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLatest: a new group starts with messages written after its first generation began, even if
// nothing was committed before a restart.
func TestLatest(t *testing.T) {
	c := newFake(t)
	topic := topicFor(t, c, 1, nil)
	tp := stream.TopicPartition{Topic: topic}
	produce := func(v string) { c.Produce(t, topic, 0, stream.Message{Value: []byte(v)}) }
	produce("old")
	s := c.quick(topic, "g")
	s.Start = kafka.Latest
	source, g := open(t, s)
	produce("between")
	if err := errors.Join(g.Close(), source.Close()); err != nil {
		t.Fatal(err)
	}
	produce("after")
	_, g = open(t, s)
	got := fetchN(t, g, tp, 2)
	if len(got) != 2 || string(got[0].Value) != "between" {
		t.Errorf("read %v", got)
	}
}

// TestDeletedMeanwhile: messages deleted while a generation lags behind are an error and not
// skipped silently.
func TestDeletedMeanwhile(t *testing.T) {
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	_, g := open(t, c.quick(topic, "g"))
	f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: topic, Err: kerr.NotLeaderForPartition, Count: 3})
	for n := range 20 {
		c.Produce(t, topic, 0, stream.Message{Value: fmt.Append(nil, n)})
	}
	c.DeleteBefore(t, topic, 0, 12)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	_, err := g.Fetch(ctx, stream.TopicPartition{Topic: topic}, nil)
	var oe *stream.OffsetError
	if !errors.As(err, &oe) || oe.Offset != 0 || oe.First != 12 {
		t.Errorf("error %v", err)
	}
}

// TestOutOfRangeForAMoment: right after a change of leader, a broker may wrongly report an offset
// as out of range.
func TestOutOfRangeForAMoment(t *testing.T) {
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	c.Produce(t, topic, 0, stream.Message{Value: []byte("x")})
	f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: topic, Err: kerr.OffsetOutOfRange, Count: 2})
	_, g := open(t, c.quick(topic, "g"))
	if got := fetchN(t, g, stream.TopicPartition{Topic: topic}, 1); len(got) != 1 {
		t.Errorf("read %v", got)
	}
}

func TestNoRights(t *testing.T) {
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Err: kerr.GroupAuthorizationFailed, TopLevel: true, Count: -1})
	s, err := kafka.NewSource(t.Context(), c.quick(topic, "g"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	if _, err := s.Next(ctx); err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "g") {
		t.Errorf("error %v", err)
	}
}

// TestCloseWithSilentCoordinator: leaving the group does not wait for a coordinator that hangs.
func TestCloseWithSilentCoordinator(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	source, g := open(t, c.quick(topic, "g"))
	f.ControlKey(int16(kmsg.LeaveGroup), silence(t, f, func() {}))
	begin := time.Now()
	if err := errors.Join(g.Close(), source.Close()); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d > 1500*time.Millisecond+slack {
		t.Errorf("Close took %v", d)
	}
}

// TestStopWithSilentBroker: a stage stops in time even if the broker takes requests and answers
// none.
func TestStopWithSilentBroker(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("the fake broker's way of sleeping races with itself; without the detector this runs")
	}
	c, f := newFakeCluster(t)
	in, out := topicFor(t, c, 2, nil), topicFor(t, c, 2, nil)
	for p := range 2 {
		var batch []stream.Message
		for i := range 2000 {
			batch = append(batch, stream.Message{Value: fmt.Append(nil, i)})
		}
		c.Produce(t, in, p, batch...)
	}
	var delivered atomic.Int64
	life := streamtest.Go(t, func(ctx context.Context) error {
		return c.deliver(ctx, c.quick(in, in), out, "", &stream.Pipeline{
			Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{Pause: 5 * time.Millisecond},
			Settings: stream.Settings{BatchMessages: 10, CommitEvery: time.Millisecond},
			Hooks:    stream.Hooks{Delivered: func(_ stream.TopicPartition, m, _ int, _ time.Duration) { delivered.Add(int64(m)) }}})
	})
	life.Await("the first message", func() bool { return delivered.Load() > 0 })
	// The broker stops answering during a commit, with more to commit.
	var committing atomic.Bool
	hang := silence(t, f, func() { committing.Store(true) })
	f.ControlKey(int16(kmsg.OffsetCommit), hang)
	life.Await("a commit", committing.Load)
	before := delivered.Load()
	life.Await("more to commit", func() bool { return delivered.Load() > before || delivered.Load() == 4000 })
	f.Control(hang)
	begin := time.Now()
	if err := life.Stop(); err != nil {
		t.Error(err)
	}
	d := time.Since(begin)
	t.Logf("stopped after %v", d)
	if d > 9500*time.Millisecond+slack {
		t.Error("that is too long")
	}
}

// silence makes a broker take requests and not answer them before the test ends.
func silence(t *testing.T, f *kfake.Cluster, taken func()) func(kmsg.Request) (kmsg.Response, error, bool) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	return func(kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		taken()
		f.SleepControl(func() { <-release })
		return nil, nil, false
	}
}

// TestInflate: a batch that decompresses to too many bytes is passed on compressed, as a dead
// letter, and reading continues after it.
func TestInflate(t *testing.T) {
	defer kafka.SetRecordLimit(1 << 20)()
	c := newFake(t)
	topic := topicFor(t, c, 1, nil)
	bomb, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.ProducerBatchCompression(kgo.ZstdCompression()),
		kgo.DefaultProduceTopic(topic), kgo.ProducerBatchMaxBytes(8<<20), kgo.ManualFlushing())
	if err != nil {
		t.Fatal(err)
	}
	defer bomb.Close()
	produce := func(value []byte) {
		bomb.Produce(t.Context(), kgo.SliceRecord(value), func(_ *kgo.Record, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	// The client learns of the topic by the first message. A flush before that may divide a batch.
	produce([]byte("good"))
	if err := bomb.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // of one batch: nothing is sent before the flush
		produce(make([]byte, 3<<20))
	}
	if err := bomb.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Produce(t, topic, 0, stream.Message{Value: []byte("after")})
	_, g := open(t, c.quick(topic, "g"))
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	tp := stream.TopicPartition{Topic: topic}
	if run, err := g.Fetch(ctx, tp, nil); err != nil || len(run.Messages) != 1 {
		t.Fatalf("the message before it: %v, %v", run, err)
	}
	run, err := g.Fetch(ctx, tp, nil)
	if err != nil || len(run.Messages) != 1 {
		t.Fatalf("the bomb: %v, %v", run, err)
	}
	m := run.Messages[0]
	if m.Offset != 2 || m.Unreadable == nil || len(m.Value) > 1<<20 || len(m.Value) < 61 {
		t.Errorf("offset %d, %d bytes, %v", m.Offset, len(m.Value), m.Unreadable)
	}
	letter := (&stream.DeadLetter{}).Message(m, stream.StageRead, m.Unreadable)
	for key, want := range map[string]string{"offset": "2", "stage": "KAFKA_CONSUME", "class.name": "unfold/read", "exception.message": "offsets 1 to 2: a zstd batch"} {
		if v, _ := letter.Header("__connect.errors." + key); !strings.HasPrefix(string(v), want) {
			t.Errorf("%s is %q", key, v)
		}
	}
	if run, err := g.Fetch(ctx, tp, nil); err != nil || len(run.Messages) != 1 || string(run.Messages[0].Value) != "after" {
		t.Errorf("the message behind it: %v, %v", run, err)
	}
}
