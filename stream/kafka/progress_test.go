package kafka_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/stream"
)

// TestProgress: what the group has committed and where the log ends, from the beginning on.
// Reading gets past the marker that ends a transaction, so that the group can commit the
// log's end.
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
