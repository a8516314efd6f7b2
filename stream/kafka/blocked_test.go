package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/stream"
	"unfold/stream/kafka"
)

func TestBlocked(t *testing.T) {
	t.Parallel()
	testBlocked(t, newFake(t))
}

// testBlocked: an open transaction of another program that blocks reading is named with a remedy,
// and its end is reported.
func testBlocked(t *testing.T, c *cluster) {
	topic := topicFor(t, c, 1, nil)
	tp := stream.TopicPartition{Topic: topic}
	c.Produce(t, topic, 0, numbersFrom(0, 3)...)
	producer, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("holder of "+topic), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	begun := time.Now()
	if err := errors.Join(producer.BeginTransaction(), producer.ProduceSync(t.Context(), kgo.StringRecord("3")).FirstErr()); err != nil {
		t.Fatal(err)
	}
	c.Produce(t, topic, 0, numbersFrom(4, 6)...)
	id, _, err := producer.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reports, ended := make(chan *kafka.BlockedError, 100), make(chan string, 100)
	set := c.quick(topic, "g")
	set.FetchWait, set.BlockedAfter = 20*time.Millisecond, time.Millisecond
	set.Retrying = func(what string, _ int, err error, _ time.Duration) {
		var e *kafka.BlockedError
		if errors.As(err, &e) != (what == "open transaction") {
			t.Errorf("%s: %v", what, err)
		} else if e != nil {
			reports <- e
		}
	}
	set.Recovered = func(what string) {
		if what != "fetch" {
			ended <- what
		}
	}
	_, g := open(t, set)
	if got := fetchN(t, g, tp, 3); len(got) != 3 {
		t.Fatalf("%d messages before the transaction", len(got))
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	next := make(chan stream.Run, 1)
	go func() {
		run, err := g.Fetch(ctx, tp, nil)
		if err != nil {
			t.Error(err)
		}
		next <- run
	}()
	var e *kafka.BlockedError
	select {
	case e = <-reports:
	case <-ctx.Done():
		t.Fatal("nobody is named")
	}
	if e.Producer != id || e.Offset != 3 || e.TopicPartition != tp || e.Wrote.Before(begun.Add(-time.Minute)) || e.Since.Before(begun) {
		t.Errorf("producer %d: %+v", id, e)
	}
	for _, want := range []string{fmt.Sprintf("producer id %d", id), "at offset 3", e.Wrote.UTC().Format(time.RFC3339),
		fmt.Sprintf("kafka-transactions.sh --bootstrap-server %s abort --topic %s --partition 0 --start-offset 3", c.brokers[0], topic)} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, e)
		}
	}
	if len(ended) > 0 {
		t.Error("its end is reported too early")
	}
	if err := producer.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	if run := <-next; len(run.Messages) == 0 || run.Messages[0].Offset != 4 {
		t.Errorf("behind the transaction: %v", run.Messages)
	}
	if what := <-ended; what != "open transaction" {
		t.Errorf("%q has ended", what)
	}
}
