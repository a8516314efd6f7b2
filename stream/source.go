package stream

import (
	"context"
	"errors"
	"fmt"
)

// Source returns generations: periods in which this process alone owns some partitions. A new
// generation begins whenever the ownership changes: a member joins or leaves, a partition is added,
// or the connection to the group's coordinator is lost.
type Source interface {
	// Next waits for the next generation. There is at most one: Next blocks until the previous one
	// is closed. It retries after temporary failures, such as a moving coordinator. An error is
	// final.
	Next(ctx context.Context) (Generation, error)
	// Close leaves the group and closes all connections, within seconds even if the broker hangs.
	// An open generation ends.
	Close() error
}

// Generation is the right to read some partitions and to commit their offsets. Its methods may be
// called by several goroutines at once, but one partition is fetched by one goroutine only.
type Generation interface {
	// Assigned returns the partitions of this generation, each with the offset at which reading
	// starts. That is the group's committed offset, or the one from the source's settings if
	// nothing was committed.
	Assigned() []Position
	// Fetch waits for the next messages of an assigned partition and returns them in offset order.
	// A run without messages means that the offsets before Run.Next have no messages. It returns
	// ErrRevoked when the generation has ended, the context's error, or a final error such as
	// *OffsetError. It retries after temporary failures. Bytes are taken from the share before
	// memory is allocated, and handed over with the run. All calls for a partition must pass the
	// same share.
	Fetch(ctx context.Context, tp TopicPartition, room *Share) (Run, error)
	// Commit makes offsets durable for the group. It returns ErrRevoked if the generation has
	// ended. It never moves an offset that another member owns.
	Commit(ctx context.Context, positions []Position) error
	// Progress returns the progress of the group in each assigned partition. It queries the broker
	// once without retries. No error is final.
	Progress(ctx context.Context) ([]Progress, error)
	// Revoked is closed when the group has ended this generation. Commit may still succeed for a
	// short time, until Close.
	Revoked() <-chan struct{}
	// Close releases the partitions. The next generation begins afterwards.
	Close() error
}

// Run is the result of one Fetch.
type Run struct {
	// Messages are consecutive messages of one partition in offset order.
	// Offsets may have gaps (compaction, transaction markers).
	Messages []Message
	// Next is the offset that reading has reached. It is behind the last message and any markers,
	// aborted records and compacted offsets after it. A smaller committed offset would keep the
	// group's lag above 0 for ever.
	Next int64
	// End is the offset behind the partition's last message at the time of the fetch, -1 if not
	// known. So at most End - Next messages are still to come.
	End int64
	// Bytes is the number of the share's bytes that were handed over with this run (Share.Hand).
	// Memory that several runs share is counted with the last of them.
	Bytes int64
}

// ErrRevoked is returned if the generation has ended. Its partitions may already belong to another
// member.
var ErrRevoked = errors.New("partitions were given to another member of the group")

// ErrUnknownTopic is returned if a topic does not exist.
var ErrUnknownTopic = errors.New("unknown topic")

// OffsetError is returned if the group's offset is outside the log. Either messages were deleted
// before they were read (Offset < First), or the topic was truncated or created again (Offset >
// End). Reading on would silently skip messages. The error is therefore final, unless the source is
// set to continue at the first message of the log.
type OffsetError struct {
	TopicPartition
	Offset, First, End int64
}

func (e *OffsetError) Error() string {
	// It is unknown which of the deleted offsets contained messages.
	what := fmt.Sprintf("up to %d messages were deleted before they were read", e.First-e.Offset)
	if e.Offset > e.End {
		what = "the topic was truncated or created again"
	}
	return fmt.Sprintf("topic %s, partition %d: the group's offset %d is outside of the log (%d to %d): %s; "+
		"set the group's offsets to where reading shall go on (kafka-consumer-groups --reset-offsets) and start again",
		e.Topic, e.Partition, e.Offset, e.First, e.End, what)
}

// Lost returns the maximum number of messages deleted before they were read. It is 0 for a
// truncated log, because the number is unknown then.
func (e *OffsetError) Lost() int64 { return max(0, e.First-e.Offset) }
