package cli

import (
	"errors"
	"testing"

	"unfold/stream"
)

// A reason says once where the message lay, whether or not it knew.
func TestLocated(t *testing.T) {
	m := stream.Message{TopicPartition: stream.TopicPartition{Topic: "events", Partition: 1}, Offset: 7}
	const want = "topic events, partition 1, offset 7: too long"
	for _, reason := range []string{"too long", want} {
		if got := located(&m, errors.New(reason)); got != want {
			t.Errorf("%q is told as %q", reason, got)
		}
	}
}
