package kafka_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
)

// endings counts the commits and aborts of transactions.
type endings struct{ commits, aborts atomic.Int64 }

func countEnds(f *kfake.Cluster) *endings {
	var e endings
	f.ControlKey(int16(kmsg.EndTxn), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		if r.(*kmsg.EndTxnRequest).Commit {
			e.commits.Add(1)
		} else {
			e.aborts.Add(1)
		}
		return nil, nil, false
	})
	return &e
}

// A failed transaction is aborted at once, so that readers of committed messages need not wait for
// its timeout. The next one of the same producer has a new epoch and succeeds.
func TestFailedTransactionIsAborted(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]kmsg.Key{"writing": kmsg.Produce, "the group's offset": kmsg.TxnOffsetCommit, "adding partitions": kmsg.AddPartitionsToTxn} {
		c, f := newFakeCluster(t)
		set, tp := transactional(t, c)
		_, g := open(t, set)
		ends, epochs := countEnds(f), count(f, kmsg.InitProducerID)
		tx := stream.Transaction{Position: stream.Position{TopicPartition: tp, Offset: 1}, Outputs: numbersFrom(0, 2)}
		f.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.InvalidTxnState, Count: 1})
		err := g.(stream.Transactional).Transact(t.Context(), tx)
		if err == nil || errors.Is(err, stream.ErrRevoked) {
			t.Errorf("%s fails: %v", name, err)
		}
		if begun := key != kmsg.AddPartitionsToTxn; ends.commits.Load() != 0 || (ends.aborts.Load() == 1) != begun {
			t.Errorf("%s fails: %d transactions are committed, %d aborted", name, ends.commits.Load(), ends.aborts.Load())
		}
		if n := len(c.Read(t, set.Transactions.Outputs)); n != 0 {
			t.Errorf("%s fails: %d outputs can be read", name, n)
		}
		if err := g.(stream.Transactional).Transact(t.Context(), tx); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
		if n := len(c.Read(t, set.Transactions.Outputs)); n != 2 || c.Committed(t, tp.Topic, tp.Topic)[0] != 1 || epochs.Load() == 0 {
			t.Errorf("after %s: %d outputs, committed %v, %d new epochs", name, n, c.Committed(t, tp.Topic, tp.Topic), epochs.Load())
		}
	}
}

// A transaction that ends before the brokers have all of it would commit a part. Its end waits for
// every answer.
func TestTransactionEndsLast(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	set, tp := transactional(t, c)
	_, g := open(t, set)
	ends := countEnds(f)
	var early atomic.Bool
	f.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.SleepControl(func() {
			// The other requests continue and arrive in the meantime.
			for range 20 {
				if c.Committed(t, tp.Topic, tp.Topic); ends.commits.Load() > 0 {
					early.Store(true)
				}
			}
		})
		return nil, nil, false
	})
	tx := stream.Transaction{Position: stream.Position{TopicPartition: tp, Offset: 1}, Outputs: numbersFrom(0, 2)}
	if err := g.(stream.Transactional).Transact(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if early.Load() || ends.commits.Load() != 1 {
		t.Errorf("it was ended before its messages were written: %v, %d ends", early.Load(), ends.commits.Load())
	}
}

