package stream

import (
	"context"
	"fmt"
)

// Sink takes messages for one topic.
type Sink interface {
	// Write returns nil after all in-sync replicas have acknowledged all messages. Order
	// is kept for each key, and for messages without a key for each Message.Partition
	// (which is the partition of the source that they came from; the sink's own topic may
	// have another number of partitions). Topic and Offset of the messages are ignored.
	//
	// If it fails, the error is a *WriteError that says which messages are still
	// to be written, or any other error if that is not known: then all are. A
	// message that is reported as not written may still have been. A *RefusedError in
	// it says which messages the topic will not take, whatever is tried.
	Write(ctx context.Context, messages []Message) error
	// Close lets go of all connections.
	Close() error
}

// WriteError says which messages of a Write were not acknowledged.
type WriteError struct {
	// Remaining are indices into the written messages, ascending. Writing just
	// them again, in this order, keeps the order for each key.
	Remaining []int
	// Err is the first reason.
	Err error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("%d messages not acknowledged: %v", len(e.Remaining), e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }
