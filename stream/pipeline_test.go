package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"unfold/stream"
	"unfold/stream/streamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errBroken = errors.New("broken on command")

// process is one run of a pipeline with its own sources and sinks.
type process struct {
	source    *streamtest.Source
	out, dlq  *streamtest.Sink
	pipeline  *stream.Pipeline
	delivered atomic.Int64
}

func start(t testing.TB, b *streamtest.Broker, learner *streamtest.Learner) *process {
	t.Helper()
	return startAs(t, b, learner, false)
}

func startAs(t testing.TB, b *streamtest.Broker, learner *streamtest.Learner, exactlyOnce bool) *process {
	t.Helper()
	var p process
	var err1, err2, err3 error
	p.source, err1 = b.Source("in", "group")
	p.out, err2 = b.Sink("out")
	p.dlq, err3 = b.Sink("dlq")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	p.source.MaxFetch = 20
	p.source.Outputs, p.source.Letters = "out", "dlq"
	p.pipeline = &stream.Pipeline{
		Source: p.source, Sink: p.out, Decoder: streamtest.Numbers{}, Learner: learner, DeadLetter: &stream.DeadLetter{Sink: p.dlq},
		ExactlyOnce: exactlyOnce,
		Settings: stream.Settings{BatchMessages: 7, CommitEvery: time.Millisecond,
			RetryMin: 100 * time.Microsecond, RetryMax: time.Millisecond, DrainTimeout: 20 * time.Millisecond},
		Hooks: stream.Hooks{
			Delivered:    func(_ stream.TopicPartition, n, _ int, _ time.Duration) { p.delivered.Add(int64(n)) },
			DeadLettered: func(stream.Message, stream.Stage, error) { p.delivered.Add(1) },
		},
	}
	return &p
}

// run starts the pipeline in the background; to stop it also closes the source.
func (p *process) run(t testing.TB) *streamtest.Background {
	return streamtest.Go(t, func(ctx context.Context) error { return errors.Join(p.pipeline.Run(ctx), p.source.Close()) })
}

// committed returns the sum of the group's offsets over all partitions.
func committed(b *streamtest.Broker) (sum int64) {
	for _, o := range b.Committed("group", "in") {
		sum += o
	}
	return sum
}

// kill imitates the death of the process as seen by the broker.
func (p *process) kill() {
	p.source.Kill()
	p.out.Kill()
	p.dlq.Kill()
}

func newBroker(partitions int) *streamtest.Broker {
	b := streamtest.NewBroker()
	b.CreateTopic("in", partitions)
	b.CreateTopic("out", 2)
	b.CreateTopic("dlq", 1)
	return b
}

// feed appends messages to all partitions, some of them bad.
func feed(b *streamtest.Broker, partitions, each int, rng *rand.Rand) {
	for p := range partitions {
		for n := range each {
			m := stream.Message{Key: fmt.Append(nil, p, n%3), Value: fmt.Append(nil, n)}
			switch rng.IntN(40) {
			case 0:
				m.Value = []byte("bad")
			case 1:
				m.Value = []byte("-5")
			case 2:
				m.Key = nil
			case 3:
				m.Value = []byte(strings.TrimSpace(strings.Repeat(fmt.Sprint(n, " "), 60)))
			case 4:
				m.Value = bytes.Repeat([]byte("bad"), 1000)
			}
			b.Append("in", p, m)
		}
	}
}

// settle runs a pipeline without faults until every offset is committed, and then checks the
// topics.
func settle(t testing.TB, b *streamtest.Broker, learner *streamtest.Learner) streamtest.Count {
	t.Helper()
	return settleAs(t, b, learner, false)
}

func settleAs(t testing.TB, b *streamtest.Broker, learner *streamtest.Learner, exactlyOnce bool) streamtest.Count {
	t.Helper()
	b.Fault(nil)
	p := startAs(t, b, learner, exactlyOnce)
	running := p.run(t)
	total := int64(len(b.Messages("in")))
	running.Await(fmt.Sprintf("all of %d messages are committed", total), func() bool { return committed(b) == total })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	c, err := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}.Check()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// For any faults and crashes, no event is lost, reordered, or placed in two ways by one version.
func TestNothingIsLost(t *testing.T) {
	if duplicates := hardLives(t, false); duplicates == 0 {
		t.Error("no duplicate at all: the faults did not happen")
	}
}

// The same with transactions: no output and no dead letter is duplicated.
func TestNothingIsLostOrDoubled(t *testing.T) {
	if duplicates := hardLives(t, true); duplicates > 0 {
		t.Errorf("%d duplicates", duplicates)
	}
}

