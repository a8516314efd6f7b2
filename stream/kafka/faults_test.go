package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// cuts is a network that loses a given number of answers, with their connections.
type cuts struct{ left, lost atomic.Int64 }

func (c *cuts) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	return cutListener{l, c}, nil
}

type cutListener struct {
	net.Listener
	cuts *cuts
}

func (l cutListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return cutConn{conn, l.cuts}, nil
}

type cutConn struct {
	net.Conn
	cuts *cuts
}

// Write loses the answer to a request that the broker has executed.
func (c cutConn) Write(b []byte) (int, error) {
	if c.cuts.left.Load() > 0 && c.cuts.left.Add(-1) >= 0 {
		c.cuts.lost.Add(1)
		return 0, errors.Join(net.ErrClosed, c.Close())
	}
	return c.Conn.Write(b)
}

// TestFaults runs a pipeline while brokers refuse requests, leaders and coordinators move, and
// answers get lost. No message is lost.
func TestFaults(t *testing.T) {
	t.Parallel()
	testFaults(t, false, 7)
}

// TestFaultsExactlyOnce runs the same with transactions: no message is duplicated either.
func TestFaultsExactlyOnce(t *testing.T) {
	t.Parallel()
	testFaults(t, true, 7)
}

func testFaults(t *testing.T, exactlyOnce bool, seed uint64) {
	var net cuts
	c, f := newFakeCluster(t, kfake.NumBrokers(3), kfake.ListenFn(net.listen))
	c.replication = 3
	in, out := topicFor(t, c, 4, nil), topicFor(t, c, 3, nil)
	const n = 3000
	for p := range 4 {
		var batch []stream.Message
		for i := range n / 4 {
			batch = append(batch, stream.Message{Key: fmt.Append(nil, p, i%3), Value: fmt.Append(nil, i)})
		}
		c.Produce(t, in, p, batch...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*wait)
	defer cancel()
	// This request always fails once; the others fail at random.
	f.Fault(faultOf(in, kmsg.Fetch, kerr.NotLeaderForPartition, 1))
	rng := rand.New(rand.NewPCG(seed, 7))
	var handles []*kfake.FaultHandle
	trouble := func() {
		any := []*kerr.Error{kerr.NotLeaderForPartition, kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend, kerr.UnknownServerError, kerr.LeaderNotAvailable}
		group := []*kerr.Error{kerr.NotCoordinator, kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.RebalanceInProgress}
		fault := kfake.Fault{Count: 1 + rng.IntN(3)}
		choices := 7
		if exactlyOnce {
			choices = 10
		}
		switch rng.IntN(choices) {
		case 0, 1:
			fault.Keys, fault.Topic, fault.Err = []kmsg.Key{kmsg.Produce}, out, any[rng.IntN(len(any))]
		case 2:
			fault.Keys, fault.Topic, fault.Err = []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets}, in, any[rng.IntN(2)]
		case 3:
			fault.Keys, fault.Group, fault.Err = []kmsg.Key{kmsg.OffsetCommit, kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup}, in, group[rng.IntN(len(group))]
		case 4:
			f.ShufflePartitionLeaders()
			return
		case 5:
			f.RehashCoordinators()
			return
		case 6:
			net.left.Store(int64(1 + rng.IntN(3)))
			return
		default:
			fault.Keys = []kmsg.Key{kmsg.InitProducerID, kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn, kmsg.TxnOffsetCommit, kmsg.EndTxn}
			fault.Err = append(group[:3:3], kerr.ConcurrentTransactions)[rng.IntN(4)]
		}
		handles = append(handles, f.Fault(fault))
	}
	var delivered, retries atomic.Int64
	life := func(ctx context.Context) error {
		set := c.quick(in, in)
		set.SessionTimeout = 6 * time.Second // for members whose answers got lost
		set.Retrying = func(string, int, error, time.Duration) { retries.Add(1) }
		if exactlyOnce {
			set.Transactions = &kafka.Transactions{Outputs: out}
		}
		return c.deliver(ctx, set, out, "", &stream.Pipeline{
			Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{Every: 500, Pause: 2 * time.Millisecond},
			Settings: stream.Settings{BatchMessages: 10, CommitEvery: 10 * time.Millisecond, RetryMin: 10 * time.Millisecond},
			Hooks: stream.Hooks{
				Delivered: func(_ stream.TopicPartition, m, _ int, _ time.Duration) { delivered.Add(int64(m)) },
				Retrying:  set.Retrying,
			}})
	}
	for c.done(t, in, in) < n {
		if ctx.Err() != nil {
			t.Fatalf("%d of %d committed, %d delivered, %d retries", c.done(t, in, in), n, delivered.Load(), retries.Load())
		}
		running := streamtest.Go(t, life)
		for range 60 {
			trouble()
			time.Sleep(20 * time.Millisecond)
			if running.Ended() || delivered.Load() > n+n/2 {
				break
			}
		}
		for _, h := range handles {
			h.Remove()
		}
		handles = nil
		net.left.Store(0)
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && c.done(t, in, in) < n && !running.Ended(); time.Sleep(20 * time.Millisecond) {
		}
		if err := running.Stop(); err != nil {
			t.Fatalf("the stage ended: %v", err)
		}
	}
	count, err := streamtest.Log{In: c.Read(t, in), Out: c.Read(t, out)}.Check()
	if err != nil {
		t.Fatal(err)
	}
	if count.Placed != n {
		t.Errorf("%+v", count)
	}
	if exactlyOnce && count.Duplicates > 0 {
		t.Errorf("%d outputs came twice", count.Duplicates)
	}
	t.Logf("%+v, %d retries, %d answers lost", count, retries.Load(), net.lost.Load())
	if retries.Load()+net.lost.Load() == 0 {
		t.Error("nothing failed")
	}
}

// faultOf makes requests of a kind fail a number of times.
func faultOf(topic string, key kmsg.Key, err *kerr.Error, count int) kfake.Fault {
	return kfake.Fault{Keys: []kmsg.Key{key}, Topic: topic, Err: err, Count: count}
}

// faultUntil makes requests of a kind fail until over returns true. A fault with a count could be
// used up by a request whose sender no longer waits for its answer.
func faultUntil(topic string, key kmsg.Key, err *kerr.Error, over func() bool) kfake.Fault {
	return kfake.Fault{Keys: []kmsg.Key{key}, Topic: topic, Err: err, Count: -1, When: func(kmsg.Request) bool { return !over() }}
}
