package kafka_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
)

// transactional returns quick settings of a source with transactions, on new topics.
func transactional(t *testing.T, c *cluster) (set kafka.SourceSettings, tp stream.TopicPartition) {
	t.Helper()
	in, out := topicFor(t, c, 1, nil), topicFor(t, c, 1, nil)
	set = c.quick(in, in)
	set.Transactions = &kafka.Transactions{Outputs: out}
	return set, stream.TopicPartition{Topic: in}
}

// A new leader may not know the log's end for a moment. An offset beyond its reported end is then
// no gap: the fetch is retried, and reading continues.
func TestShortLogForAMoment(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	tp := stream.TopicPartition{Topic: topic}
	c.Produce(t, topic, 0, numbersFrom(0, 10)...)
	set := c.quick(topic, "g")
	set.OnGap = kafka.Continue
	set.Gap = func(gap *stream.OffsetError) { t.Errorf("it is taken for a gap: %v", gap) }
	_, g := open(t, set)
	if got := fetchN(t, g, tp, 10); len(got) != 10 {
		t.Fatalf("%d messages", len(got))
	}
	const short = 3
	var asked atomic.Int64
	f.ControlKey(int16(kmsg.ListOffsets), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		req := kreq.(*kmsg.ListOffsetsRequest)
		if req.Topics[0].Topic != topic || asked.Add(1) > short {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		rt := kmsg.NewListOffsetsResponseTopic()
		rt.Topic = topic
		for _, p := range req.Topics[0].Partitions {
			rp := kmsg.NewListOffsetsResponseTopicPartition()
			rp.Partition, rp.Timestamp = p.Partition, -1
			if rp.Offset = 4; p.Timestamp == -2 {
				rp.Offset = 0
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
	// fetchN has given up a fetch that the broker may answer only now.
	f.Fault(faultUntil(topic, kmsg.Fetch, kerr.OffsetOutOfRange, func() bool { return asked.Load() > short }))
	c.Produce(t, topic, 0, numbersFrom(10, 12)...)
	if got := fetchN(t, g, tp, 2); len(got) != 2 || got[0].Offset != 10 {
		t.Errorf("it goes on with %d messages", len(got))
	}
	if n := asked.Load(); n <= short {
		t.Errorf("the log's end was asked for %d times", n)
	}
}

// While a transaction that moves the group's offset is open, the last committed offset must not be
// used. It is requested again until it is stable.
func TestOpenTransactionsAreWaitedFor(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	set, tp := transactional(t, c)
	c.Produce(t, tp.Topic, 0, numbersFrom(0, 10)...)
	source, g := open(t, set)
	tx := stream.Transaction{Position: stream.Position{TopicPartition: tp, Offset: 7}}
	if err := errors.Join(g.(stream.Transactional).Transact(t.Context(), tx), g.Close(), source.Close()); err != nil {
		t.Fatal(err)
	}
	const unstable = 3
	var asked atomic.Int64
	f.ControlKey(int16(kmsg.OffsetFetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		req := kreq.(*kmsg.OffsetFetchRequest)
		if req.Version != 7 {
			return nil, nil, false // the library's own request
		}
		if !req.RequireStable {
			t.Error("it does not ask for a stable offset")
		}
		if asked.Add(1) > unstable {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		rt := kmsg.NewOffsetFetchResponseTopic()
		rt.Topic = tp.Topic
		rp := kmsg.NewOffsetFetchResponseTopicPartition()
		rp.Offset, rp.ErrorCode = 2, kerr.UnstableOffsetCommit.Code
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
	_, g = open(t, set)
	if at := g.Assigned(); len(at) != 1 || at[0].Offset != 7 {
		t.Errorf("it begins at %v, want offset 7", at)
	}
	if asked.Load() <= unstable {
		t.Errorf("the offset was asked for %d times", asked.Load())
	}
}

// After Close nothing is committed, neither by a commit nor by a transaction, although the group
// still has this member.
func TestNoCommitAfterClose(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	set, tp := transactional(t, c)
	c.Produce(t, tp.Topic, 0, numbersFrom(0, 10)...)
	_, g := open(t, set)
	at := stream.Position{TopicPartition: tp, Offset: 4}
	if err := g.Commit(t.Context(), []stream.Position{at}); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	at.Offset = 6
	if err := g.Commit(t.Context(), []stream.Position{at}); !errors.Is(err, stream.ErrRevoked) {
		t.Errorf("a commit: %v", err)
	}
	if err := g.(stream.Transactional).Transact(t.Context(), stream.Transaction{Position: at, Outputs: numbersFrom(0, 1)}); !errors.Is(err, stream.ErrRevoked) {
		t.Errorf("a transaction: %v", err)
	}
	if got := c.Committed(t, tp.Topic, tp.Topic)[0]; got != 4 {
		t.Errorf("offset %d is committed, want 4", got)
	}
	if n := len(c.Read(t, set.Transactions.Outputs)); n != 0 {
		t.Errorf("%d outputs were written", n)
	}
}

// A broker that already has a batch, because its acknowledgement was lost, reports a duplicate.
// That is success: nothing is sent again.
func TestDuplicateSequenceIsSuccess(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	set, tp := transactional(t, c)
	out := set.Transactions.Outputs
	produced := f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: out, Observe: true, Count: -1})
	duplicate := kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: out, Err: kerr.DuplicateSequenceNumber}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	sink, err := c.NewSink(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	f.Fault(duplicate)
	if err := sink.Write(ctx, numbersFrom(0, 3)); err != nil {
		t.Errorf("a sink: %v", err)
	}
	if n := produced.Hits(); n > 1 {
		t.Errorf("a sink sends %d requests", n)
	}
	before := produced.Hits()
	c.Produce(t, tp.Topic, 0, numbersFrom(0, 10)...)
	_, g := open(t, set)
	f.Fault(duplicate)
	at := stream.Position{TopicPartition: tp, Offset: 3}
	if err := g.(stream.Transactional).Transact(ctx, stream.Transaction{Position: at, Outputs: numbersFrom(0, 3)}); err != nil {
		t.Errorf("a transaction: %v", err)
	}
	if n := produced.Hits() - before; n > 1 {
		t.Errorf("a transaction sends %d requests", n)
	}
	if got := c.Committed(t, tp.Topic, tp.Topic)[0]; got != 3 {
		t.Errorf("offset %d is committed, want 3", got)
	}
}
