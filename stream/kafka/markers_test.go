package kafka_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

func TestMarkers(t *testing.T) {
	t.Parallel()
	testMarkers(t, newFake(t))
}

// testMarkers uses topics that end with the marker of a transaction or with an aborted transaction.
// The group's offset reaches the log's end, so that every program sees a lag of 0. The same holds
// for a second stage that reads the output of an exactly-once stage. If retention then empties the
// idle topic, the next start loses nothing.
func testMarkers(t *testing.T, c *cluster) {
	const n = 30
	for _, exactly := range []bool{false, true} {
		t.Run(fmt.Sprintf("exactly once %v", exactly), func(t *testing.T) {
			t.Parallel()
			topics := []string{topicFor(t, c, 1, nil), topicFor(t, c, 1, nil), topicFor(t, c, 1, nil)}
			var lost atomic.Int64
			stage := func(from, to string) *streamtest.Background {
				set := c.quick(from, from)
				set.Gap = func(*stream.OffsetError) { lost.Add(1) }
				if exactly {
					set.Transactions = &kafka.Transactions{Outputs: to}
				}
				return streamtest.Go(t, func(ctx context.Context) error {
					return c.deliver(ctx, set, to, "", &stream.Pipeline{Decoder: again{}, Learner: &streamtest.Learner{}})
				})
			}
			// atRest waits until the group has reached the topic's end. Brokers write the end
			// marker shortly after they report the end of the transaction.
			atRest := func(topic string, messages int, life *streamtest.Background) {
				t.Helper()
				life.Await("the group has come to the end of "+topic, func() bool {
					_, end := c.Bounds(t, topic)
					return c.Committed(t, topic, topic)[0] == end[0] && len(c.Read(t, topics[2])) == messages
				})
			}
			for round := range 2 { // the second starts after everything read has been deleted
				transaction(t, c, topics[0], kgo.TryCommit, n)
				if exactly {
					transaction(t, c, topics[0], kgo.TryAbort, 3)
				}
				first, second := stage(topics[0], topics[1]), stage(topics[1], topics[2])
				atRest(topics[0], n*(round+1), first)
				atRest(topics[1], n*(round+1), second)
				if err := errors.Join(first.Stop(), second.Stop()); err != nil {
					t.Fatal(err)
				}
				for _, topic := range topics[:2] {
					_, end := c.Bounds(t, topic)
					c.DeleteBefore(t, topic, 0, end[0])
				}
			}
			if lost.Load() > 0 {
				t.Errorf("%d gaps are reported; only markers and aborted records lay there", lost.Load())
			}
		})
	}
}

// transaction writes numbers in one transaction and ends it.
func transaction(t *testing.T, c *cluster, topic string, how kgo.TransactionEndTry, n int) {
	t.Helper()
	p, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID(fmt.Sprint(topic, how)), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := p.ProduceSync(t.Context(), kgo.StringRecord(fmt.Sprint(i))).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.EndTransaction(t.Context(), how); err != nil {
		t.Fatal(err)
	}
}

// again decodes numbers, also those written by a stage as "number@version".
type again struct{ streamtest.Numbers }

func (a again) Decode(m stream.Message) (stream.Events, error) {
	m.Value, _, _ = bytes.Cut(m.Value, []byte("@"))
	return a.Numbers.Decode(m)
}
