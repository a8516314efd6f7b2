package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// On a busy machine, a fake broker that closes while answering never releases a lock that its own
// goroutines wait for. These goroutines are not ours.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*Cluster).runControl.func1"))
}

// cluster runs the conformance suite against brokers.
type cluster struct {
	*kafkatest.Client
	brokers     []string
	replication int16
	client      *kgo.Client
}

func newCluster(t *testing.T, replication int16, brokers ...string) *cluster {
	t.Helper()
	c := kafkatest.NewClient(t, brokers)
	return &cluster{c, brokers, replication, c.Kafka}
}

// newFake starts an in-process broker.
func newFake(t *testing.T, opts ...kfake.Opt) *cluster {
	t.Helper()
	c, _ := newFakeCluster(t, opts...)
	return c
}

func newFakeCluster(t *testing.T, opts ...kfake.Opt) (*cluster, *kfake.Cluster) {
	t.Helper()
	opts = append([]kfake.Opt{kfake.NumBrokers(1), kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"})}, opts...)
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return newCluster(t, 1, c.ListenAddrs()...), c
}

// wait bounds every step of a test that does not measure time, since a busy machine may take long
// for any step. slack is the delay that such a machine may add to a measured time.
const (
	wait  = streamtest.Patience
	slack = 15 * time.Second
)

func (c *cluster) cluster() kafka.Cluster { return kafka.Cluster{Brokers: c.brokers} }

func (c *cluster) CreateTopic(t *testing.T, topic string, partitions int) {
	t.Helper()
	c.createTopic(t, topic, partitions, nil)
}

// createTopic creates a topic with settings and waits until it has leaders.
func (c *cluster) createTopic(t *testing.T, topic string, partitions int, settings map[string]string) {
	t.Helper()
	c.Create(t, topic, partitions, c.replication, settings)
}

func (c *cluster) Produce(t *testing.T, topic string, partition int, messages ...stream.Message) {
	t.Helper()
	c.Client.Produce(t, topic, partition, messages...)
}

func (c *cluster) Read(t *testing.T, topic string) []stream.Message {
	t.Helper()
	return c.Client.Read(t, topic)
}

func (c *cluster) Committed(t *testing.T, group, topic string) map[int]int64 {
	t.Helper()
	return c.Client.Committed(t, group, topic)
}

func (c *cluster) Limit(t *testing.T, topic string, bytes int) {
	t.Helper()
	c.Set(t, topic, "max.message.bytes", fmt.Sprint(bytes))
}

func (c *cluster) DeleteBefore(t *testing.T, topic string, partition int, offset int64) {
	t.Helper()
	c.Client.DeleteBefore(t, topic, partition, offset)
}

// quick returns source settings for short rebalances that do not expel slow members.
func (c *cluster) quick(topic, group string) kafka.SourceSettings {
	return kafka.SourceSettings{Cluster: c.cluster(), Topic: topic, Group: group, FetchWait: 100 * time.Millisecond,
		SessionTimeout: 20 * time.Second, Heartbeat: 100 * time.Millisecond, RebalanceTimeout: 30 * time.Second}
}

func (c *cluster) NewSource(ctx context.Context, topic, group string) (stream.Source, error) {
	s, err := kafka.NewSource(ctx, c.quick(topic, group))
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c *cluster) NewTransactional(ctx context.Context, topic, group, outputs, letters string) (stream.Source, error) {
	set := c.quick(topic, group)
	set.Transactions = &kafka.Transactions{Outputs: outputs, Letters: letters}
	s, err := kafka.NewSource(ctx, set)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c *cluster) NewSink(ctx context.Context, topic string) (stream.Sink, error) {
	s, err := kafka.NewSink(ctx, kafka.SinkSettings{Cluster: c.cluster(), Topic: topic})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// topicFor creates a topic named after the test.
func topicFor(t *testing.T, c *cluster, partitions int, settings map[string]string) string {
	t.Helper()
	topic := fmt.Sprintf("x%d", time.Now().UnixNano())
	c.createTopic(t, topic, partitions, settings)
	return topic
}

// open returns a source and its first generation.
func open(t *testing.T, s kafka.SourceSettings) (*kafka.Source, stream.Generation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	source, err := kafka.NewSource(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	gen, err := source.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return source, gen
}

// fetchN reads n messages of a partition, and those that follow within 200 ms.
func fetchN(t *testing.T, g stream.Generation, tp stream.TopicPartition, n int) []stream.Message {
	t.Helper()
	return fetchUntil(t, g, tp, func(got []stream.Message) bool { return len(got) >= n })
}

// fetchUntil reads a partition until enough returns true, and then what follows within 200 ms.
func fetchUntil(t *testing.T, g stream.Generation, tp stream.TopicPartition, enough func([]stream.Message) bool) []stream.Message {
	t.Helper()
	var out []stream.Message
	for {
		patience := wait
		if enough(out) {
			patience = 200 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		run, err := g.Fetch(ctx, tp, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && enough(out) {
			return out
		}
		if err != nil {
			t.Fatalf("after %d messages of %v: %v", len(out), tp, err)
		}
		out = append(out, run.Messages...)
	}
}

// deliver runs a stage once: p between a source and sinks of its own, which are closed at the end.
// Without letters there are no dead letters.
func (c *cluster) deliver(ctx context.Context, set kafka.SourceSettings, out, letters string, p *stream.Pipeline) (err error) {
	return c.deliverCompressed(ctx, set, out, letters, "none", p)
}

// deliverCompressed is deliver with sinks that compress.
func (c *cluster) deliverCompressed(ctx context.Context, set kafka.SourceSettings, out, letters, compression string, p *stream.Pipeline) (err error) {
	open := func(topic string) (stream.Sink, error) {
		return kafka.NewSink(ctx, kafka.SinkSettings{Cluster: c.cluster(), Topic: topic, Compression: compression})
	}
	source, err := kafka.NewSource(ctx, set)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	sink, err := open(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sink.Close()) }()
	if letters != "" {
		dead, err := open(letters)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, dead.Close()) }()
		p.DeadLetter = &stream.DeadLetter{Sink: dead}
	}
	p.Source, p.Sink, p.ExactlyOnce = source, sink, set.Transactions != nil
	return p.Run(ctx)
}

// done returns the sum of a group's offsets in a topic.
func (c *cluster) done(t *testing.T, group, topic string) (sum int64) {
	t.Helper()
	for _, offset := range c.Committed(t, group, topic) {
		sum += offset
	}
	return sum
}
