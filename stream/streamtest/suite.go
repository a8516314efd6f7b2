package streamtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"unfold/stream"
)

// promise is a test of the suite, on a topic with the given number of partitions (0: no topic).
type promise struct {
	name       string
	partitions int
	test       func(b *bench)
}

// TestBroker checks that the sources and sinks of a broker satisfy the contracts of package stream,
// and that a pipeline between them loses nothing.
func TestBroker(t *testing.T, h Harness) {
	rows := []promise{
		{"what is written comes back", 1, testBytes},
		{"a position outlives the member", 2, testResume},
		{"what is not committed comes again", 1, testUncommitted},
		{"two members share the partitions", 4, testShare},
		{"a stale commit is refused", 2, testStaleCommit},
		{"deleted messages are an error", 1, testDeleted},
		{"a position past the end is an error", 1, testPastEnd},
		{"an unknown topic is an error", 0, testUnknownTopic},
		{"a wait ends with its context", 1, testCancel},
		{"a closed source ends its generation", 1, testCloseEnds},
		{"keys keep their order", 3, testKeyOrder},
		{"without a key the partition decides", 3, testKeyless},
		{"what is too large comes in parts", 2, testTooLarge},
		{"what is too large comes in parts, exactly once", 2, testTooLargeExactlyOnce},
		{"a transaction is done as a whole", 2, testTransaction},
		{"a stale transaction is refused", 2, testStaleTransaction},
	}
	runAll(t, h, numbered, append(rows, pipelines(true)...))
}

// TestPipelines checks the guarantees of pipelines on a broker with a kind of messages, which begin
// creates for each test. members allows several pipelines to run at once.
func TestPipelines(t *testing.T, h Harness, members bool, begin func(t *testing.T) Kind) {
	runAll(t, h, begin, pipelines(members))
}

// pipelines returns the tests of whole pipelines, with or without those of several members.
func pipelines(members bool) []promise {
	rows := []promise{
		{"a pipeline delivers everything", 3, testPipeline},
		{"a pipeline delivers everything, exactly once", 3, testPipelineExactlyOnce},
		{"a pipeline drains when it is asked to stop", 2, testDrain},
		{"restarts lose nothing", 3, testRestarts},
		{"exactly once over restarts", 3, testExactlyOnceRestarts},
		{"what is away is waited for", 2, testUnavailable},
		{"what is away is waited for, exactly once", 2, testUnavailableExactlyOnce},
	}
	if members {
		rows = append(rows, promise{"a second member takes its share", 4, testSecondMember},
			promise{"exactly once with a second member", 4, testExactlyOnceSecondMember})
	}
	return rows
}

func runAll(t *testing.T, h Harness, begin func(t *testing.T) Kind, rows []promise) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { r.test(newBench(t, h, begin(t), r.partitions)) })
	}
}

func testBytes(b *bench) {
	at := time.Date(2024, 5, 6, 7, 8, 9, 123e6, time.UTC)
	sent := []stream.Message{
		{Key: []byte("k"), Value: []byte("v"), Time: at, Headers: []stream.Header{{Key: "a", Value: []byte("1")}, {Key: "a", Value: []byte("2")}, {Key: "b"}}},
		{Key: nil, Value: []byte("no key"), Time: at.Add(time.Second)},
		{Key: []byte{}, Value: []byte{}, Time: at},
		{Key: []byte("null value"), Value: nil, Time: at},
		{Key: []byte{0, 255}, Value: bytes.Repeat([]byte{1, 2, 3, 0}, 150_000), Time: at},
	}
	b.write(b.sink(b.topic), sent)
	g := b.next(b.source())
	if a := g.Assigned(); len(a) != 1 || a[0] != (stream.Position{TopicPartition: b.tp(0)}) {
		b.Fatalf("assigned %v", a)
	}
	for i, m := range b.fetch(g, 0, len(sent)) {
		want := sent[i]
		if m.TopicPartition != b.tp(0) || m.Offset != int64(i) {
			b.Errorf("message %d is at %s", i, m.Where())
		}
		if !same(m.Key, want.Key) || !same(m.Value, want.Value) {
			b.Errorf("message %d: key %q value of %d bytes (null: %v), want %q and %d bytes", i, m.Key, len(m.Value), m.Value == nil, want.Key, len(want.Value))
		}
		if !m.Time.Equal(want.Time) {
			b.Errorf("message %d: time %v, want %v", i, m.Time, want.Time)
		}
		if len(m.Headers) != len(want.Headers) {
			b.Fatalf("message %d: headers %v, want %v", i, m.Headers, want.Headers)
		}
		for k, h := range want.Headers {
			if m.Headers[k].Key != h.Key || !bytes.Equal(m.Headers[k].Value, h.Value) {
				b.Errorf("message %d: header %v, want %v", i, m.Headers[k], h)
			}
		}
	}
}

