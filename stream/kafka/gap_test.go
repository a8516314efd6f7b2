package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// TestGaps: an offset outside the log is reported, for every cause. Reading stops or continues at
// the log's beginning, according to the settings.
func TestGaps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		position, firstLeft int64
		lost                int64
	}{{"deleted", 10, 60, 50}, {"beyond the end", 150, 0, 0}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := newFake(t)
			topic := topicFor(t, cl, 1, nil)
			tp := stream.TopicPartition{Topic: topic}
			var batch []stream.Message
			for n := range 100 {
				batch = append(batch, stream.Message{Value: fmt.Append(nil, n)})
			}
			cl.Produce(t, topic, 0, batch...)
			source, g := open(t, cl.quick(topic, "g"))
			at := stream.Position{TopicPartition: tp, Offset: c.position}
			if err := errors.Join(g.Commit(t.Context(), []stream.Position{at}), g.Close(), source.Close()); err != nil {
				t.Fatal(err)
			}
			if c.firstLeft > 0 {
				cl.DeleteBefore(t, topic, 0, c.firstLeft)
			}
			var gaps []*stream.OffsetError
			set := cl.quick(topic, "g")
			set.Gap = func(gap *stream.OffsetError) { gaps = append(gaps, gap) }
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			source, err := kafka.NewSource(ctx, set)
			if err != nil {
				t.Fatal(err)
			}
			var gap *stream.OffsetError
			if _, err := source.Next(ctx); !errors.As(err, &gap) || len(gaps) != 1 || gap.Lost() != c.lost {
				t.Errorf("with fail: %v, %d gaps reported", err, len(gaps))
			}
			source.Close()
			set.OnGap = kafka.Continue
			source, g = open(t, set)
			got := fetchN(t, g, tp, int(100-c.firstLeft))
			if len(got) != int(100-c.firstLeft) || got[0].Offset != c.firstLeft || len(gaps) != 2 || gaps[1].Offset != c.position {
				t.Errorf("with continue: %d messages, reported %v", len(got), gaps)
			}
			if err := errors.Join(g.Close(), source.Close()); err != nil {
				t.Fatal(err)
			}
			// The gap is reported once, since the offset is in the log again.
			if _, g = open(t, set); g.Assigned()[0].Offset != c.firstLeft || len(gaps) != 2 {
				t.Errorf("after a restart it begins at %d, %d gaps reported", g.Assigned()[0].Offset, len(gaps))
			}
		})
	}
}

// TestGapWhileReading: messages are deleted before a reader that may continue.
func TestGapWhileReading(t *testing.T) {
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	var gaps []*stream.OffsetError
	set := c.quick(topic, "g")
	set.OnGap, set.Gap = kafka.Continue, func(gap *stream.OffsetError) { gaps = append(gaps, gap) }
	_, g := open(t, set)
	f.Fault(faultOf(topic, kmsg.Fetch, kerr.NotLeaderForPartition, 3))
	for n := range 20 {
		c.Produce(t, topic, 0, stream.Message{Value: fmt.Append(nil, n)})
	}
	c.DeleteBefore(t, topic, 0, 12)
	got := fetchN(t, g, stream.TopicPartition{Topic: topic}, 8)
	if len(got) != 8 || len(gaps) != 1 || gaps[0].Lost() != 12 {
		t.Errorf("%d messages, reported %v", len(got), gaps)
	}
}

// TestAddedPartitions: partitions added to a topic are read from their beginning, also by a group
// that started with the latest messages.
func TestAddedPartitions(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	topic := topicFor(t, c, 1, nil)
	set := c.quick(topic, "g")
	set.Start, set.LookEvery = kafka.Latest, lookOften
	source, g := open(t, set)
	if err := addPartitions(t.Context(), c, topic, 3); err != nil {
		t.Fatal(err)
	}
	for p := range 3 {
		streamtest.Await(t, "the test's client to know the new partitions", func() bool {
			c.client.ForceMetadataRefresh()
			return c.Append(t.Context(), topic, p, stream.Message{Value: []byte("new")}) == nil
		})
	}
	select {
	case <-g.Revoked():
	case <-time.After(wait):
		t.Fatal("the new partitions went unnoticed")
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	g, err := source.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.Assigned()); n != 3 {
		t.Fatalf("%d partitions", n)
	}
	for _, at := range g.Assigned() {
		if at.Offset != 0 {
			t.Fatalf("partition %d is read from offset %d", at.Partition, at.Offset)
		}
	}
	for p := range 3 {
		if got := fetchN(t, g, stream.TopicPartition{Topic: topic, Partition: p}, 1); len(got) != 1 {
			t.Errorf("partition %d gives %d messages", p, len(got))
		}
	}
}