// hardLives crashes a stage repeatedly and returns the number of duplicate outputs.
func hardLives(t *testing.T, exactlyOnce bool) (duplicates int) {
	var lives int
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		partitions := rapid.IntRange(1, 4).Draw(r, "partitions")
		each := rapid.IntRange(20, 150).Draw(r, "messages")
		learner := &streamtest.Learner{Min: rapid.IntRange(0, 15).Draw(r, "min"), Every: rapid.IntRange(1, 60).Draw(r, "every")}
		rates := map[streamtest.Op]int{}
		for _, op := range []streamtest.Op{streamtest.OpFetch, streamtest.OpCommit, streamtest.OpWrite, streamtest.OpAck} {
			rates[op] = rapid.SampledFrom([]int{0, 0, 5, 20}).Draw(r, fmt.Sprint("percent of failures of ", op))
		}
		// A failed fetch ends a process, so fetches rarely fail.
		rates[streamtest.OpFetch] = min(rates[streamtest.OpFetch], 5)
		rng := rand.New(rand.NewPCG(seed, 1))
		b := newBroker(partitions)
		feed(b, partitions, each, rng)
		limit := func(when string) {
			b.Limit("out", rapid.SampledFrom([]int{0, 0, 260, 500}).Draw(r, "limit of outputs "+when))
			b.Limit("dlq", rapid.SampledFrom([]int{0, 0, 2000, 5000}).Draw(r, "limit of dead letters "+when))
		}
		limit("in the first life")
		faults := rand.New(rand.NewPCG(seed, 2))
		b.Fault(func(op streamtest.Op) error {
			if faults.IntN(100) < rates[op] {
				return errBroken
			}
			return nil
		})
		for range rapid.IntRange(0, 5).Draw(r, "deaths") {
			lives++
			limit("in the next life")
			p := startAs(t, b, learner, exactlyOnce)
			live(t, p, time.Duration(rng.IntN(4000))*time.Microsecond, rng.IntN(3) == 0, rng.IntN(3) == 0)
		}
		count := settleAs(t, b, learner, exactlyOnce)
		duplicates += count.Duplicates
		if n := len(b.Messages("dlq")); exactlyOnce && n != count.Letters {
			t.Errorf("%d dead letters of %d messages", n, count.Letters)
		}
	})
	t.Logf("%d lives that ended early, %d duplicates", lives, duplicates)
	return duplicates
}

// live runs a process for some time and stops or kills it, perhaps with a rebalance meanwhile.
func live(t *testing.T, p *process, life time.Duration, gently, rebalance bool) {
	ctx, cancel := context.WithTimeout(context.Background(), life)
	if !gently {
		cancel()
		ctx, cancel = context.WithCancel(context.Background())
	}
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := p.pipeline.Run(ctx); err != nil && !errors.Is(err, errBroken) && !strings.Contains(err.Error(), "closed") {
			t.Errorf("Run: %v", err)
		}
	})
	if rebalance {
		time.Sleep(life / 2)
		p.source.Rebalance()
	}
	if !gently {
		time.Sleep(life)
		p.kill()
		cancel()
	}
	wg.Wait()
	p.kill()
}

func TestSinkFailuresAreRetried(t *testing.T) {
	b := newBroker(1)
	feed(b, 1, 50, rand.New(rand.NewPCG(1, 1)))
	for name, op := range map[string]streamtest.Op{"write": streamtest.OpWrite, "acknowledgement": streamtest.OpAck, "commit": streamtest.OpCommit} {
		b.Fault(streamtest.Times(25, op, errBroken))
		p := start(t, b, &streamtest.Learner{})
		var retries atomic.Int64
		p.pipeline.Hooks.Retrying = func(_ string, attempt int, err error, _ time.Duration) {
			if !errors.Is(err, errBroken) || attempt < 1 {
				t.Errorf("attempt %d: %v", attempt, err)
			}
			retries.Add(1)
		}
		running := p.run(t)
		running.Await(name+" is tried 25 times", func() bool { return retries.Load() >= 25 })
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		c := settle(t, b, &streamtest.Learner{})
		b = newBroker(1)
		feed(b, 1, 50, rand.New(rand.NewPCG(1, 1)))
		t.Logf("%s: %+v", name, c)
	}
}

// With a sink that hangs for ever, the pipeline still stops in time. Unacknowledged messages are
// not committed.
func TestStopWithDeadSink(t *testing.T) { synctest.Test(t, stopWithDeadSink) }

func stopWithDeadSink(t *testing.T) {
	b := newBroker(2)
	feed(b, 2, 100, rand.New(rand.NewPCG(2, 1)))
	b.Fault(func(op streamtest.Op) error {
		if op == streamtest.OpWrite {
			return errBroken
		}
		return nil
	})
	p := start(t, b, &streamtest.Learner{})
	p.pipeline.Settings.DrainTimeout = 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := p.pipeline.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d > 200*time.Millisecond {
		t.Errorf("stopping took %v", d)
	}
	if c := b.Committed("group", "in"); len(c) != 0 {
		t.Errorf("committed %v though nothing was written", c)
	}
	p.source.Close()
	settle(t, b, &streamtest.Learner{})
}

