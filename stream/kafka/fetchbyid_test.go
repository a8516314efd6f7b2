package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// A topic is created again and grows beyond the old offset before the next request. Each of its
// messages is read once, although nothing checks the topic by itself.
func TestOutgrown(t *testing.T) {
	t.Parallel()
	const before, after = 20, 60
	for _, exactly := range []bool{false, true} {
		t.Run(fmt.Sprintf("exactly once %v", exactly), func(t *testing.T) {
			t.Parallel()
			c, f := newFakeCluster(t)
			in, out := "in", topicFor(t, c, 1, nil)
			c.createTopic(t, in, 1, nil)
			set := c.quick(in, "g")
			set.Alone, set.LookEvery = true, time.Hour
			if exactly {
				set.Transactions = &kafka.Transactions{Outputs: out}
			}
			life := streamtest.Go(t, func(ctx context.Context) error {
				return c.deliver(ctx, set, out, "", &stream.Pipeline{Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{},
					Settings: stream.Settings{CommitEvery: time.Millisecond}})
			})
			c.Produce(t, in, 0, numbersFrom(0, before)...)
			life.Await("all is committed", func() bool { return c.done(t, "g", in) == before })
			// Fetches are answered only when the new topic is long.
			var held atomic.Int64
			long := make(chan struct{})
			f.ControlKey(int16(kmsg.Fetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
				f.KeepControl()
				select {
				case <-long:
				default:
					held.Add(1)
					f.SleepControl(func() { <-long })
				}
				return nil, nil, false
			})
			life.Await("a fetch is held", func() bool { return held.Load() > 0 })
			if err := errors.Join(f.DeleteTopic(in), f.CreateTopic(in, 1, nil)); err != nil {
				t.Fatal(err)
			}
			c.client.PurgeTopicsFromClient(in)
			c.Produce(t, in, 0, numbersFrom(1000, 1000+after)...)
			close(long)
			life.Await("the end is committed", func() bool { return c.done(t, "g", in) == after })
			if err := life.Stop(); err != nil {
				t.Fatal(err)
			}
			got := placedNumbers(t, c, out)
			for n := range after {
				if got[1000+n] != 1 {
					t.Errorf("message %d of the new topic comes %d times", n, got[1000+n])
				}
			}
		})
	}
}

// Reading an old topic does not commit offsets of a new topic of the same name: a restarted process
// would skip messages.
func TestOffsetsOfTheOldTopic(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	in, out := "in", topicFor(t, c, 1, nil)
	c.createTopic(t, in, 1, nil)
	set := c.quick(in, "g")
	set.LookEvery, set.Transactions = time.Hour, &kafka.Transactions{Outputs: out}
	_, g := open(t, set)
	tp := stream.TopicPartition{Topic: in}
	c.Produce(t, in, 0, numbersFrom(0, 5)...)
	fetchN(t, g, tp, 5)
	if err := errors.Join(f.DeleteTopic(in), f.CreateTopic(in, 1, nil)); err != nil {
		t.Fatal(err)
	}
	at := stream.Position{TopicPartition: tp, Offset: 5}
	if err := g.Commit(t.Context(), []stream.Position{at}); !errors.Is(err, stream.ErrRevoked) {
		t.Errorf("committing: %v", err)
	}
	err := g.(stream.Transactional).Transact(t.Context(), stream.Transaction{Position: at, Outputs: numbersFrom(0, 5)})
	if !errors.Is(err, stream.ErrRevoked) {
		t.Errorf("a transaction: %v", err)
	}
	if got := c.Committed(t, "g", in); len(got) > 0 {
		t.Errorf("of the new topic is committed %v", got)
	}
}

// Brokers without fetch by topic id are asked by name.
func TestFetchByName(t *testing.T) {
	t.Parallel()
	c := newFake(t, kfake.MaxVersions(kversion.V3_0_0()))
	topic := topicFor(t, c, 1, nil)
	_, g := open(t, c.quick(topic, "g"))
	c.Produce(t, topic, 0, numbersFrom(0, 5)...)
	if got := fetchN(t, g, stream.TopicPartition{Topic: topic}, 5); len(got) != 5 {
		t.Errorf("%d messages", len(got))
	}
}

// With brokers that have no ids of topics, before 2.8, added partitions and the end of a topic are
// noticed by their number.
func TestTopicsWithoutIDs(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t, kfake.MaxVersions(kversion.V2_6_0()))
	topic := topicFor(t, c, 1, nil)
	set := c.quick(topic, "g")
	set.LookEvery = lookOften
	var again atomic.Int64
	set.CreatedAgain = func(string) { again.Add(1) }
	source, g := open(t, set)
	revoked := func(why string) {
		t.Helper()
		select {
		case <-g.Revoked():
		case <-time.After(wait):
			t.Fatalf("%s go unnoticed", why)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c.Produce(t, topic, 0, numbersFrom(0, 5)...)
	if got := fetchN(t, g, stream.TopicPartition{Topic: topic}, 5); len(got) != 5 {
		t.Errorf("%d messages", len(got))
	}
	if err := addPartitions(t.Context(), c, topic, 3); err != nil {
		t.Fatal(err)
	}
	revoked("partitions that were added")
	g, err := source.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.Assigned()); n != 3 {
		t.Errorf("%d of 3 partitions are read", n)
	}
	if err := f.DeleteTopic(topic); err != nil {
		t.Fatal(err)
	}
	revoked("partitions that were deleted")
	for range 2 { // the topic stays away
		if g, err = source.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(g.Assigned()); n != 0 || again.Load() != 0 {
			t.Errorf("without a topic: %d partitions, created again %d times", n, again.Load())
		}
	}
	if err := f.CreateTopic(topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	revoked("partitions of a topic that is there again")
	if g, err = source.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(g.Assigned()); n != 1 || g.Assigned()[0].Offset != 0 || again.Load() != 1 {
		t.Errorf("with a new topic: %v, created again %d times", g.Assigned(), again.Load())
	}
}

// A topic that was created again and is shorter is not taken for a loss, even where topics are fetched
// by name: the generation ends without a report, and the next one begins with the new topic.
func TestShorterTopicIsNoGap(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t, kfake.MaxVersions(kversion.V3_0_0()))
	topic := topicFor(t, c, 1, nil)
	tp := stream.TopicPartition{Topic: topic}
	set := c.quick(topic, "g")
	set.LookEvery = time.Hour
	set.Gap = func(gap *stream.OffsetError) { t.Errorf("a gap is reported: %v", gap) }
	var again atomic.Int64
	set.CreatedAgain = func(string) { again.Add(1) }
	source, g := open(t, set)
	c.Produce(t, topic, 0, numbersFrom(0, 10)...)
	if got := fetchN(t, g, tp, 10); len(got) != 10 {
		t.Fatalf("%d messages", len(got))
	}
	if err := errors.Join(f.DeleteTopic(topic), f.CreateTopic(topic, 1, nil)); err != nil {
		t.Fatal(err)
	}
	c.client.PurgeTopicsFromClient(topic)
	c.Produce(t, topic, 0, numbersFrom(100, 102)...)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	if run, err := g.Fetch(ctx, tp, nil); !errors.Is(err, stream.ErrRevoked) {
		t.Fatalf("%d messages, %v", len(run.Messages), err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	g, err := source.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := fetchN(t, g, tp, 2); len(got) != 2 || got[0].Offset != 0 || again.Load() != 1 {
		t.Errorf("%d messages; the topic was created again %d times", len(got), again.Load())
	}
}
