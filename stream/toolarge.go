package stream

import (
	"fmt"
	"slices"
)

// Large is a message that its topic does not take.
type Large struct {
	// Index is its place among the messages written; for a Transaction among its
	// outputs and then its letters.
	Index int
	Topic string
	// Size is how many bytes the broker counts for a batch of this message alone, as it
	// is sent (compressed); Limit how many it takes.
	Size, Limit int
}

// TooLargeError says that a topic does not take some messages, each alone in a batch, and
// will not until its settings change: to write them again is in vain. Errors of
// Sink.Write and Transactional.Transact match it.
type TooLargeError struct {
	// Messages are ascending by index, at least one.
	Messages []Large
	// Err is the broker's refusal; nil if none was needed.
	Err error
}

func (e *TooLargeError) Error() string {
	m := e.Messages[0]
	text := fmt.Sprintf("a message of %d bytes, as it is sent, where topic %s takes %d: raise its max.message.bytes, or socket.request.max.bytes of its brokers", m.Size, m.Topic, m.Limit)
	if n := len(e.Messages); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *TooLargeError) Unwrap() error { return e.Err }

// among translates indices into a part of some messages into those of all.
func (e *TooLargeError) among(indices []int) *TooLargeError {
	if indices == nil {
		return e
	}
	out := &TooLargeError{Messages: slices.Clone(e.Messages), Err: e.Err}
	for i := range out.Messages {
		out.Messages[i].Index = indices[out.Messages[i].Index]
	}
	return out
}
