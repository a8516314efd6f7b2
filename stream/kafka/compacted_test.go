package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

func TestTopic(t *testing.T) { testTopic(t, newFake(t)) }

// testTopic checks topics and their fenced writers against the requirements of package fleet.
func testTopic(t *testing.T, c *cluster) {
	topic := topicFor(t, c, 1, map[string]string{"cleanup.policy": "compact"})
	set := kafka.CompactedSettings{Cluster: c.cluster(), Topic: topic}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	open := func() *kafka.CompactedTopic {
		t.Helper()
		b, err := kafka.OpenCompacted(ctx, set)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	take := func() *kafka.FencedWriter {
		t.Helper()
		d, err := kafka.OpenFencedWriter(ctx, set, "unfold-"+topic)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	next := func(b *kafka.CompactedTopic, want ...string) {
		t.Helper()
		var got []string
		for len(got) < len(want) || len(want) == 0 {
			messages, err := b.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range messages {
				got = append(got, string(m.Value))
			}
			if len(want) == 0 {
				break
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the topic holds %q, want %q", got, want)
		}
	}
	write := func(d *kafka.FencedWriter, text string) error {
		return d.Write(ctx, stream.Message{Key: []byte("k"), Value: []byte(text), Time: time.Now()})
	}
	early := open()
	next(early) // nothing yet, without waiting
	first := take()
	for _, text := range []string{"1", "2"} {
		if err := write(first, text); err != nil {
			t.Fatal(err)
		}
	}
	next(early, "1", "2")
	second := take()
	if err := write(first, "stale"); !errors.Is(err, stream.ErrFenced) {
		t.Errorf("who lost the right writes: %v", err)
	}
	if err := write(first, "stale again"); !errors.Is(err, stream.ErrFenced) {
		t.Errorf("who lost the right tries again: %v", err)
	}
	if err := write(second, "3"); err != nil {
		t.Fatal(err)
	}
	next(early, "3")
	late := open()
	if messages, err := late.Next(ctx); err != nil || len(messages) == 0 || string(messages[len(messages)-1].Value) != "3" {
		t.Errorf("a late reader begins with %v, %v", messages, err)
	}
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	if _, err := late.Next(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nothing new: %v", err)
	}
	if detail, err := kafka.CheckCompacted(ctx, c.cluster(), topic); err != nil || !strings.Contains(detail, "compacted") {
		t.Errorf("a check says %q, %v", detail, err)
	}
}

// Records of open and aborted transactions are not returned.
func TestTopicReadsCommitted(t *testing.T) {
	c := newFake(t)
	topic := topicFor(t, c, 1, nil)
	b, err := kafka.OpenCompacted(t.Context(), kafka.CompactedSettings{Cluster: c.cluster(), Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if m, err := b.Next(t.Context()); err != nil || len(m) != 0 {
		t.Fatalf("an empty topic holds %v, %v", m, err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("x"), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := client.ProduceSync(t.Context(), kgo.StringRecord(fmt.Sprint(end))).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := client.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := b.Next(t.Context()); err != nil || len(m) != 1 || string(m[0].Value) != fmt.Sprint(kgo.TryCommit) {
		t.Errorf("the topic holds %v, %v", m, err)
	}
}

func TestTopicNeedsOneCompactedPartition(t *testing.T) {
	c := newFake(t)
	c.CreateTopic(t, "two", 2)
	c.createTopic(t, "deleted", 1, map[string]string{"cleanup.policy": "delete"})
	set := kafka.CompactedSettings{Cluster: c.cluster(), Topic: "two"}
	if _, err := kafka.OpenCompacted(t.Context(), set); err == nil || !strings.Contains(err.Error(), "2 partitions") {
		t.Errorf("a topic of two partitions: %v", err)
	}
	if _, err := kafka.OpenFencedWriter(t.Context(), set, "x"); err == nil || !strings.Contains(err.Error(), "2 partitions") {
		t.Errorf("a fenced writer of two partitions: %v", err)
	}
	if _, err := kafka.CheckCompacted(t.Context(), c.cluster(), "two"); err == nil || !strings.Contains(err.Error(), "exactly one") {
		t.Errorf("a check of two partitions: %v", err)
	}
	if _, err := kafka.CheckCompacted(t.Context(), c.cluster(), "deleted"); err == nil || !strings.Contains(err.Error(), "set it to compact") {
		t.Errorf("a check of a topic that forgets: %v", err)
	}
	set.Topic = "nowhere"
	if _, err := kafka.OpenCompacted(t.Context(), set); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("a topic that is not there: %v", err)
	}
}

func TestMembers(t *testing.T) {
	c := newFake(t)
	c.CreateTopic(t, "in", 1)
	if m, err := kafka.Members(t.Context(), c.cluster(), "nobody"); err != nil || len(m) != 0 {
		t.Errorf("a group that is not there has %v, %v", m, err)
	}
	s, err := c.NewSource(t.Context(), "in", "g")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gen, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := kafka.Members(t.Context(), c.cluster(), "g")
	if err != nil || len(m) != 1 || m[0].ID == "" || !strings.Contains(m[0].String(), " at ") {
		t.Errorf("the group has %v, %v", m, err)
	}
	if err := errors.Join(gen.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	streamtest.Await(t, "a group without members", func() bool {
		m, err := kafka.Members(t.Context(), c.cluster(), "g")
		if err != nil {
			t.Fatal(err)
		}
		return len(m) == 0
	})
}

// A write whose end fails may be committed or not. Its records are never returned together with the
// next write, which starts a new transaction. Temporary errors are retried.
func TestFencedWriterInTrouble(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, map[string]string{"cleanup.policy": "compact"})
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	w, err := kafka.OpenFencedWriter(ctx, kafka.CompactedSettings{Cluster: c.cluster(), Topic: topic}, "unfold-"+topic)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	write := func(text string) error {
		return w.Write(ctx, stream.Message{Key: []byte("k"), Value: []byte(text), Time: time.Now()})
	}
	fail := func(key kmsg.Key, err *kerr.Error, count int) {
		f.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: err, Count: count})
	}
	want := func(when string, all ...string) {
		t.Helper()
		var got []string
		for _, m := range c.Read(t, topic) {
			got = append(got, string(m.Value))
		}
		if fmt.Sprint(got) != fmt.Sprint(all) {
			t.Errorf("%s the topic holds %q, want %q", when, got, all)
		}
	}
	if err := write("1"); err != nil {
		t.Fatal(err)
	}
	fail(kmsg.EndTxn, kerr.InvalidTxnState, 1)
	if err := write("lost"); err == nil || errors.Is(err, stream.ErrFenced) || !strings.Contains(err.Error(), "kafka: writing to topic "+topic) {
		t.Errorf("its end fails: %v", err)
	}
	if err := write("2"); err != nil {
		t.Fatal(err)
	}
	want("after an end that failed", "1", "2")
	fail(kmsg.AddPartitionsToTxn, kerr.InvalidTxnState, 1)
	if err := write("not begun"); err == nil {
		t.Error("it is written, though the transaction was not begun")
	}
	fail(kmsg.Produce, kerr.InvalidTopicException, 1)
	if err := write("refused"); err == nil {
		t.Error("it is written, though the broker refused it")
	}
	for _, key := range []kmsg.Key{kmsg.AddPartitionsToTxn, kmsg.Produce, kmsg.EndTxn} {
		fail(key, kerr.NotLeaderForPartition, 1)
	}
	if err := write("3"); err != nil {
		t.Fatal(err)
	}
	want("after failures that pass", "1", "2", "3")
	fail(kmsg.AddPartitionsToTxn, kerr.TransactionalIDAuthorizationFailed, 1)
	if err := write("denied"); err == nil || !strings.Contains(err.Error(), "needs the right Write") {
		t.Errorf("without the right: %v", err)
	}
	for _, set := range []kafka.CompactedSettings{{Cluster: c.cluster()}, {Cluster: c.cluster(), Topic: topic}} {
		if _, err := kafka.OpenFencedWriter(ctx, set, ""); err == nil || !strings.Contains(err.Error(), "needs a topic and a name") {
			t.Errorf("%v", err)
		}
	}
	if _, err := kafka.OpenCompacted(ctx, kafka.CompactedSettings{Cluster: c.cluster()}); err == nil || !strings.Contains(err.Error(), "needs a topic") {
		t.Errorf("%v", err)
	}
}