func TestBadMessageWithoutDeadLetter(t *testing.T) {
	b := newBroker(1)
	for _, v := range []string{"1", "2", "oops", "4"} {
		b.Append("in", 0, stream.Message{Value: []byte(v)})
	}
	p := start(t, b, &streamtest.Learner{})
	p.pipeline.DeadLetter = nil
	p.pipeline.Settings.BatchMessages = 1
	err := p.pipeline.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "topic in, partition 0, offset 2") || !strings.Contains(err.Error(), "dead-letter") {
		t.Errorf("error %v", err)
	}
	if c := b.Committed("group", "in")[0]; c != 2 {
		t.Errorf("committed %d, want 2: the messages before the bad one are done", c)
	}
	p.source.Close()
}

func TestDeadLetterHeaders(t *testing.T) {
	m := stream.Message{TopicPartition: stream.TopicPartition{Topic: "in", Partition: 3}, Offset: 14, Key: []byte("k"), Value: []byte("v"),
		Headers: []stream.Header{{Key: "__connect.errors.topic", Value: []byte("earlier")}}}
	d := &stream.DeadLetter{}
	reason := fmt.Errorf("around: %w", &stream.MessageError{Stage: stream.StagePlace, Err: &stream.OffsetError{}})
	l := d.Message(m, stream.StagePlace, reason)
	if len(m.Headers) != 1 || l.Headers[0].Key != "__connect.errors.topic" || string(l.Headers[0].Value) != "earlier" {
		t.Error("the headers that were there have changed")
	}
	for key, want := range map[string]string{
		"topic": "in", "partition": "3", "offset": "14", "connector.name": "unfold", "stage": "TRANSFORMATION", "class.name": "unfold/place",
		"exception.class.name": "*stream.OffsetError", "exception.message": reason.Error(),
	} {
		if v, _ := l.Header("__connect.errors." + key); string(v) != want {
			t.Errorf("%s is %q, want %q", key, v, want)
		}
	}
	back, why, ok := stream.ReadDeadLetter(l)
	for _, name := range []string{string(why.Stage), "place", strings.TrimPrefix(why.Class, "unfold/")} {
		if stage, err := stream.ParseStage(name); stage != stream.StagePlace || err != nil {
			t.Errorf("stage %q is read as %q, %v", name, stage, err)
		}
	}
	if !ok || why.Connector != "unfold" || why.Offset != 14 || why.Stage != stream.StagePlace || why.Message != reason.Error() {
		t.Errorf("read back: %+v", why)
	}
	if back.Offset != 14 || back.Partition != 3 || len(back.Headers) != 1 || string(back.Headers[0].Value) != "earlier" || string(back.Value) != "v" {
		t.Errorf("the message that was: %+v", back)
	}
	if _, _, ok := stream.ReadDeadLetter(m); ok {
		t.Error("half a set of headers is taken for a dead letter")
	}
}

// Events wait for the first map uncommitted, also in partitions without further messages.
func TestColdStart(t *testing.T) {
	b := newBroker(3)
	b.Append("in", 0, stream.Message{Value: []byte("1")}, stream.Message{Value: []byte("nonsense")})
	learner := &streamtest.Learner{Min: 30}
	p := start(t, b, learner)
	running := p.run(t)
	for n := range 28 {
		b.Append("in", 1, stream.Message{Value: fmt.Append(nil, n)})
	}
	running.Await("29 events are offered", func() bool { return learner.Seen() >= 29 })
	time.Sleep(20 * time.Millisecond)
	if n := len(b.Messages("out")); n != 0 || len(b.Committed("group", "in")) != 0 || p.pipeline.Ready() {
		t.Errorf("%d outputs, committed %v, ready %v before the first map", n, b.Committed("group", "in"), p.pipeline.Ready())
	}
	b.Append("in", 2, stream.Message{Value: []byte("7")})
	running.Await("31 messages are delivered", func() bool { return p.delivered.Load() >= 31 })
	if !p.pipeline.Ready() {
		t.Error("not ready")
	}
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	if p.pipeline.Ready() {
		t.Error("ready after the end")
	}
	if c := settle(t, b, learner); c != (streamtest.Count{Placed: 30, Letters: 1}) {
		t.Errorf("%+v", c)
	}
}

func TestLearnerFailureEndsTheRun(t *testing.T) {
	b := newBroker(1)
	learner := &streamtest.Learner{}
	p := start(t, b, learner)
	learner.Fail(errBroken)
	if err := p.pipeline.Run(context.Background()); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "learning") {
		t.Errorf("error %v", err)
	}
	p.source.Close()
}