func testResume(b *bench) {
	b.h.Produce(b.T, b.topic, 0, numbers(0, 10, nil)...)
	b.h.Produce(b.T, b.topic, 1, numbers(0, 5, nil)...)
	s := b.source()
	g := b.next(s)
	b.fetch(g, 0, 10)
	b.fetch(g, 1, 5)
	if err := g.Commit(b.ctx, []stream.Position{{TopicPartition: b.tp(0), Offset: 7}, {TopicPartition: b.tp(1), Offset: 5}}); err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(g.Close(), s.Close()); err != nil {
		b.Fatal(err)
	}
	if got, want := b.h.Committed(b.T, b.group, b.topic), (map[int]int64{0: 7, 1: 5}); !reflect.DeepEqual(got, want) {
		b.Errorf("committed %v, want %v", got, want)
	}
	g = b.next(b.source())
	for _, a := range g.Assigned() {
		if want := map[int]int64{0: 7, 1: 5}[a.Partition]; a.Offset != want {
			b.Errorf("partition %d begins at %d, want %d", a.Partition, a.Offset, want)
		}
	}
	if m := b.fetch(g, 0, 3); m[0].Offset != 7 {
		b.Errorf("the first message after a restart is %s", m[0].Where())
	}
}

func testUncommitted(b *bench) {
	b.h.Produce(b.T, b.topic, 0, numbers(0, 20, nil)...)
	for range 2 {
		s := b.source()
		g := b.next(s)
		if m := b.fetch(g, 0, 20); m[0].Offset != 0 {
			b.Errorf("the first message is %s", m[0].Where())
		}
		if err := errors.Join(g.Close(), s.Close()); err != nil {
			b.Fatal(err)
		}
	}
}

