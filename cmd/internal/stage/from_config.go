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

// driftSettings returns the settings for watching the newest events. The zero value disables it.
func driftSettings(c *config.Config) drift.Settings {
	if c.Drift.Window == 0 {
		return drift.Settings{}
	}
	return c.Drift.Settings()
}

// orNone converts a number of the configuration for the learner, which uses 0 for the default and
// negative numbers for none.
func orNone[T int | float64 | time.Duration](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

// anchor returns the anchoring of points in the learner's convention.
func anchor(c *config.Config) float64 {
	if c.Refresh.Anchor < 0 {
		return 0 // the model's default
	}
	return orNone(float64(c.Refresh.Anchor))
}

// refreshNew returns the share of new events that triggers a refresh. A share of 0 means at least
// one event.
func refreshNew(c *config.Config) float64 { return max(float64(c.Refresh.New), 1e-9) }

func start(c *config.Config) kafka.Start {
	if c.Source.Kafka.Start == "latest" {
		return kafka.Latest
	}
	return kafka.Earliest
}

// transactions returns the source's settings for exactly-once delivery, nil without it.
func transactions(c *config.Config) *kafka.Transactions {
	if !c.ExactlyOnce() {
		return nil
	}
	return &kafka.Transactions{Outputs: c.Sink.Kafka.Topic, Letters: c.DeadLetter.Topic, Compression: c.Sink.Kafka.Compression}
}

// sinkSettings returns the settings of an output topic.
func sinkSettings(c *config.Config, to kafka.Cluster, topic string) kafka.SinkSettings {
	return kafka.SinkSettings{Cluster: to, Topic: topic, Compression: c.Sink.Kafka.Compression}
}

// tooLarge returns the handling of outputs that are too large for their topic.
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

// limits returns the limits of decoding one message.
func limits(c *config.Config) arrowfmt.Limits {
	return arrowfmt.Limits{Memory: int64(c.Limits.MessageMemory)}
}

// clusters returns the Kafka clusters of the source and the sink.
func clusters(s Settings) (from, to kafka.Cluster, err error) {
	if from, err = SourceCluster(s.Config, s.Env); err != nil {
		return from, to, fmt.Errorf("source: %w", err)
	}
	if to, err = SinkCluster(s.Config, s.Env); err != nil {
		return from, to, fmt.Errorf("sink: %w", err)
	}
	return from, to, nil
}