// A transaction belongs to an assigned partition of the source's topic, and needs a topic for its
// dead letters.
func TestTransactionsThatCannotBe(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	set, tp := transactional(t, c)
	_, g := open(t, set)
	for want, tx := range map[string]stream.Transaction{
		"is not assigned": {Position: stream.Position{TopicPartition: stream.TopicPartition{Topic: tp.Topic, Partition: 1}, Offset: 1}},
		"not assigned, or the source has no transactions": {Position: stream.Position{TopicPartition: stream.TopicPartition{Topic: "other"}, Offset: 1}},
		"no topic for them": {Position: stream.Position{TopicPartition: tp, Offset: 1}, Letters: numbersFrom(0, 1)},
	} {
		if err := g.(stream.Transactional).Transact(t.Context(), tx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	set.Transactions = &kafka.Transactions{Outputs: set.Transactions.Outputs, Letters: "absent"}
	if _, err := kafka.NewSource(t.Context(), set); !errors.Is(err, stream.ErrUnknownTopic) || !strings.Contains(err.Error(), "absent") {
		t.Errorf("dead letters in a topic that there is not: %v", err)
	}
}

// A member that is fenced while it ends a former owner's transaction has lost its partitions: it
// joins again.
func TestFencedWhileTakingOver(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	set, tp := transactional(t, c)
	a := &amnesia{state: "CompleteCommit"}
	a.befall(f)
	joins := count(f, kmsg.JoinGroup)
	var fenced atomic.Bool
	f.ControlKey(int16(kmsg.AddOffsetsToTxn), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		if !fenced.CompareAndSwap(false, true) {
			return nil, nil, false
		}
		resp := r.ResponseKind().(*kmsg.AddOffsetsToTxnResponse)
		resp.ErrorCode = kerr.InvalidProducerEpoch.Code
		return resp, nil, true
	})
	_, g := open(t, set)
	if len(g.Assigned()) != 1 || !fenced.Load() || joins.Load() < 2 {
		t.Errorf("fenced %v: %d partitions after %d joins", fenced.Load(), len(g.Assigned()), joins.Load())
	}
	tx := stream.Transaction{Position: stream.Position{TopicPartition: tp, Offset: 1}, Outputs: numbersFrom(0, 1)}
	if err := g.(stream.Transactional).Transact(t.Context(), tx); err != nil {
		t.Error(err)
	}
}

// Outputs that a transaction left open become part of another one that ends in the same way. It
// covers the partitions where this producer blocks readers, and no others.
func TestHangingOutputs(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	in, out := topicFor(t, c, 1, nil), topicFor(t, c, 4, nil)
	for p := range 3 { // the last one is empty, so that it blocks no reader
		c.Produce(t, out, p, numbersFrom(0, 2)...)
	}
	const producer, stranger = 4711, 4712
	ends := countEnds(f)
	f.ControlKey(int16(kmsg.DescribeTransactions), func(r kmsg.Request) (kmsg.Response, error, bool) {
		resp := r.ResponseKind().(*kmsg.DescribeTransactionsResponse)
		st := kmsg.NewDescribeTransactionsResponseTransactionState()
		st.TransactionalID, st.State, st.ProducerID = r.(*kmsg.DescribeTransactionsRequest).TransactionalIDs[0], "CompleteAbort", producer
		resp.TransactionStates = append(resp.TransactionStates, st)
		return resp, nil, true
	})
	f.ControlKey(int16(kmsg.DescribeProducers), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		resp := r.ResponseKind().(*kmsg.DescribeProducersResponse)
		asked := r.(*kmsg.DescribeProducersRequest).Topics[0]
		topic, part, active := kmsg.NewDescribeProducersResponseTopic(), kmsg.NewDescribeProducersResponseTopicPartition(), kmsg.NewDescribeProducersResponseTopicPartitionActiveProducer()
		topic.Topic, part.Partition = asked.Topic, asked.Partitions[0]
		active.CurrentTxnStartOffset = 0
		if active.ProducerID = producer; part.Partition == 2 {
			active.ProducerID = stranger
		}
		part.ActiveProducers = append(part.ActiveProducers, active)
		topic.Partitions = append(topic.Partitions, part)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	f.ControlKey(int16(kmsg.ListOffsets), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		req := kreq.(*kmsg.ListOffsetsRequest)
		if req.IsolationLevel != 1 || req.Topics[0].Topic != out || ends.aborts.Load() > 0 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		topic := kmsg.NewListOffsetsResponseTopic()
		topic.Topic = out
		for _, p := range req.Topics[0].Partitions {
			part := kmsg.NewListOffsetsResponseTopicPartition()
			part.Partition, part.Timestamp, part.Offset = p.Partition, -1, 0
			if p.Partition == 0 {
				part.Offset = 2
			}
			topic.Partitions = append(topic.Partitions, part)
		}
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	var added []int32
	f.ControlKey(int16(kmsg.AddPartitionsToTxn), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		for _, topic := range r.(*kmsg.AddPartitionsToTxnRequest).Topics {
			if topic.Topic == out {
				added = append(added, topic.Partitions...)
			}
		}
		return nil, nil, false
	})
	set := c.quick(in, in)
	set.Transactions = &kafka.Transactions{Outputs: out}
	open(t, set)
	if !slices.Equal(added, []int32{1}) || ends.aborts.Load() != 1 || ends.commits.Load() != 0 {
		t.Errorf("partitions %v are ended, by %d aborts and %d commits; want partition 1 by an abort", added, ends.aborts.Load(), ends.commits.Load())
	}
}
