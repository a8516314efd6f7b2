package stage

import (
	"context"
	"fmt"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/stream/kafka"
)

// leastMoves is a size that exceeds any move, which is one row without kept columns, and any
// cluster.
const leastMoves = 16 << 10

type target struct {
	what, topic string
	// keyless describes what happens to messages without a key if the topic is compacted. It is ""
	// for a topic that should be compacted.
	keyless string
	// fate describes what happens to messages that the topic rejects. least is the message size
	// that it has to accept; 0 means the source's.
	fate  string
	least int
}

func targets(c *config.Config) (all []target) {
	if c.Role != config.RoleLearn {
		fate := "outputs beyond that come in parts (sink.kafka.too_large)"
		if c.Sink.Kafka.TooLarge == "dead-letter" {
			fate = "messages whose output is beyond that become dead letters (sink.kafka.too_large)"
		}
		all = append(all, target{"the sink", c.Sink.Kafka.Topic, "messages without a key become dead letters", fate, 0})
		if c.DeadLetter.Topic != "" {
			all = append(all, target{"dead letters", c.DeadLetter.Topic, "a dead letter without a key ends the stage", "dead letters beyond that are kept without their value", 0})
		}
	}
	if c.Sink.Moves != "" && c.Role != config.RoleEmbed {
		all = append(all, target{"moves", c.Sink.Moves, "", "a move beyond that ends the stage", leastMoves})
	}
	if c.Sink.Clusters != "" && c.Role != config.RoleEmbed {
		all = append(all, target{"clusters", c.Sink.Clusters, "", "a record beyond that ends the stage", leastMoves})
	}
	return all
}

// odd returns warnings about messages that a topic may reject for other reasons than size.
func (t target) odd(what string, source, takes kafka.Sizes) (warnings []string) {
	if takes.Compacted && t.keyless != "" {
		warnings = append(warnings, fmt.Sprintf("%s, is compacted (cleanup.policy): %s, and of those with the same key the last one stays. Set cleanup.policy to delete", what, t.keyless))
	}
	for _, bound := range []struct {
		setting       string
		source, takes int64
	}{
		{"message.timestamp.before.max.ms", source.Before, takes.Before},
		{"message.timestamp.after.max.ms", source.After, takes.After},
	} {
		if bound.takes > 0 && bound.takes < bound.source {
			warnings = append(warnings, fmt.Sprintf("%s, has %s %d, the source's %d: what is written has the time of its message, and may be refused. Set it to that of the source's topic", what, bound.setting, bound.takes, bound.source))
		}
	}
	return warnings
}

// Sizes compares the message limits of the output topics with the source's. The warnings name
// messages that may be rejected, for their size or another reason. The detail describes the limits
// if there are none.
func Sizes(ctx context.Context, s Settings) (detail string, warnings []string, err error) {
	from, to, err := clusters(s)
	if err != nil {
		return "", nil, err
	}
	source, err := kafka.AskSizes(ctx, from, s.Config.Source.Kafka.Topic)
	if err != nil {
		return "", nil, err
	}
	for _, t := range targets(s.Config) {
		takes, err := kafka.AskSizes(ctx, to, t.topic)
		if err != nil {
			return "", nil, err
		}
		want := t.least
		if want == 0 {
			want = source.Batch
		}
		what := fmt.Sprintf("the topic of %s, %s", t.what, t.topic)
		if takes.Batch > 0 && takes.Batch < want {
			warnings = append(warnings, fmt.Sprintf("%s, takes batches of up to %s as they are sent (max.message.bytes), the source's up to %s: %s",
				what, humanize.Bytes(int64(takes.Batch)), humanize.Bytes(int64(source.Batch)), t.fate))
		}
		if takes.Request > 0 && takes.Request < takes.Batch {
			warnings = append(warnings, fmt.Sprintf("the brokers of %s, take requests of up to %s (socket.request.max.bytes), less than its max.message.bytes of %s: %s",
				what, humanize.Bytes(int64(takes.Request)), humanize.Bytes(int64(takes.Batch)), t.fate))
		}
		warnings = append(warnings, t.odd(what, source, takes)...)
	}
	if source.Batch == 0 {
		return "", warnings, fmt.Errorf("%w: the brokers do not report the size limit of topic %s (this client lacks the permission DescribeConfigs)", ErrNothingToSee, s.Config.Source.Kafka.Topic)
	}
	return fmt.Sprintf(": batches of up to %s fit all of them", humanize.Bytes(int64(source.Batch))), warnings, nil
}

// MayNotFit is a warning of a check: a topic may reject messages, but the stage would run.
type MayNotFit struct{ Warnings []string }

func (e *MayNotFit) Error() string { return fmt.Sprint(e.Warnings) }

// checkSizes is Sizes as a check.
func checkSizes(ctx context.Context, s Settings) (string, error) {
	detail, warnings, err := Sizes(ctx, s)
	if err == nil && len(warnings) > 0 {
		err = &MayNotFit{warnings}
	}
	return detail, err
}
