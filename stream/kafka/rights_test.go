package kafka_test

import (
	"context"
	"errors"
	"fmt"
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

// A permission revoked from a running stage is named and waited for, whatever needs it. When it is
// granted again the stage continues, and with exactly-once delivery nothing is duplicated.
func TestRightsAreWaitedFor(t *testing.T) {
	t.Parallel()
	const times = 4
	for _, exactly := range []bool{false, true} {
		denied := map[string]kfake.Fault{
			"fetch":  {Keys: []kmsg.Key{kmsg.Fetch}, Topic: "in", Err: kerr.TopicAuthorizationFailed, Count: times},
			"join":   {Keys: []kmsg.Key{kmsg.JoinGroup}, TopLevel: true, Err: kerr.GroupAuthorizationFailed, Count: times},
			"topic":  {Keys: []kmsg.Key{kmsg.Metadata}, Topic: "in", Err: kerr.TopicAuthorizationFailed, Count: times, When: isLook},
			"commit": {Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.GroupAuthorizationFailed, Count: times},
		}
		if exactly {
			delete(denied, "commit")
			denied["transaction"] = kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.GroupAuthorizationFailed, Count: times}
			denied["transaction "] = kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "out", Err: kerr.TopicAuthorizationFailed, Count: times}
			denied["transaction  "] = kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, TopLevel: true, Err: kerr.TransactionalIDAuthorizationFailed, Count: times}
			denied["committed offsets"] = kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Group: "g", Err: kerr.GroupAuthorizationFailed, Count: times, TopLevel: true,
				When: func(r kmsg.Request) bool { return r.GetVersion() == 7 }}
		}
		for what, fault := range denied {
			t.Run(fmt.Sprintf("%s, exactly once %v", what, exactly), func(t *testing.T) {
				t.Parallel()
				c, f := newFakeCluster(t)
				c.createTopic(t, "in", 1, nil)
				c.createTopic(t, "out", 1, nil)
				set := c.quick("in", "g")
				if what == "join" {
					set.RebalanceTimeout = 2 * time.Second // rebalancing waits for the member that may not join again
				}
				if exactly {
					set.Transactions = &kafka.Transactions{Outputs: "out"}
				}
				var named, generations atomic.Int64
				noted := func(_ string, _ int, err error, _ time.Duration) {
					if denied := new(kafka.DeniedError); errors.As(err, &denied) && denied.Right != "" {
						named.Add(1)
					}
				}
				set.Retrying = noted
				life := streamtest.Go(t, func(ctx context.Context) error {
					return c.deliver(ctx, set, "out", "", &stream.Pipeline{Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{},
						Settings: stream.Settings{CommitEvery: time.Millisecond, RetryMin: time.Millisecond, RetryMax: 5 * time.Millisecond},
						Hooks:    stream.Hooks{Retrying: noted, Assigned: func([]stream.TopicPartition) { generations.Add(1) }}})
				})
				c.Produce(t, "in", 0, numbersFrom(0, 10)...)
				life.Await("it works", func() bool { return c.done(t, "g", "in") == 10 })
				before := generations.Load()
				f.Fault(fault)
				// A member that joins again requests everything again.
				f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.RebalanceInProgress})
				c.Produce(t, "in", 0, numbersFrom(10, 20)...)
				life.Await("it works again", func() bool { return c.done(t, "g", "in") == 20 && generations.Load() > before })
				// Once: a commit refused while its generation ends is not retried, and so not
				// named.
				life.Await("what was missing is named", func() bool { return named.Load() > 0 })
				if err := life.Stop(); err != nil {
					t.Fatal(err)
				}
				for n, times := range placedNumbers(t, c, "out") {
					if exactly && times != 1 {
						t.Errorf("%d comes %d times", n, times)
					}
				}
				if n := len(placedNumbers(t, c, "out")); n != 20 {
					t.Errorf("%d of 20 events", n)
				}
			})
		}
	}
}

// isLook reports whether a request comes from a generation that checks its topic.
func isLook(r kmsg.Request) bool { return r.GetVersion() == 10 }

// After a failure, a fetch that works again is reported, even without a message.
func TestRecovered(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	recovered := make(chan string, 10)
	set := c.quick(topic, "g")
	set.Recovered = func(what string) { recovered <- what }
	_, g := open(t, set)
	f.Fault(faultOf(topic, kmsg.Fetch, kerr.NotLeaderForPartition, 2))
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	fetching := make(chan error)
	go func() {
		_, err := g.Fetch(ctx, stream.TopicPartition{Topic: topic}, nil)
		fetching <- err
	}()
	select {
	case what := <-recovered:
		if what != "fetch" {
			t.Errorf("%q works again", what)
		}
	case <-ctx.Done():
		t.Error("nobody says that fetching works again")
	}
	cancel()
	if err := <-fetching; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := len(recovered); n > 0 {
		t.Errorf("it is reported %d times more", n)
	}
}
