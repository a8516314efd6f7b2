package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
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

// TestWriteAgain: concurrent writers send again whatever was not acknowledged. Meanwhile leaders
// move, brokers refuse, or execute a request without an answer, and answers get lost. Each message
// is written once and in order.
func TestWriteAgain(t *testing.T) {
	t.Parallel()
	codecs := []string{"lz4", "none", "zstd"}
	if testing.Short() {
		codecs = codecs[:1]
	}
	for seed, compression := range codecs {
		t.Run(compression, func(t *testing.T) {
			t.Parallel()
			testWriteAgain(t, compression, uint64(seed))
		})
	}
}

// TestWriteAnonymously: a cluster that assigns no producer id is written to without one.
func TestWriteAnonymously(t *testing.T) {
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.ClusterAuthorizationFailed, TopLevel: true, Count: -1})
	sink, err := c.NewSink(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	for n := range 3 {
		if err := sink.Write(t.Context(), []stream.Message{{Value: fmt.Append(nil, n)}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Read(t, topic); len(got) != 3 {
		t.Errorf("%d messages are there, want 3", len(got))
	}
}

// TestForgottenProducer: a broker that has lost a sink's sequence numbers costs one more attempt.
func TestForgottenProducer(t *testing.T) {
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	sink, err := c.NewSink(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	write := func(n int) error {
		return sink.Write(t.Context(), []stream.Message{{Value: fmt.Append(nil, n), Time: time.UnixMilli(1)}})
	}
	for n, refusal := range []*kerr.Error{kerr.OutOfOrderSequenceNumber, kerr.UnknownProducerID, kerr.InvalidProducerEpoch} {
		if err := write(2 * n); err != nil {
			t.Fatal(err)
		}
		f.Fault(faultOf(topic, kmsg.Produce, refusal, 1))
		if err := write(2*n + 1); err == nil {
			t.Errorf("%v goes unnoticed", refusal)
		}
		if err := write(2*n + 1); err != nil {
			t.Errorf("after %v: %v", refusal, err)
		}
	}
	var got []string
	for _, m := range c.Read(t, topic) {
		got = append(got, string(m.Value))
	}
	if fmt.Sprint(got) != "[0 1 2 3 4 5]" {
		t.Errorf("the topic holds %v", got)
	}
}

func testWriteAgain(t *testing.T, compression string, seed uint64) {
	var net cuts
	c, f := newFakeCluster(t, kfake.NumBrokers(3), kfake.ListenFn(net.listen))
	c.replication = 3
	topic := topicFor(t, c, 3, nil)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	sink, err := kafka.NewSink(ctx, kafka.SinkSettings{Cluster: c.cluster(), Topic: topic, Compression: compression, BatchBytes: 600})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	const writers, batches, each = 4, 40, 20
	var (
		again  atomic.Int64
		mu     sync.Mutex
		rng    = rand.New(rand.NewPCG(seed, 9))
		faults []*kfake.FaultHandle
		begun  int
	)
	refusals := []*kerr.Error{kerr.NotLeaderForPartition, kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend, kerr.UnknownServerError, kerr.NotEnoughReplicas}
	// Faults per batch: a slow machine has as many as a fast one.
	trouble := func() {
		mu.Lock()
		defer mu.Unlock()
		begun++
		switch r := rng.IntN(3); {
		case begun%60 == 0: // a sink takes a second or two to find the leaders again
			f.ShufflePartitionLeaders()
		case r == 0:
			net.left.Store(int64(1 + rng.IntN(2)))
		default:
			faults = append(faults, f.Fault(faultOf(topic, kmsg.Produce, refusals[rng.IntN(len(refusals))], 1+rng.IntN(2))))
		}
	}
	var running []*streamtest.Background
	for w := range writers {
		running = append(running, streamtest.Go(t, func(ctx context.Context) error {
			for b := range batches {
				trouble()
				var left []stream.Message
				for n := b * each; n < (b+1)*each; n++ {
					left = append(left, stream.Message{TopicPartition: stream.TopicPartition{Topic: "in", Partition: w}, Offset: int64(n),
						Key: fmt.Append(nil, w, n%5), Value: fmt.Append(nil, n), Time: time.UnixMilli(int64(n + 1))})
				}
				for len(left) > 0 {
					err := sink.Write(ctx, left)
					var we *stream.WriteError
					switch {
					case err == nil:
						left = nil
						continue
					case ctx.Err() != nil:
						return err
					case errors.As(err, &we):
						var rest []stream.Message
						for _, i := range we.Remaining {
							rest = append(rest, left[i])
						}
						left = rest
					}
					again.Add(1)
					time.Sleep(10 * time.Millisecond)
				}
			}
			return nil
		}))
	}
	for _, w := range running {
		streamtest.Await(t, "all is written", w.Ended)
		if err := w.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	net.left.Store(0)
	for _, h := range faults {
		h.Remove()
	}
	got, order := map[string]int{}, map[string]int{}
	twice := 0
	for _, m := range c.Read(t, topic) {
		var n int
		if _, err := fmt.Sscan(string(m.Value), &n); err != nil {
			t.Fatal(err)
		}
		k := string(m.Key)
		if got[k+"/"+string(m.Value)]++; got[k+"/"+string(m.Value)] > 1 {
			twice++
			continue
		}
		if before, ok := order[k]; ok && n < before {
			t.Fatalf("key %s: %d after %d", k, n, before)
		}
		order[k] = n
	}
	t.Logf("%d writes failed, %d answers were lost, %d messages are there twice", again.Load(), net.lost.Load(), twice)
	if len(got) != writers*batches*each || twice > 0 {
		t.Errorf("%d of %d messages are there, %d twice", len(got), writers*batches*each, twice)
	}
}
