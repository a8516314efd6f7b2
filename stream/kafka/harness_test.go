package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"unfold/stream"
	"unfold/stream/kafka"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster runs the conformance suite against brokers. What the test itself
// writes and reads goes through another client library, so that no mistake of
// this one goes unseen on both sides.
type cluster struct {
	brokers     []string
	replication int16
	client      *kgo.Client
}

func newCluster(t *testing.T, replication int16, brokers ...string) *cluster {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(30<<20), kgo.MaxBufferedRecords(1<<20), kgo.ProducerLinger(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &cluster{brokers, replication, client}
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

const wait = 30 * time.Second

func (c *cluster) cluster() kafka.Cluster { return kafka.Cluster{Brokers: c.brokers} }

func (c *cluster) CreateTopic(t *testing.T, topic string, partitions int) {
	t.Helper()
	c.createTopic(t, topic, partitions, nil)
}

// createTopic makes a topic with settings and waits until it has leaders.
func (c *cluster) createTopic(t *testing.T, topic string, partitions int, settings map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	rt := kmsg.NewCreateTopicsRequestTopic()
	rt.Topic, rt.NumPartitions, rt.ReplicationFactor = topic, int32(partitions), c.replication
	for k, v := range settings {
		rc := kmsg.NewCreateTopicsRequestTopicConfig()
		rc.Name, rc.Value = k, &v
		rt.Configs = append(rt.Configs, rc)
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, c.client)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
	for {
		ask := kmsg.NewPtrMetadataRequest()
		at := kmsg.NewMetadataRequestTopic()
		at.Topic = &topic
		ask.Topics = append(ask.Topics, at)
		resp, err := ask.RequestWith(ctx, c.client)
		if err != nil {
			t.Fatal(err)
		}
		ready := 0
		for _, p := range resp.Topics[0].Partitions {
			if p.ErrorCode == 0 && p.Leader >= 0 {
				ready++
			}
		}
		if ready == partitions {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func toRecord(topic string, partition int, m stream.Message) *kgo.Record {
	r := &kgo.Record{Topic: topic, Partition: int32(partition), Key: m.Key, Value: m.Value, Timestamp: m.Time}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return r
}

func (c *cluster) Produce(t *testing.T, topic string, partition int, messages ...stream.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	var records []*kgo.Record
	for _, m := range messages {
		records = append(records, toRecord(topic, partition, m))
	}
	if err := c.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// bounds returns the first offset of each partition and the one behind its end.
func (c *cluster) bounds(t *testing.T, topic string) (first, end map[int32]int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	ask := kmsg.NewPtrMetadataRequest()
	at := kmsg.NewMetadataRequestTopic()
	at.Topic = &topic
	ask.Topics = append(ask.Topics, at)
	meta, err := ask.RequestWith(ctx, c.client)
	if err != nil {
		t.Fatal(err)
	}
	list := func(timestamp int64) map[int32]int64 {
		req := kmsg.NewPtrListOffsetsRequest()
		rt := kmsg.NewListOffsetsRequestTopic()
		rt.Topic = topic
		for _, p := range meta.Topics[0].Partitions {
			rp := kmsg.NewListOffsetsRequestTopicPartition()
			rp.Partition, rp.Timestamp = p.Partition, timestamp
			rt.Partitions = append(rt.Partitions, rp)
		}
		req.Topics = append(req.Topics, rt)
		out := map[int32]int64{}
		for _, shard := range c.client.RequestSharded(ctx, req) {
			if shard.Err != nil {
				t.Fatal(shard.Err)
			}
			for _, p := range shard.Resp.(*kmsg.ListOffsetsResponse).Topics[0].Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					t.Fatal(err)
				}
				out[p.Partition] = p.Offset
			}
		}
		return out
	}
	return list(-2), list(-1)
}

func (c *cluster) Read(t *testing.T, topic string) []stream.Message {
	t.Helper()
	first, end := c.bounds(t, topic)
	offsets, left := map[int32]kgo.Offset{}, 0
	for p := range end {
		if end[p] > first[p] {
			offsets[p], left = kgo.NewOffset().At(first[p]), left+1
		}
	}
	if left == 0 {
		return nil
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
		kgo.FetchMaxWait(100*time.Millisecond), kgo.KeepControlRecords(), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	parts := map[int32][]stream.Message{}
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset == end[r.Partition]-1 {
				left--
			}
			if r.Offset >= end[r.Partition] || r.Attrs.IsControl() {
				return
			}
			m := stream.Message{TopicPartition: stream.TopicPartition{Topic: topic, Partition: int(r.Partition)},
				Offset: r.Offset, Key: r.Key, Value: r.Value, Time: r.Timestamp.UTC()}
			for _, h := range r.Headers {
				m.Headers = append(m.Headers, stream.Header{Key: h.Key, Value: h.Value})
			}
			parts[r.Partition] = append(parts[r.Partition], m)
		})
	}
	var out []stream.Message
	for p := range int32(len(end)) {
		out = append(out, parts[p]...)
	}
	return out
}

func (c *cluster) Committed(t *testing.T, group, topic string) map[int]int64 {
	t.Helper()
	_, end := c.bounds(t, topic)
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = group
	rt := kmsg.NewOffsetFetchRequestTopic()
	rt.Topic = topic
	rg := kmsg.NewOffsetFetchRequestGroup()
	rg.Group = group
	rgt := kmsg.NewOffsetFetchRequestGroupTopic()
	rgt.Topic = topic
	for p := range end {
		rt.Partitions = append(rt.Partitions, p)
	}
	rgt.Partitions = rt.Partitions
	req.Topics, rg.Topics = append(req.Topics, rt), append(rg.Topics, rgt)
	req.Groups = append(req.Groups, rg)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	resp, err := req.RequestWith(ctx, c.client)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]int64{}
	for _, g := range resp.Groups {
		for _, rt := range g.Topics {
			for _, p := range rt.Partitions {
				if p.Offset >= 0 {
					out[int(p.Partition)] = p.Offset
				}
			}
		}
	}
	for _, rt := range resp.Topics {
		for _, p := range rt.Partitions {
			if p.Offset >= 0 {
				out[int(p.Partition)] = p.Offset
			}
		}
	}
	return out
}

func (c *cluster) DeleteBefore(t *testing.T, topic string, partition int, offset int64) {
	t.Helper()
	req := kmsg.NewPtrDeleteRecordsRequest()
	rt := kmsg.NewDeleteRecordsRequestTopic()
	rt.Topic = topic
	rp := kmsg.NewDeleteRecordsRequestTopicPartition()
	rp.Partition, rp.Offset = int32(partition), offset
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	resp, err := req.RequestWith(ctx, c.client)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// quick are source settings that make rebalances short.
func (c *cluster) quick(topic, group string) kafka.SourceSettings {
	return kafka.SourceSettings{Cluster: c.cluster(), Topic: topic, Group: group, FetchWait: 100 * time.Millisecond,
		SessionTimeout: 6 * time.Second, Heartbeat: 100 * time.Millisecond, RebalanceTimeout: 10 * time.Second}
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

// topicFor makes a topic named after the test.
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

// fetchAll reads what a partition holds until nothing comes for a while.
func fetchAll(t *testing.T, g stream.Generation, tp stream.TopicPartition, quiet time.Duration) []stream.Message {
	t.Helper()
	var out []stream.Message
	for {
		ctx, cancel := context.WithTimeout(t.Context(), quiet)
		run, err := g.Fetch(ctx, tp)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, run.Messages...)
	}
}
