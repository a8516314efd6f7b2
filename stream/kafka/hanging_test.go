package kafka_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
)

// amnesia is a cluster that counts a transaction as ended but keeps its offset open, as Kafka 4.3
// does after a crash at the wrong moment.
type amnesia struct {
	state string
	// ends counts the committed and aborted transactions. The first one closes the offset.
	commits, aborts atomic.Int64
}

func (a *amnesia) befall(f *kfake.Cluster) {
	f.ControlKey(int16(kmsg.DescribeTransactions), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		if a.commits.Load()+a.aborts.Load() > 0 {
			return nil, nil, false
		}
		resp := r.ResponseKind().(*kmsg.DescribeTransactionsResponse)
		st := kmsg.NewDescribeTransactionsResponseTransactionState()
		st.TransactionalID, st.State = r.(*kmsg.DescribeTransactionsRequest).TransactionalIDs[0], a.state
		resp.TransactionStates = append(resp.TransactionStates, st)
		return resp, nil, true
	})
	f.ControlKey(int16(kmsg.EndTxn), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		if r.(*kmsg.EndTxnRequest).Commit {
			a.commits.Add(1)
		} else {
			a.aborts.Add(1)
		}
		return nil, nil, false
	})
	f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.UnstableOffsetCommit, Count: -1,
		When: func(r kmsg.Request) bool { return r.GetVersion() == 7 && a.commits.Load()+a.aborts.Load() == 0 }})
}

// TestHangingTransactions: open parts of a transaction are ended as the transaction was, and
// delivery continues.
func TestHangingTransactions(t *testing.T) {
	for state, want := range map[string][2]int64{"CompleteCommit": {1, 0}, "CompleteAbort": {0, 1}} {
		t.Run(state, func(t *testing.T) {
			c, f := newFakeCluster(t)
			in, out := topicFor(t, c, 1, nil), topicFor(t, c, 2, nil)
			c.Produce(t, in, 0, stream.Message{Value: []byte("1")})
			set := c.quick(in, in)
			set.Transactions = &kafka.Transactions{Outputs: out}
			var reported atomic.Int64
			set.Retrying = func(what string, _ int, err error, _ time.Duration) {
				if what == "transaction" && strings.Contains(err.Error(), "left a transaction open") {
					reported.Add(1)
				}
			}
			a := &amnesia{state: state}
			a.befall(f)
			_, g := open(t, set)
			if got := [2]int64{a.commits.Load(), a.aborts.Load()}; got != want {
				t.Errorf("%d transactions were committed and %d aborted, want %v", got[0], got[1], want)
			}
			if reported.Load() != 1 {
				t.Errorf("reported %d times", reported.Load())
			}
			at := stream.Position{TopicPartition: stream.TopicPartition{Topic: in}, Offset: 1}
			if err := g.(stream.Transactional).Transact(t.Context(), stream.Transaction{Position: at, Outputs: []stream.Message{{Value: []byte("2")}}}); err != nil {
				t.Fatal(err)
			}
			if got := c.Read(t, out); len(got) != 1 || c.Committed(t, in, in)[0] != 1 {
				t.Errorf("%d outputs, committed %v", len(got), c.Committed(t, in, in))
			}
		})
	}
}

// TestOngoingTransactions: a transaction that its owner left open is ended before the parts that hang,
// and then awaited, also if it is being ended already. That is no failure.
func TestOngoingTransactions(t *testing.T) {
	for _, ending := range []bool{false, true} {
		t.Run(fmt.Sprintf("being ended %v", ending), func(t *testing.T) {
			t.Parallel()
			c, f := newFakeCluster(t)
			in, out := topicFor(t, c, 1, nil), topicFor(t, c, 2, nil)
			var looks, ends atomic.Int64
			f.ControlKey(int16(kmsg.DescribeTransactions), func(r kmsg.Request) (kmsg.Response, error, bool) {
				f.KeepControl()
				if ends.Load() > 0 {
					return nil, nil, false
				}
				looks.Add(1)
				resp := r.ResponseKind().(*kmsg.DescribeTransactionsResponse)
				st := kmsg.NewDescribeTransactionsResponseTransactionState()
				st.TransactionalID, st.State = r.(*kmsg.DescribeTransactionsRequest).TransactionalIDs[0], "Ongoing"
				resp.TransactionStates = append(resp.TransactionStates, st)
				return resp, nil, true
			})
			f.ControlKey(int16(kmsg.InitProducerID), func(r kmsg.Request) (kmsg.Response, error, bool) {
				f.KeepControl()
				if looks.Load() == 0 || ends.Add(1) > 1 || !ending {
					return nil, nil, false
				}
				resp := r.ResponseKind().(*kmsg.InitProducerIDResponse)
				resp.ErrorCode = kerr.ConcurrentTransactions.Code
				return resp, nil, true
			})
			a := &amnesia{state: "CompleteAbort"}
			a.befall(f)
			set := c.quick(in, in)
			set.Transactions = &kafka.Transactions{Outputs: out}
			set.Retrying = func(what string, _ int, err error, _ time.Duration) {
				if errors.Is(err, kafkago.ConcurrentTransactions) {
					t.Errorf("%s: %v", what, err)
				}
			}
			open(t, set)
			if looks.Load() != 1 || ends.Load() == 0 || a.aborts.Load() != 1 || a.commits.Load() != 0 {
				t.Errorf("open at %d looks, ended %d times; of the open part %d are aborted and %d committed", looks.Load(), ends.Load(), a.aborts.Load(), a.commits.Load())
			}
		})
	}
}

