package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// unfitError is a broker's rejection of a batch because of some of its records.
type unfitError struct {
	// refusal is the broker's error.
	refusal error
	// records are the reasons by index in the batch. Brokers before 2.4 give none.
	records map[int]error
}

func (e *unfitError) Error() string { return e.refusal.Error() }
func (e *unfitError) Unwrap() error { return e.refusal }

// unfit reports whether a broker's error concerns the content of records rather than their size.
func unfit(err error) bool {
	return errors.Is(err, kafka.InvalidRecord) || errors.Is(err, kafka.InvalidTimestamp)
}

// advice returns the remedy for a record that a topic rejects.
func advice(refusal error, m *stream.Message) string {
	switch {
	case errors.Is(refusal, kafka.InvalidTimestamp):
		return fmt.Sprintf("the message's time is %s: raise the topic's message.timestamp.before.max.ms and message.timestamp.after.max.ms, or set its message.timestamp.type to LogAppendTime", m.Time.UTC().Format(time.RFC3339Nano))
	case m.Key == nil:
		return "the message has no key, and a compacted topic takes none without: set the topic's cleanup.policy to delete"
	}
	return "compare the topic's settings with those of the source's topic"
}

// refused returns the error of a rejected batch, whose first message is the lot's i-th. It is a
// *stream.RefusedError, or err itself if it is retriable, or if smaller batches must show which
// messages are rejected.
func (l *lot) refused(ctx context.Context, messages []*stream.Message, i int, batch []byte, err error) error {
	if tooLarge(err) && len(messages) == 1 {
		return l.gauge.refusal(ctx, l, i, batch, err)
	}
	var u *unfitError
	if !errors.As(err, &u) {
		return err
	}
	var all stream.RefusedError
	for k, m := range messages {
		reason, is := u.records[k]
		if !is && len(messages) > 1 {
			continue
		}
		why := fmt.Errorf("%w (%s)", u.refusal, advice(u.refusal, m))
		if reason != nil && reason.Error() != "" {
			why = fmt.Errorf("%w: %w (%s)", u.refusal, reason, advice(u.refusal, m))
		}
		all.Messages = append(all.Messages, stream.Refused{Index: l.indices[i+k], Topic: l.tp.Topic, Why: why})
	}
	if len(all.Messages) == 0 {
		return err
	}
	return &all
}

// divisible reports whether smaller batches of a rejected batch may be accepted.
func divisible(err error) bool {
	var known *stream.RefusedError
	return (tooLarge(err) || unfit(err)) && !errors.As(err, &known)
}

// made adds the source message of the first rejected message to err.
func made(messages []stream.Message, err error) error {
	var refused *stream.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	return fmt.Errorf("%s: %w", messages[refused.Messages[0].Index].Where(), err)
}

// refusedOf joins the rejections of several lots; nil if there are none.
func refusedOf(errs []error) error {
	var all stream.RefusedError
	for _, err := range errs {
		var one *stream.RefusedError
		if errors.As(err, &one) {
			all.Messages, all.Err = append(all.Messages, one.Messages...), errors.Join(all.Err, one.Err)
		}
	}
	if len(all.Messages) == 0 {
		return nil
	}
	slices.SortFunc(all.Messages, func(a, b stream.Refused) int { return a.Index - b.Index })
	return &all
}
