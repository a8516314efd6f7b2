package stream

import (
	"context"
	"errors"
	"fmt"
)

// Source hands out generations: spans of time in which this process alone owns
// some partitions. A new generation begins whenever the ownership changes (a
// member joins or leaves, a partition is added, the connection to the group's
// coordinator was lost).
type Source interface {
	// Next waits for the next generation. There is never more than one: it
	// waits until the one before has been closed. Failures that may pass (a
	// coordinator that moves) are waited out; an error is final.
	Next(ctx context.Context) (Generation, error)
	// Close leaves the group and lets go of all connections, within seconds
	// even if the other side hangs. A generation that is still open ends.
	Close() error
}

// Generation is the right to read some partitions and to move their committed
// offsets. Its methods may be used by several goroutines at once, but one
// partition is fetched by one goroutine only.
type Generation interface {
	// Assigned lists the partitions of this generation, each with the offset at
	// which reading starts: the group's committed one, or where the source's
	// settings say if there is none.
	Assigned() []Position
	// Fetch waits for the next messages of an assigned partition and returns
	// them in offset order. A run without messages says that only offsets
	// without one lie before Run.Next. Errors are ErrRevoked when the generation
	// is over, the context's error, or a final one such as *OffsetError.
	// Failures that may pass are waited out. What the messages take is taken
	// from the share before there is memory for it, and handed over with the
	// run; a partition has the same share in all calls.
	Fetch(ctx context.Context, tp TopicPartition, room *Share) (Run, error)
	// Commit makes offsets durable for the group. It fails with ErrRevoked if
	// the generation is over; it never moves an offset that another member owns.
	Commit(ctx context.Context, positions []Position) error
	// Progress says how far the group is in each assigned partition. It asks once: any
	// failure is an error, and nothing of it is final.
	Progress(ctx context.Context) ([]Progress, error)
	// Revoked is closed when the group has ended this generation. Commit may
	// still succeed for a short time, until Close.
	Revoked() <-chan struct{}
	// Close gives the partitions up. The next generation begins after it.
	Close() error
}

// Run is what one Fetch returned.
type Run struct {
	// Messages are consecutive messages of one partition in offset order.
	// Offsets may have gaps (compaction, transaction markers).
	Messages []Message
	// Next is the offset that reading has reached: behind the last message, and
	// behind the markers, aborted records and compacted offsets that follow it. To
	// commit less would keep the group's lag above 0 for ever.
	Next int64
	// End is the offset behind the partition's last message at that time, so
	// at most End - Next messages are still to come. -1 if not known.
	End int64
	// Bytes is what was handed over of the share with this run (Share.Hand). Memory that
	// several runs lie in goes with the last of them.
	Bytes int64
}

// ErrRevoked says that the generation is over and its partitions may already
// belong to another member.
var ErrRevoked = errors.New("partitions were given to another member of the group")

// ErrUnknownTopic says that a topic does not exist.
var ErrUnknownTopic = errors.New("unknown topic")

// OffsetError says that the offset at which the group wants to read is not in
// the log: messages were deleted before they were read (Offset < First), or
// the log is shorter than what was committed (Offset > End; the topic was made
// again or truncated). Reading on would skip messages in silence, so it is final,
// unless the source is to go on with the log's first message.
type OffsetError struct {
	TopicPartition
	Offset, First, End int64
}

func (e *OffsetError) Error() string {
	// Of deleted offsets nobody knows which held a message.
	what := fmt.Sprintf("up to %d messages were deleted before they were read", e.First-e.Offset)
	if e.Offset > e.End {
		what = "the topic was truncated or created again"
	}
	return fmt.Sprintf("topic %s, partition %d: the group's offset %d is outside of the log (%d to %d): %s; "+
		"set the group's offsets to where reading shall go on (kafka-consumer-groups --reset-offsets) and start again",
		e.Topic, e.Partition, e.Offset, e.First, e.End, what)
}

// Lost is how many messages are known to be lost: those deleted before they were
// read. How many a truncated log has lost nobody knows.
func (e *OffsetError) Lost() int64 { return max(0, e.First-e.Offset) }
