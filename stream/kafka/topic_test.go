package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
)

// readTopic returns the messages of a reader, as "partition/offset=value".
func readTopic(ctx context.Context, r *kafka.TopicReader) (got []string, err error) {
	for {
		messages, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		if len(messages) == 0 {
			return got, errors.New("no messages and no end")
		}
		for _, m := range messages {
			got = append(got, fmt.Sprintf("%d/%d=%s", m.Partition, m.Offset, m.Value))
		}
	}
}

// A topic is read up to its end at the time of opening, from the group's offset, one partition
// after the other, without aborted messages.
func TestTopicReader(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	topic := topicFor(t, c, 3, nil)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	open := func(group string) *kafka.TopicReader {
		t.Helper()
		r, err := kafka.OpenTopic(ctx, kafka.TopicSettings{Cluster: c.cluster(), Topic: topic, Group: group})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	want := func(r *kafka.TopicReader, want ...string) {
		t.Helper()
		got, err := readTopic(ctx, r)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
		if _, err := r.Next(ctx); !errors.Is(err, io.EOF) {
			t.Errorf("behind the end: %v", err)
		}
	}
	want(open(""))
	c.Produce(t, topic, 0, numbersFrom(0, 3)...)
	c.Produce(t, topic, 2, numbersFrom(5, 7)...)
	before := open("g")
	c.Produce(t, topic, 2, numbersFrom(7, 8)...) // after opening
	want(before, "0/0=0", "0/1=1", "0/2=2", "2/0=5", "2/1=6")
	if err := before.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if got := c.Committed(t, "g", topic); got[0] != 3 || got[1] != 0 || got[2] != 2 {
		t.Errorf("committed %v", got)
	}
	want(open("g"), "2/2=7")
	aborted, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("aborted "+topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer aborted.Close()
	record := func() *kgo.Record { return &kgo.Record{Topic: topic, Value: []byte("aborted")} }
	if err := errors.Join(aborted.BeginTransaction(), aborted.ProduceSync(ctx, record(), record()).FirstErr(), aborted.EndTransaction(ctx, kgo.TryAbort)); err != nil {
		t.Fatal(err) // offsets 3 to 5 with its marker
	}
	c.Produce(t, topic, 0, numbersFrom(9, 10)...)
	want(open("g"), "0/6=9", "2/2=7")
	c.DeleteBefore(t, topic, 0, 2) // retention has passed the group
	all := open("")
	want(all, "0/2=2", "0/6=9", "2/0=5", "2/1=6", "2/2=7")
	c.Produce(t, topic, 1, numbersFrom(0, 1)...)

	for _, at := range []struct {
		partition int
		offset    int64
		want      string // or the reason for the gap
		found     bool
	}{
		{0, 2, "2", true}, {0, 6, "9", true}, {2, 0, "5", true}, {2, 2, "7", true},
		{0, 1, "what lay there was deleted", false},
		{0, 5, "compaction has taken it, or its transaction was aborted", false},
		{0, 7, "the partition ends at offset 7", false},
		{1, 0, "the partition ends at offset 0", false}, // it was empty when the topic was opened
		{0, -1, "the partition ends at offset 7", false},
		{3, 0, "the topic has 3 partitions", false},
		{-1, 0, "the topic has 3 partitions", false},
	} {
		m, err := all.At(ctx, at.partition, at.offset)
		switch {
		case at.found && (err != nil || string(m.Value) != at.want || m.Partition != at.partition || m.Offset != at.offset):
			t.Errorf("%d/%d: %q, %v", at.partition, at.offset, m.Value, err)
		case !at.found && (!errors.Is(err, kafka.ErrGone) || !strings.Contains(err.Error(), fmt.Sprintf("topic %s, partition %d, offset %d: ", topic, at.partition, at.offset)) || !strings.Contains(err.Error(), at.want)):
			t.Errorf("%d/%d: %v, want %s", at.partition, at.offset, err, at.want)
		}
	}
	if _, err := kafka.OpenTopic(ctx, kafka.TopicSettings{Cluster: c.cluster(), Topic: "absent"}); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("a topic that there is not: %v", err)
	}
}

// Temporary errors are retried. Messages deleted while they are read, and missing permissions, are
// errors.
func TestTopicReaderInTrouble(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	c.Produce(t, topic, 0, numbersFrom(0, 4)...)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	set := kafka.TopicSettings{Cluster: c.cluster(), Topic: topic, Group: "g"}
	open := func() *kafka.TopicReader {
		t.Helper()
		r, err := kafka.OpenTopic(ctx, set)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	moved := func(key kmsg.Key, err *kerr.Error, count int) { f.Fault(faultOf(topic, key, err, count)) }
	moved(kmsg.ListOffsets, kerr.NotLeaderForPartition, 1)
	loading := f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.CoordinatorLoadInProgress, Count: 1})
	moved(kmsg.Fetch, kerr.NotLeaderForPartition, 2)
	moved(kmsg.OffsetCommit, kerr.CoordinatorLoadInProgress, 1)
	r := open()
	if got, err := readTopic(ctx, r); err != nil || len(got) != 4 {
		t.Errorf("%q, %v", got, err)
	}
	if err := r.Commit(ctx); err != nil || loading.Hits() != 1 {
		t.Errorf("%v; the coordinator was loading %d times", err, loading.Hits())
	}
	if got := c.Committed(t, "g", topic)[0]; got != 4 {
		t.Errorf("committed %v", got)
	}
	moved(kmsg.Fetch, kerr.NotLeaderForPartition, 1)
	if m, err := r.At(ctx, 0, 1); err != nil || string(m.Value) != "1" {
		t.Errorf("%q, %v", m.Value, err)
	}
	moved(kmsg.OffsetCommit, kerr.GroupAuthorizationFailed, 1)
	if err := r.Commit(ctx); err == nil || !strings.Contains(err.Error(), "kafka: committing for group g: ") || !strings.Contains(err.Error(), "needs the right Read") {
		t.Errorf("a commit without the right: %v", err)
	}
	moved(kmsg.Fetch, kerr.TopicAuthorizationFailed, 1)
	if _, err := r.At(ctx, 0, 1); err == nil || !strings.Contains(err.Error(), "offset 1: ") || !strings.Contains(err.Error(), "needs the right Read") {
		t.Errorf("a message without the right: %v", err)
	}
	set.Group = ""
	denied := open()
	moved(kmsg.Fetch, kerr.TopicAuthorizationFailed, 1)
	if got, err := readTopic(ctx, denied); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("kafka: reading topic %s, partition 0: ", topic)) || !strings.Contains(err.Error(), "needs the right Read") {
		t.Errorf("without the right: %q, %v", got, err)
	}
	late := open()
	c.DeleteBefore(t, topic, 0, 3)
	if got, err := readTopic(ctx, late); err == nil || !strings.Contains(err.Error(), "messages from offset 0 on were deleted meanwhile") || len(got) > 0 {
		t.Errorf("what was deleted: %q, %v", got, err)
	}
	// Errors of partitions are errors.
	for _, key := range []kmsg.Key{kmsg.ListOffsets, kmsg.OffsetFetch} {
		set.Group = "g"
		f.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.TopicAuthorizationFailed, Count: 1})
		if _, err := kafka.OpenTopic(ctx, set); err == nil || !strings.Contains(err.Error(), "kafka: topic "+topic) {
			t.Errorf("%v: %v", key, err)
		}
	}
}

// TestTopicOfAborted: a topic that has only records of an aborted transaction has no message. Next
// does not return an empty list, which callers would take for messages.
func TestTopicOfAborted(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	topic := topicFor(t, c, 1, nil)
	transaction(t, c, topic, kgo.TryAbort, 3)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	r, err := kafka.OpenTopic(ctx, kafka.TopicSettings{Cluster: c.cluster(), Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.Next(ctx); len(got) != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%d messages, %v", len(got), err)
	}
}