// share creates generations for both members until each owns half of the partitions.
func (b *bench) share(s1, s2 stream.Source, g1 stream.Generation, partitions int) (stream.Generation, stream.Generation) {
	b.Helper()
	type answer struct {
		g   stream.Generation
		err error
	}
	for range 10 {
		if g1 != nil {
			select {
			case <-g1.Revoked():
			case <-b.ctx.Done():
				b.Fatal("the first member did not learn of the second")
			}
			if err := g1.Close(); err != nil {
				b.Fatal(err)
			}
		}
		first := make(chan answer, 1)
		go func() {
			g, err := s1.Next(b.ctx)
			first <- answer{g, err}
		}()
		g2 := b.next(s2)
		a := <-first
		if a.err != nil {
			b.Fatal(a.err)
		}
		if len(a.g.Assigned()) == partitions/2 && len(g2.Assigned()) == partitions/2 {
			return a.g, g2
		}
		// One of them owned all partitions again, so the group is not stable yet.
		g1 = a.g
		if err := g2.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.Fatal("the group does not settle")
	return nil, nil
}

func testShare(b *bench) {
	for p := range 4 {
		b.h.Produce(b.T, b.topic, p, numbers(0, 10, nil)...)
	}
	s1 := b.source()
	g1 := b.next(s1)
	if n := len(g1.Assigned()); n != 4 {
		b.Fatalf("a lone member owns %d of 4 partitions", n)
	}
	s2 := b.source()
	g1, g2 := b.share(s1, s2, g1, 4)
	owners := map[int]int{}
	for _, g := range []stream.Generation{g1, g2} {
		for _, a := range g.Assigned() {
			owners[a.Partition]++
			b.fetch(g, a.Partition, 10)
			if err := g.Commit(b.ctx, []stream.Position{{TopicPartition: a.TopicPartition, Offset: 10}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	if want := (map[int]int{0: 1, 1: 1, 2: 1, 3: 1}); !reflect.DeepEqual(owners, want) {
		b.Errorf("owners %v", owners)
	}
	if got, want := b.h.Committed(b.T, b.group, b.topic), (map[int]int64{0: 10, 1: 10, 2: 10, 3: 10}); !reflect.DeepEqual(got, want) {
		b.Errorf("committed %v, want %v", got, want)
	}
}

func testStaleCommit(b *bench) {
	b.h.Produce(b.T, b.topic, 0, numbers(0, 50, nil)...)
	b.h.Produce(b.T, b.topic, 1, numbers(0, 50, nil)...)
	s1 := b.source()
	old := b.next(s1)
	s2 := b.source()
	g1, g2 := b.share(s1, s2, old, 2)
	for _, g := range []stream.Generation{g1, g2} {
		p := g.Assigned()[0]
		if err := g.Commit(b.ctx, []stream.Position{{TopicPartition: p.TopicPartition, Offset: 50}}); err != nil {
			b.Fatal(err)
		}
	}
	err := old.Commit(b.ctx, []stream.Position{{TopicPartition: b.tp(0), Offset: 1}, {TopicPartition: b.tp(1), Offset: 1}})
	if !errors.Is(err, stream.ErrRevoked) {
		b.Errorf("a commit in an old generation: %v", err)
	}
	if _, err := old.Fetch(b.ctx, b.tp(0), nil); !errors.Is(err, stream.ErrRevoked) {
		b.Errorf("a fetch in an old generation: %v", err)
	}
	if got, want := b.h.Committed(b.T, b.group, b.topic), (map[int]int64{0: 50, 1: 50}); !reflect.DeepEqual(got, want) {
		b.Errorf("committed %v, want %v", got, want)
	}
}

// leaveAt adds a member that commits a position of the first partition and leaves.
func (b *bench) leaveAt(offset int64) {
	b.Helper()
	s := b.source()
	g := b.next(s)
	at := []stream.Position{{TopicPartition: b.tp(0), Offset: offset}}
	if err := errors.Join(g.Commit(b.ctx, at), g.Close(), s.Close()); err != nil {
		b.Fatal(err)
	}
}

func testDeleted(b *bench) {
	b.h.Produce(b.T, b.topic, 0, numbers(0, 100, nil)...)
	b.leaveAt(10)
	b.h.DeleteBefore(b.T, b.topic, 0, 60)
	_, err := b.source().Next(b.ctx)
	var oe *stream.OffsetError
	if !errors.As(err, &oe) || oe.Offset != 10 || oe.First != 60 || oe.End != 100 || oe.TopicPartition != b.tp(0) {
		b.Fatalf("error %v", err)
	}
}

func testPastEnd(b *bench) {
	b.h.Produce(b.T, b.topic, 0, numbers(0, 5, nil)...)
	b.leaveAt(9)
	_, err := b.source().Next(b.ctx)
	var oe *stream.OffsetError
	if !errors.As(err, &oe) || oe.Offset != 9 || oe.End != 5 {
		b.Fatalf("error %v", err)
	}
}

func testUnknownTopic(b *bench) {
	start := time.Now()
	if _, err := b.h.NewSource(b.ctx, b.topic, b.group); !errors.Is(err, stream.ErrUnknownTopic) {
		b.Errorf("source: %v", err)
	}
	if _, err := b.h.NewSink(b.ctx, b.topic); !errors.Is(err, stream.ErrUnknownTopic) {
		b.Errorf("sink: %v", err)
	}
	if d := time.Since(start); d > 10*time.Second+slack {
		b.Errorf("it took %v to say so", d)
	}
}

func testCancel(b *bench) {
	g := b.next(b.source())
	ctx, cancel := context.WithTimeout(b.ctx, 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := g.Fetch(ctx, b.tp(0), nil); !errors.Is(err, context.DeadlineExceeded) {
		b.Errorf("a fetch of an empty partition: %v", err)
	}
	if d := time.Since(start); d > 2*time.Second+slack {
		b.Errorf("it took %v to end", d)
	}
	b.h.Produce(b.T, b.topic, 0, numbers(0, 1, nil)...)
	b.fetch(g, 0, 1)
}

func testCloseEnds(b *bench) {
	s := b.source()
	g := b.next(s)
	start := time.Now()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if d := time.Since(start); d > 3*time.Second+slack {
		b.Errorf("Close took %v", d)
	}
	select {
	case <-g.Revoked():
	case <-time.After(slack):
		b.Error("the generation of a closed source goes on")
	}
	if err := g.Commit(b.ctx, []stream.Position{{TopicPartition: b.tp(0), Offset: 1}}); !errors.Is(err, stream.ErrRevoked) {
		b.Errorf("commit after Close: %v", err)
	}
}

func testKeyOrder(b *bench) {
	sink := b.sink(b.topic)
	const keys, each = 7, 60
	var all []stream.Message
	for n := range each {
		for k := range keys {
			all = append(all, stream.Message{Key: fmt.Appendf(nil, "key %d", k), Value: fmt.Append(nil, n)})
		}
	}
	for len(all) > 0 {
		n := min(len(all), 100)
		b.write(sink, all[:n])
		all = all[n:]
	}
	next, where := map[string]int{}, map[string]int{}
	for _, m := range b.h.Read(b.T, b.topic) {
		k := string(m.Key)
		if got := string(m.Value); got != fmt.Sprint(next[k]) {
			b.Fatalf("%s: %q has %s, want %d", m.Where(), k, got, next[k])
		}
		if p, ok := where[k]; ok && p != m.Partition {
			b.Errorf("%q lies in partitions %d and %d", k, p, m.Partition)
		}
		next[k], where[k] = next[k]+1, m.Partition
	}
	for k := range keys {
		if n := next[fmt.Sprintf("key %d", k)]; n != each {
			b.Errorf("key %d: %d messages, want %d", k, n, each)
		}
	}
}

func testKeyless(b *bench) {
	var all []stream.Message
	for n := range 300 {
		all = append(all, stream.Message{TopicPartition: stream.TopicPartition{Topic: "elsewhere", Partition: n % 5}, Value: fmt.Append(nil, n)})
	}
	b.write(b.sink(b.topic), all)
	got := b.h.Read(b.T, b.topic)
	if len(got) != len(all) {
		b.Fatalf("%d messages, want %d", len(got), len(all))
	}
	last, where := map[int]int{}, map[int]int{}
	for _, m := range got {
		var n int
		if _, err := fmt.Sscan(string(m.Value), &n); err != nil {
			b.Fatal(err)
		}
		from := n % 5
		if before, ok := last[from]; ok && (n < before || where[from] != m.Partition) {
			b.Fatalf("messages of partition %d: %d after %d", from, n, before)
		}
		last[from], where[from] = n, m.Partition
	}
}
