package stream

import (
	"fmt"
	"slices"
)

// Refused is a message that its topic rejects.
type Refused struct {
	// Index is its index among the written messages. For a Transaction, letters follow outputs.
	Index int
	Topic string
	// Size is the size in bytes that the broker computes for a compressed batch of this message
	// alone, and Limit its maximum. Both are 0 if the size is not the reason.
	Size, Limit int
	// Why is the broker's reason, with advice, if the message is rejected for another reason than
	// its size. Otherwise nil.
	Why error
}

func (m Refused) String() string {
	if m.Why != nil {
		return fmt.Sprintf("topic %s does not take such a message: %v", m.Topic, m.Why)
	}
	return fmt.Sprintf("a message of %d bytes, as it is sent, where topic %s takes %d: raise its max.message.bytes, or socket.request.max.bytes of its brokers", m.Size, m.Topic, m.Limit)
}

// RefusedError is returned if a topic rejects some messages, each alone in a batch. To retry is
// useless until the settings of the topic change. Errors of Sink.Write and Transactional.Transact
// match it.
type RefusedError struct {
	// Messages are the rejected messages, at least one, ascending by index.
	Messages []Refused
	// Err is the broker's error for messages that are too large; nil if the sink did not need to
	// ask.
	Err error
}

func (e *RefusedError) Error() string {
	text := e.Messages[0].String()
	if n := len(e.Messages); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the reasons.
func (e *RefusedError) Unwrap() (all []error) {
	for _, m := range e.Messages {
		if m.Why != nil {
			all = append(all, m.Why)
		}
	}
	if e.Err != nil {
		all = append(all, e.Err)
	}
	return all
}

// of returns the error for one of its messages.
func (e *RefusedError) of(m Refused) *RefusedError {
	out := &RefusedError{Messages: []Refused{m}}
	if m.Why == nil {
		out.Err = e.Err
	}
	return out
}

// among maps indices into a subset of messages to indices into all messages.
func (e *RefusedError) among(indices []int) *RefusedError {
	if indices == nil {
		return e
	}
	out := &RefusedError{Messages: slices.Clone(e.Messages), Err: e.Err}
	for i := range out.Messages {
		out.Messages[i].Index = indices[out.Messages[i].Index]
	}
	return out
}
