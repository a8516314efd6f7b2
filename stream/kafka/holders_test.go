package kafka_test

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

func TestHolders(t *testing.T) { testHolders(t, newFake(t)) }

// testHolders: exactly the producers with an open transaction in a partition are listed, by their
// ids.
func testHolders(t *testing.T, c *cluster) {
	topic := topicFor(t, c, 2, nil)
	holders := func(partition int) map[int64]bool {
		t.Helper()
		open, err := kafka.Holders(t.Context(), c.cluster(), stream.TopicPartition{Topic: topic, Partition: partition})
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	if open := holders(0); len(open) != 0 {
		t.Errorf("in an empty partition: %v", open)
	}
	producer, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("holder of "+topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	r := &kgo.Record{Topic: topic, Partition: 1, Value: []byte("x")}
	if err := errors.Join(producer.BeginTransaction(), producer.ProduceSync(t.Context(), r).FirstErr()); err != nil {
		t.Fatal(err)
	}
	id, _, err := producer.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if open := holders(1); len(open) != 1 || !open[id] {
		t.Errorf("producer %d holds it, and %v are named", id, open)
	}
	if open := holders(0); len(open) != 0 {
		t.Errorf("in the other partition: %v", open)
	}
	if err := producer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	streamtest.Await(t, "nobody holds it", func() bool { return len(holders(1)) == 0 })
}
