package kafka_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// TestProgress: what the group has committed, what was read and where the log ends, from
// the beginning on; the markers of transactions are read, and are no messages.
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
	if p := progress(); p.Offset != 0 || p.Read != 0 || p.End != 6 {
		t.Errorf("before anything is read: %+v", p)
	}
	if got := fetchN(t, gen, tp, 5); len(got) != 5 {
		t.Fatalf("%d messages", len(got))
	}
	if err := gen.Commit(t.Context(), []stream.Position{{TopicPartition: tp, Offset: 5}}); err != nil {
		t.Fatal(err)
	}
	streamtest.Await(t, "the marker is read", func() bool {
		p := progress()
		return p.Offset == 5 && p.Read == 6 && p.End == 6
	})
}
