package kafka_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
)

// TestProgress: the group's committed offset and the log's end, from the beginning on. Reading
// passes the marker that ends a transaction, so that the group can commit the log's end.
func TestProgress(t *testing.T) {
	c := newFake(t)
	topic := topicFor(t, c, 1, nil)
	tp := stream.TopicPartition{Topic: topic}
	producer, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("somebody's"), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	if err := producer.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := producer.ProduceSync(t.Context(), &kgo.Record{Value: []byte("x")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := producer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	source, gen := open(t, c.quick(topic, "g"))
	defer source.Close()
	progress := func() stream.Progress {
		t.Helper()
		all, err := gen.Progress(t.Context())
		if err != nil || len(all) != 1 || all[0].TopicPartition != tp {
			t.Fatalf("%v, %v", all, err)
		}
		return all[0]
	}
	if p := progress(); p.Offset != 0 || p.End != 6 {
		t.Errorf("before anything is read: %+v", p)
	}
	messages, next := 0, int64(0)
	for next < 6 {
		run, err := gen.Fetch(t.Context(), tp, nil)
		if err != nil || run.Next <= next {
			t.Fatalf("from %d to %d: %v", next, run.Next, err)
		}
		messages, next = messages+len(run.Messages), run.Next
	}
	if messages != 5 || next != 6 {
		t.Errorf("%d messages, read to offset %d", messages, next)
	}
	if err := gen.Commit(t.Context(), []stream.Position{{TopicPartition: tp, Offset: next}}); err != nil {
		t.Fatal(err)
	}
	if p := progress(); p.Offset != 6 || p.End != 6 {
		t.Errorf("at rest: %+v", p)
	}
}

// Progress is reported per partition. Without a committed offset it is the offset at assignment.
func TestProgressOfPartitions(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	topic := topicFor(t, c, 3, nil)
	for p := range 3 {
		c.Produce(t, topic, p, numbersFrom(0, 5+p)...)
	}
	_, g := open(t, c.quick(topic, "g"))
	at := func(partition int, offset int64) stream.Position {
		return stream.Position{TopicPartition: stream.TopicPartition{Topic: topic, Partition: partition}, Offset: offset}
	}
	if err := g.Commit(t.Context(), []stream.Position{at(1, 3), at(2, 7)}); err != nil {
		t.Fatal(err)
	}
	got, err := g.Progress(t.Context())
	want := []stream.Progress{{Position: at(0, 0), End: 5}, {Position: at(1, 3), End: 6}, {Position: at(2, 7), End: 7}}
	slices.SortFunc(got, func(a, b stream.Progress) int { return a.Partition - b.Partition })
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// The coordinator decides whether a client may be a member of a group. Without its answer,
// membership is assumed to be allowed.
func TestCheckGroup(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	var operations int32
	var code int16
	f.ControlKey(int16(kmsg.DescribeGroups), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		resp := r.ResponseKind().(*kmsg.DescribeGroupsResponse)
		group := kmsg.NewDescribeGroupsResponseGroup()
		group.Group, group.AuthorizedOperations, group.ErrorCode = r.(*kmsg.DescribeGroupsRequest).Groups[0], operations, code
		resp.Groups = append(resp.Groups, group)
		return resp, nil, true
	})
	const read, write = 1 << 3, 1 << 4
	for _, row := range []struct {
		operations int32
		code       int16
		allowed    bool
	}{{0, 0, true}, {math.MinInt32, 0, true}, {read, 0, true}, {read | write, 0, true}, {write, 0, false}, {write, kerr.GroupIDNotFound.Code, true}, {read, kerr.GroupAuthorizationFailed.Code, false}} {
		operations, code = row.operations, row.code
		err := kafka.CheckGroup(t.Context(), c.cluster(), topic, "g", false)
		if (err == nil) != row.allowed || err != nil && (!strings.Contains(err.Error(), "group g: ") || !strings.Contains(err.Error(), "needs the right Read")) {
			t.Errorf("%+v: %v", row, err)
		}
	}
}
