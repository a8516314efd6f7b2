package kafkatest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// Client is the tests' client of a cluster. It uses another library than the program, so that an
// error of one library cannot go unnoticed on both sides.
type Client struct {
	Brokers []string
	Kafka   *kgo.Client
	options []kgo.Opt
}

// NewClient returns a client that is closed at the end of the test.
func NewClient(t testing.TB, brokers []string, options ...kgo.Opt) *Client {
	t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(30 << 20), kgo.MaxBufferedRecords(1 << 20), kgo.ProducerLinger(0)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &Client{brokers, client, options}
}

// wait bounds one request to the cluster.
const wait = time.Minute

// Create makes a topic with settings and waits until it has leaders.
func (c *Client) Create(t testing.TB, topic string, partitions int, replication int16, settings map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	rt := kmsg.NewCreateTopicsRequestTopic()
	rt.Topic, rt.NumPartitions, rt.ReplicationFactor = topic, int32(partitions), replication
	for k, v := range settings {
		rc := kmsg.NewCreateTopicsRequestTopicConfig()
		rc.Name, rc.Value = k, &v
		rt.Configs = append(rt.Configs, rc)
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, c.Kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.lead(ctx, topic, partitions); err != nil {
		t.Fatal(err)
	}
}

// lead waits until all partitions of a topic have leaders.
func (c *Client) lead(ctx context.Context, topic string, partitions int) error {
	for {
		parts, err := c.partitions(ctx, topic)
		if err != nil {
			return err
		}
		ready := 0
		for _, p := range parts {
			if p.ErrorCode == 0 && p.Leader >= 0 {
				ready++
			}
		}
		if ready == partitions {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Delete deletes a topic and clears it from the client's cache.
func (c *Client) Delete(t testing.TB, topic string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	req := kmsg.NewPtrDeleteTopicsRequest()
	rt := kmsg.NewDeleteTopicsRequestTopic()
	rt.Topic = &topic
	req.TopicNames, req.Topics = []string{topic}, append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, c.Kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Kafka.PurgeTopicsFromClient(topic)
}

// Grow adds partitions to a topic and waits until they have leaders.
func (c *Client) Grow(t testing.TB, topic string, partitions int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	req := kmsg.NewPtrCreatePartitionsRequest()
	rt := kmsg.NewCreatePartitionsRequestTopic()
	rt.Topic, rt.Count = topic, int32(partitions)
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, c.Kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err == nil {
		err = c.lead(ctx, topic, partitions)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Kafka.PurgeTopicsFromClient(topic) // otherwise the client would use its cache
}

// Set changes a setting of a topic.
func (c *Client) Set(t testing.TB, topic, name, value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	set := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	set.Name, set.Value = name, &value
	of := kmsg.NewIncrementalAlterConfigsRequestResource()
	of.ResourceType, of.ResourceName = kmsg.ConfigResourceTypeTopic, topic
	of.Configs = append(of.Configs, set)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, of)
	resp, err := req.RequestWith(ctx, c.Kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Resources[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// partitions returns the state of a topic's partitions.
func (c *Client) partitions(ctx context.Context, topic string) ([]kmsg.MetadataResponseTopicPartition, error) {
	ask := kmsg.NewPtrMetadataRequest()
	at := kmsg.NewMetadataRequestTopic()
	at.Topic = &topic
	ask.Topics = append(ask.Topics, at)
	resp, err := ask.RequestWith(ctx, c.Kafka)
	if err != nil {
		return nil, err
	}
	return resp.Topics[0].Partitions, nil
}

func toRecord(topic string, partition int, m stream.Message) *kgo.Record {
	r := &kgo.Record{Topic: topic, Partition: int32(partition), Key: m.Key, Value: m.Value, Timestamp: m.Time}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return r
}

// Produce appends messages to a partition and waits for the acknowledgement.
func (c *Client) Produce(t testing.TB, topic string, partition int, messages ...stream.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	if err := c.Append(ctx, topic, partition, messages...); err != nil {
		t.Fatal(err)
	}
}

// Append is Produce for use outside of the test's own goroutine.
func (c *Client) Append(ctx context.Context, topic string, partition int, messages ...stream.Message) error {
	var records []*kgo.Record
	for _, m := range messages {
		records = append(records, toRecord(topic, partition, m))
	}
	return c.Kafka.ProduceSync(ctx, records...).FirstErr()
}

// Bounds returns the first offset and the end offset of each partition.
func (c *Client) Bounds(t testing.TB, topic string) (first, end map[int32]int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	parts, err := c.partitions(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	var all []int32
	for _, p := range parts {
		all = append(all, p.Partition)
	}
	list := func(timestamp int64) map[int32]int64 {
		out, err := c.offsets(ctx, topic, all, timestamp, false)
		for retriable(ctx, err) {
			out, err = c.offsets(ctx, topic, all, timestamp, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	return list(-2), list(-1)
}

// retriable waits and reports whether to retry: a leader or a coordinator may have moved, be
// restarting, or not exist yet in a new cluster.
func retriable(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || !kerr.IsRetriable(err) {
		return false
	}
	time.Sleep(20 * time.Millisecond)
	return true
}

// offsets returns the offsets at a time; -2 is the beginning and -1 the end. If committed is true,
// it is the end for read-committed consumers.
func (c *Client) offsets(ctx context.Context, topic string, partitions []int32, timestamp int64, committed bool) (map[int32]int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	if committed {
		req.IsolationLevel = 1
	}
	rt := kmsg.NewListOffsetsRequestTopic()
	rt.Topic = topic
	for _, p := range partitions {
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = p, timestamp
		rt.Partitions = append(rt.Partitions, rp)
	}
	req.Topics = append(req.Topics, rt)
	out := map[int32]int64{}
	for _, shard := range c.Kafka.RequestSharded(ctx, req) {
		if shard.Err != nil {
			return nil, shard.Err
		}
		for _, p := range shard.Resp.(*kmsg.ListOffsetsResponse).Topics[0].Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, err
			}
			out[p.Partition] = p.Offset
		}
	}
	return out, nil
}

// Read returns all committed messages of a topic, each partition in order.
func (c *Client) Read(t testing.TB, topic string) []stream.Message {
	t.Helper()
	first, end := c.Bounds(t, topic)
	offsets, left := map[int32]kgo.Offset{}, 0
	for p := range end {
		if end[p] > first[p] {
			offsets[p], left = kgo.NewOffset().At(first[p]), left+1
		}
	}
	if left == 0 {
		return nil
	}
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.Brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
		kgo.FetchMaxWait(100 * time.Millisecond), kgo.KeepControlRecords(), kgo.FetchIsolationLevel(kgo.ReadCommitted())}, c.options...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	parts, ended := map[int32][]stream.Message{}, map[int32]bool{}
	for left > 0 {
		// A long topic may take long, so only the time without messages is bounded.
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		fetches := client.PollFetches(ctx)
		cancel()
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			// The last message may belong to an aborted transaction, whose end arrives later.
			if r.Offset >= end[r.Partition]-1 && !ended[r.Partition] {
				ended[r.Partition] = true
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

// Settled returns the offsets of a group in a topic. It fails if an open transaction would change
// them or has written to topics.
func (c *Client) Settled(t testing.TB, group, topic string, topics ...string) (positions map[int]int64, settled bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	for _, topic := range topics {
		_, end := c.Bounds(t, topic)
		stable, err := c.offsets(ctx, topic, slices.Collect(maps.Keys(end)), -1, true)
		var refused *kerr.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		for p := range end {
			if err != nil || stable[p] < end[p] {
				return nil, false
			}
		}
	}
	return c.positions(t, group, topic, true)
}

// Committed returns the offsets of a group.
func (c *Client) Committed(t testing.TB, group, topic string) map[int]int64 {
	t.Helper()
	positions, _ := c.positions(t, group, topic, false)
	return positions
}

// positions returns the offsets of a group. With stable, it waits while a transaction may change
// them.
func (c *Client) positions(t testing.TB, group, topic string, stable bool) (out map[int]int64, settled bool) {
	t.Helper()
	_, end := c.Bounds(t, topic)
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group, req.RequireStable = group, stable
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
	resp, err := req.RequestWith(ctx, c.Kafka)
	for retriable(ctx, err) {
		resp, err = req.RequestWith(ctx, c.Kafka)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, settled = map[int]int64{}, true
	take := func(partition int32, offset int64, code int16) {
		if offset >= 0 {
			out[int(partition)] = offset
		}
		settled = settled && code == 0
	}
	for _, g := range resp.Groups {
		for _, rt := range g.Topics {
			for _, p := range rt.Partitions {
				take(p.Partition, p.Offset, p.ErrorCode)
			}
		}
	}
	for _, rt := range resp.Topics {
		for _, p := range rt.Partitions {
			take(p.Partition, p.Offset, p.ErrorCode)
		}
	}
	return out, settled
}

// DeleteBefore deletes a partition's messages before offset.
func (c *Client) DeleteBefore(t testing.TB, topic string, partition int, offset int64) {
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
	resp, err := req.RequestWith(ctx, c.Kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Evict removes all members from a group, as if their sessions had timed out.
func (c *Client) Evict(ctx context.Context, group string) error {
	ask := kmsg.NewPtrDescribeGroupsRequest()
	ask.Groups = []string{group}
	resp, err := ask.RequestWith(ctx, c.Kafka)
	for retriable(ctx, err) {
		resp, err = ask.RequestWith(ctx, c.Kafka)
	}
	if err != nil {
		return err
	}
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Group = group
	for _, g := range resp.Groups {
		for _, m := range g.Members {
			member := kmsg.NewLeaveGroupRequestMember()
			member.MemberID = m.MemberID
			leave.Members = append(leave.Members, member)
		}
	}
	if len(leave.Members) == 0 {
		return nil
	}
	_, err = leave.RequestWith(ctx, c.Kafka)
	for retriable(ctx, err) {
		_, err = leave.RequestWith(ctx, c.Kafka)
	}
	return err
}
