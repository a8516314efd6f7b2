package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// Once a topic is gone nothing is committed for the generation that read it. The commit would count
// for a new topic of the same name.
func TestNothingCountsForDeletedTopic(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	set := c.quick(topic, "g")
	set.LookEvery = lookOften
	_, g := open(t, set)
	if err := f.DeleteTopic(topic); err != nil {
		t.Fatal(err)
	}
	select {
	case <-g.Revoked():
	case <-time.After(wait):
		t.Fatal("the generation lasts")
	}
	at := stream.Position{TopicPartition: stream.TopicPartition{Topic: topic}, Offset: 1}
	if err := g.Commit(t.Context(), []stream.Position{at}); !errors.Is(err, stream.ErrRevoked) {
		t.Errorf("a commit: %v", err)
	}
}

// Close leaves a generation that the group has ended, so that the group can rebalance. A current
// generation is kept, since its member would join only to leave.
func TestGenerationIsLetGo(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 2, nil)
	joins, beats := count(f, kmsg.JoinGroup), count(f, kmsg.Heartbeat)
	_, first := open(t, c.quick(topic, "g"))
	other := streamtest.Go(t, func(ctx context.Context) error {
		source, err := kafka.NewSource(ctx, c.quick(topic, "g"))
		if err != nil {
			return err
		}
		defer source.Close()
		g, err := source.Next(ctx)
		if err != nil {
			return err
		}
		if n := len(g.Assigned()); n != 1 {
			return fmt.Errorf("%d of 2 partitions are the second member's: the first was put out of the group", n)
		}
		return nil
	})
	other.Await("the first generation ends", func() bool {
		select {
		case <-first.Revoked():
			return true
		default:
			return false
		}
	})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	streamtest.Await(t, "the second member has its share", other.Ended)
	if err := other.Stop(); err != nil {
		t.Error(err)
	}

	topic = topicFor(t, c, 1, nil)
	_, g := open(t, c.quick(topic, "h"))
	before := joins.Load()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	since := beats.Load()
	streamtest.Await(t, "it is a member still", func() bool { return beats.Load() > since+3 })
	select {
	case <-g.Revoked():
		t.Error("a generation that lasted was let go")
	default:
	}
	if n := joins.Load() - before; n > 2 { // the first group's member may join
		t.Errorf("it has joined %d times", n)
	}
}

// A batch that a broker stored without acknowledging it is sent again unchanged, also together with
// other messages. Other messages in its place use another producer. All arrive once.
func TestInDoubtIsSentAgain(t *testing.T) {
	t.Parallel()
	messages := func(from, to int) []stream.Message {
		out := numbersFrom(from, to)
		for i := range out {
			out[i].Time = time.UnixMilli(int64(from + i + 1))
		}
		return out
	}
	for name, c := range map[string]struct{ next []stream.Message }{
		"the same":      {messages(0, 3)},
		"with others":   {messages(0, 7)},
		"others":        {messages(3, 6)},
		"fewer, others": {messages(3, 4)},
	} {
		cluster, f := newFakeCluster(t)
		topic := topicFor(t, cluster, 1, nil)
		sink, err := cluster.NewSink(t.Context(), topic)
		if err != nil {
			t.Fatal(err)
		}
		f.Fault(faultOf(topic, kmsg.Produce, kerr.RequestTimedOut, 1)) // the broker executes the request
		if err := sink.Write(t.Context(), messages(0, 3)); err == nil {
			t.Errorf("%s: an answer that says that it took too long goes unnoticed", name)
		}
		if err := errors.Join(sink.Write(t.Context(), c.next), sink.Write(t.Context(), messages(7, 8)), sink.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := map[string]int{}
		for _, m := range cluster.Read(t, topic) {
			got[string(m.Value)]++
		}
		for _, m := range append(append(messages(0, 3), c.next...), messages(7, 8)...) {
			if got[string(m.Value)] != 1 {
				t.Errorf("%s: message %s is there %d times", name, m.Value, got[string(m.Value)])
			}
		}
	}
}

// A partition read to its end is not blocked. A fetch that works again is reported once.
func TestReadingAtRest(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	tp := stream.TopicPartition{Topic: topic}
	c.Produce(t, topic, 0, numbersFrom(0, 3)...)
	asked, fetches := count(f, kmsg.DescribeProducers), count(f, kmsg.Fetch)
	var retries, recovered atomic.Int64
	set := c.quick(topic, "g")
	set.FetchWait, set.BlockedAfter = time.Millisecond, time.Nanosecond
	set.Retrying = func(what string, _ int, _ error, _ time.Duration) {
		if what == "fetch" {
			retries.Add(1)
		}
	}
	set.Recovered = func(what string) {
		if recovered.Add(1); what != "fetch" {
			t.Errorf("%s works again", what)
		}
	}
	_, g := open(t, set)
	if got := fetchN(t, g, tp, 3); len(got) != 3 {
		t.Fatalf("%d messages", len(got))
	}
	tried, before := retries.Load(), recovered.Load()
	// The broker still answers the fetch that fetchN has given up. The fault lasts until a fetch
	// whose result counts has met it.
	f.Fault(faultUntil(topic, kmsg.Fetch, kerr.NotLeaderForPartition, func() bool { return retries.Load() > tried }))
	reading := streamtest.Go(t, func(ctx context.Context) error {
		run, err := g.Fetch(ctx, tp, nil)
		if err == nil && len(run.Messages) != 1 {
			err = fmt.Errorf("%d messages", len(run.Messages))
		}
		return err
	})
	reading.Await("it works again", func() bool { return recovered.Load() > before })
	since := fetches.Load()
	reading.Await("it goes on", func() bool { return fetches.Load() > since+5 })
	c.Produce(t, topic, 0, numbersFrom(3, 4)...)
	streamtest.Await(t, "the next message is read", reading.Ended)
	if err := reading.Stop(); err != nil {
		t.Error(err)
	}
	if n := recovered.Load() - before; n != 1 || asked.Load() != 0 {
		t.Errorf("it works again %d times; it asks %d times who holds it back", n, asked.Load())
	}
}

// Partitions without a known offset are reported if they have had messages, and otherwise not.
func TestNoOffsetsAreReported(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	for n, want := range map[int]int{0: 0, 2: 1} {
		topic := topicFor(t, c, 1, nil)
		if n > 0 {
			c.Produce(t, topic, 0, numbersFrom(0, n)...)
		}
		reports := 0
		set := c.quick(topic, topic)
		set.NoOffsets = func(at []stream.Position) {
			if reports++; len(at) != 1 || at[0].Topic != topic || at[0].Offset != 0 {
				t.Errorf("reading begins at %v", at)
			}
		}
		if open(t, set); reports != want {
			t.Errorf("of a topic of %d messages: %d reports", n, reports)
		}
	}
}
