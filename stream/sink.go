package stream

import (
	"context"
	"fmt"
)

// Sink writes messages to one topic.
type Sink interface {
	// Write returns nil after all in-sync replicas have acknowledged all messages. The order is
	// kept for each key. Messages without a key keep the order of each Message.Partition, the
	// partition of the source; the sink's topic may have another number of partitions. Topic and
	// Offset of the messages are ignored.
	//
	// If it fails, the error is a *WriteError that contains the indices of the messages still to be
	// written. Any other error means that this is unknown, so all must be written again. A message
	// reported as not written may still have been written. A *RefusedError in the chain lists
	// messages that the topic will never accept.
	Write(ctx context.Context, messages []Message) error
	// Close closes all connections.
	Close() error
}

// WriteError lists the messages of a Write that were not acknowledged.
type WriteError struct {
	// Remaining are indices into the written messages, ascending. Writing only these again, in this
	// order, keeps the order for each key.
	Remaining []int
	// Err is the first error.
	Err error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("%d messages not acknowledged: %v", len(e.Remaining), e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }
