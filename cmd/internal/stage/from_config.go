package stage

import (
	"fmt"
	"time"

	"unfold/cmd/internal/config"
	"unfold/ingest/arrowfmt"
	"unfold/models/drift"
	"unfold/stream"
	"unfold/stream/kafka"
)

// driftSettings are how the newest events are watched; the zero value is not at all.
func driftSettings(c *config.Config) drift.Settings {
	if c.Drift.Window == 0 {
		return drift.Settings{}
	}
	return c.Drift.Settings()
}

// orNone is a number of the configuration in the learner's words, where 0 stands for
// a default and less for none.
func orNone[T int | float64 | time.Duration](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

// anchor is how firmly points are held, in the learner's words.
func anchor(c *config.Config) float64 {
	if c.Refresh.Anchor < 0 {
		return 0 // the default of the model
	}
	return orNone(float64(c.Refresh.Anchor))
}

// refreshNew is the share of new events that is worth a map; of none, one event is.
func refreshNew(c *config.Config) float64 { return max(float64(c.Refresh.New), 1e-9) }

func start(c *config.Config) kafka.Start {
	if c.Source.Kafka.Start == "latest" {
		return kafka.Latest
	}
	return kafka.Earliest
}

// transactions are what the source needs to deliver exactly once.
func transactions(c *config.Config) *kafka.Transactions {
	if !c.ExactlyOnce() {
		return nil
	}
	return &kafka.Transactions{Outputs: c.Sink.Kafka.Topic, Letters: c.DeadLetter.Topic, Compression: c.Sink.Kafka.Compression}
}

// sinkSettings are those of a topic that is written to.
func sinkSettings(c *config.Config, to kafka.Cluster, topic string) kafka.SinkSettings {
	return kafka.SinkSettings{Cluster: to, Topic: topic, Compression: c.Sink.Kafka.Compression}
}

// tooLarge is what becomes of outputs that their topic does not take.
func tooLarge(c *config.Config) stream.TooLarge {
	if c.Sink.Kafka.TooLarge == "dead-letter" {
		return stream.ToDeadLetters
	}
	return stream.Split
}

func onGap(c *config.Config) kafka.OnGap {
	if c.Source.Kafka.OnGap == "continue" {
		return kafka.Continue
	}
	return kafka.Fail
}

func onLost(c *config.Config) kafka.OnLost {
	return map[string]kafka.OnLost{"fail": kafka.FailLost, "start": kafka.Restart}[c.Source.Kafka.OnLost]
}

// limits bound what decoding one message may take.
func limits(c *config.Config) arrowfmt.Limits {
	return arrowfmt.Limits{Memory: int64(c.Limits.MessageMemory)}
}

// clusters are those of the source and of the sink.
func clusters(s Settings) (from, to kafka.Cluster, err error) {
	if from, err = SourceCluster(s.Config, s.Env); err != nil {
		return from, to, fmt.Errorf("source: %w", err)
	}
	if to, err = SinkCluster(s.Config, s.Env); err != nil {
		return from, to, fmt.Errorf("sink: %w", err)
	}
	return from, to, nil
}