// TestHangingWhileRunning: if requests fail between two transactions, the stage checks that the
// first has ended everywhere before it writes more.
func TestHangingWhileRunning(t *testing.T) {
	c, f := newFakeCluster(t)
	in, out := topicFor(t, c, 1, nil), topicFor(t, c, 2, nil)
	set := c.quick(in, in)
	set.Transactions = &kafka.Transactions{Outputs: out}
	_, g := open(t, set)
	transact := func(offset int64) {
		t.Helper()
		at := stream.Position{TopicPartition: stream.TopicPartition{Topic: in}, Offset: offset}
		if err := g.(stream.Transactional).Transact(t.Context(), stream.Transaction{Position: at, Outputs: []stream.Message{{Key: []byte("k"), Value: []byte("v")}}}); err != nil {
			t.Fatal(err)
		}
	}
	transact(1)
	a := &amnesia{state: "CompleteCommit"}
	a.befall(f)
	transact(2)
	if n := a.commits.Load(); n != 1 {
		t.Errorf("in calm %d transactions were committed for one", n)
	}
	a.commits.Store(0)
	f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.AddPartitionsToTxn}, Err: kerr.CoordinatorNotAvailable, Count: 1})
	transact(3)
	if n := a.commits.Load(); n != 2 {
		t.Errorf("after trouble %d transactions were committed, want the one before once more and the new one", n)
	}
	looks := count(f, kmsg.OffsetFetch)
	if transact(4); looks.Load() != 0 {
		t.Errorf("in calm again it looks %d times", looks.Load())
	}
	if got := c.Read(t, out); len(got) != 4 || c.Committed(t, in, in)[0] != 4 {
		t.Errorf("%d outputs, committed %v", len(got), c.Committed(t, in, in))
	}
}

// TestStrangersTransaction: another producer's open transaction in the topic of outputs is left as
// it is.
func TestStrangersTransaction(t *testing.T) {
	c, f := newFakeCluster(t)
	in, out := topicFor(t, c, 1, nil), topicFor(t, c, 1, nil)
	stranger, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("stranger"), kgo.DefaultProduceTopic(out))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	if err := errors.Join(stranger.BeginTransaction(), stranger.ProduceSync(t.Context(), kgo.StringRecord("open")).FirstErr()); err != nil {
		t.Fatal(err)
	}
	a := &amnesia{state: "CompleteCommit"}
	a.befall(f)
	set := c.quick(in, in)
	set.Transactions = &kafka.Transactions{Outputs: out}
	_, g := open(t, set)
	if a.commits.Load() != 1 {
		t.Errorf("%d transactions were committed", a.commits.Load())
	}
	at := stream.Position{TopicPartition: stream.TopicPartition{Topic: in}, Offset: 0}
	if err := g.(stream.Transactional).Transact(t.Context(), stream.Transaction{Position: at, Outputs: []stream.Message{{Value: []byte("ours")}}}); err != nil {
		t.Fatal(err)
	}
	if err := stranger.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	if got := c.Read(t, out); len(got) != 1 || string(got[0].Value) != "ours" {
		t.Errorf("read %v", got)
	}
}

// TestFrozenOwnersTransaction: the owner of another partition is frozen with an open transaction
// among the outputs. Failing requests are then not mistaken for a transaction that brokers left
// open in part. A real one is reported once.
func TestFrozenOwnersTransaction(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	in, out := topicFor(t, c, 1, nil), topicFor(t, c, 1, nil)
	frozen, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("unfold-"+in+"-"+in+"-1"), kgo.DefaultProduceTopic(out))
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	if err := errors.Join(frozen.BeginTransaction(), frozen.ProduceSync(t.Context(), kgo.StringRecord("open")).FirstErr()); err != nil {
		t.Fatal(err)
	}
	var reported, ends atomic.Int64
	f.ControlKey(int16(kmsg.EndTxn), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		ends.Add(1)
		return nil, nil, false
	})
	set := c.quick(in, in)
	set.Transactions = &kafka.Transactions{Outputs: out}
	set.Retrying = func(what string, _ int, err error, _ time.Duration) {
		if strings.Contains(err.Error(), "left a transaction open") {
			reported.Add(1)
		}
	}
	_, g := open(t, set)
	const rounds = 5
	for n := range rounds {
		f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.AddPartitionsToTxn}, Err: kerr.CoordinatorNotAvailable, Count: 1})
		at := stream.Position{TopicPartition: stream.TopicPartition{Topic: in}, Offset: int64(n)}
		if err := g.(stream.Transactional).Transact(t.Context(), stream.Transaction{Position: at, Outputs: []stream.Message{{Value: []byte("ours")}}}); err != nil {
			t.Fatal(err)
		}
	}
	if reported.Load() != 0 || ends.Load() != rounds {
		t.Errorf("%d open transactions were reported; %d were ended for %d", reported.Load(), ends.Load(), rounds)
	}
	if err := frozen.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	if got := c.Read(t, out); len(got) != rounds {
		t.Errorf("%d outputs", len(got))
	}
}
