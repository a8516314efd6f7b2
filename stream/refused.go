package stream

import (
	"fmt"
	"slices"
)

// Refused is a message that its topic does not take.
type Refused struct {
	// Index is its place among the messages written; for a Transaction among its
	// outputs and then its letters.
	Index int
	Topic string
	// Size is how many bytes the broker counts for a batch of this message alone, as it
	// is sent (compressed); Limit how many it takes. Both are 0 if the size is not why.
	Size, Limit int
	// Why is the broker's reason, and what to do, if the message is refused whatever its
	// size is; else nil.
	Why error
}

func (m Refused) String() string {
	if m.Why != nil {
		return fmt.Sprintf("topic %s does not take such a message: %v", m.Topic, m.Why)
	}
	return fmt.Sprintf("a message of %d bytes, as it is sent, where topic %s takes %d: raise its max.message.bytes, or socket.request.max.bytes of its brokers", m.Size, m.Topic, m.Limit)
}

// RefusedError says that a topic does not take some messages, each alone in a batch, and
// will not until its settings change: to write them again is in vain. Errors of
// Sink.Write and Transactional.Transact match it.
type RefusedError struct {
	// Messages are ascending by index, at least one.
	Messages []Refused
	// Err is the broker's refusal of what is too large; nil if none was needed.
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

// of is what it says of one message.
func (e *RefusedError) of(m Refused) *RefusedError {
	out := &RefusedError{Messages: []Refused{m}}
	if m.Why == nil {
		out.Err = e.Err
	}
	return out
}

// among translates indices into a part of some messages into those of all.
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
