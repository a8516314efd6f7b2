package stream

import (
	"time"

	"unfold/ingest"
)

// Hooks are callbacks that report events of the pipeline, for example to metrics and logs. Each may
// be nil. They are called from several goroutines, must return quickly and must not call back into
// the pipeline.
type Hooks struct {
	// Assigned and Revoked report the partitions that this process has gained or lost.
	Assigned, Revoked func(partitions []TopicPartition)
	// Fetched: messages were read from a partition.
	Fetched func(tp TopicPartition, messages int)
	// Lag: the number of offsets between the committed offset of a partition and the end of the
	// log. Other programs compute the lag in the same way. It is queried every Settings.LagEvery.
	Lag func(tp TopicPartition, messages int64)
	// MessageIn: a message of this format was decoded. It is called only for events that are
	// Formatted.
	MessageIn func(tp TopicPartition, format string)
	// EventsIn: a message was decoded into this number of events.
	EventsIn func(tp TopicPartition, events int)
	// Placed: this number of events was placed in this time.
	Placed func(tp TopicPartition, events int, took time.Duration)
	// Delivered: the sink acknowledged messages with events. latency is the time since the messages
	// were fetched, or since the first map for events that waited for it.
	Delivered func(tp TopicPartition, messages, events int, latency time.Duration)
	// Split: a message's output was too large for its topic and was delivered in this number of
	// parts.
	Split func(m Message, parts int)
	// DeadLettered: the message was bad for this reason, and the dead-letter topic has acknowledged
	// it.
	DeadLettered func(m Message, stage Stage, reason error)
	// Skipped: a message was skipped for this reason. It has no events, or a learn-only pipeline
	// could not use it.
	Skipped func(m Message, stage Stage, reason error)
	// Committed: the group has committed this offset of a partition.
	Committed func(p Position)
	// Gap: the group's offset was outside the log. It is called before reading ends or continues at
	// the first message of the log, which depends on the source's settings.
	Gap func(gap *OffsetError)
	// CreatedAgain: the topic was deleted and created again since it was last read. It is called
	// before anything is read from the new topic.
	CreatedAgain func(topic string)
	// Resumed: the group has lost its offset of a partition. Reading continues at the offset that
	// was recorded at the time noted. Messages that were delivered after that time are delivered
	// again.
	Resumed func(at Position, noted time.Time)
	// NoOffsets: the group has no offsets of these partitions, which have had messages. The group is
	// new or has lost its offsets. Reading begins at these positions.
	NoOffsets func(at []Position)
	// Retrying: an operation failed and will be retried after the pause. what is "decode", "place",
	// "write", "dead letter", "commit" or "transaction".
	Retrying func(what string, attempt int, err error, pause time.Duration)
	// Recovered: a retried operation succeeded. It is called only if no other hook shows that.
	// "fetch" may be followed by no message, and "open transaction" is a transaction of another
	// program that blocked reading.
	Recovered func(what string)
	// Published: a learner has published a map. took is the time of learning, 0 for a map that was
	// loaded.
	Published func(p *Published, took time.Duration)
	// Sized: the next maps will have this number of values per vector and this number of points, 0
	// if it is still unknown. It is called before memory is allocated for them.
	Sized func(dim, points int)
	// Encoded: a learner has learnt the encoding of events as vectors. left are the columns that
	// "*" omits. dominant is the column that contributes nearly all of the squared distance, nil if
	// there is none.
	Encoded func(left []ingest.Left, dominant *ingest.Dominant)
	// RefreshFailed: learning failed. The previous map stays in use and learning continues.
	RefreshFailed func(err error)
	// Drifted: the newest events were tested for drift, or a Problem prevents that.
	Drifted func(d Drift)
	// Moved: this number of reference points that have moved was emitted.
	Moved func(points int)
}

func (h *Hooks) assigned(tps []TopicPartition) {
	if h.Assigned != nil {
		h.Assigned(tps)
	}
}

func (h *Hooks) revoked(tps []TopicPartition) {
	if h.Revoked != nil {
		h.Revoked(tps)
	}
}

func (h *Hooks) fetched(tp TopicPartition, n int) {
	if h.Fetched != nil {
		h.Fetched(tp, n)
	}
}

func (h *Hooks) lag(tp TopicPartition, n int64) {
	if h.Lag != nil {
		h.Lag(tp, n)
	}
}

// decoded reports a decoded message.
func (h *Hooks) decoded(tp TopicPartition, e Events) {
	if f, ok := e.(Formatted); ok && h.MessageIn != nil {
		if name := f.Format(); name != "" {
			h.MessageIn(tp, name)
		}
	}
	if h.EventsIn != nil {
		h.EventsIn(tp, e.Len())
	}
}

func (h *Hooks) placed(tp TopicPartition, n int, took time.Duration) {
	if h.Placed != nil {
		h.Placed(tp, n, took)
	}
}

func (h *Hooks) delivered(tp TopicPartition, messages, events int, latency time.Duration) {
	if h.Delivered != nil {
		h.Delivered(tp, messages, events, latency)
	}
}

func (h *Hooks) split(m Message, parts int) {
	if h.Split != nil {
		h.Split(m, parts)
	}
}

func (h *Hooks) deadLettered(m Message, stage Stage, reason error) {
	if h.DeadLettered != nil {
		h.DeadLettered(m, stage, reason)
	}
}

func (h *Hooks) skipped(m Message, stage Stage, reason error) {
	if h.Skipped != nil {
		h.Skipped(m, stage, reason)
	}
}

func (h *Hooks) committed(p Position) {
	if h.Committed != nil {
		h.Committed(p)
	}
}

func (h *Hooks) retrying(what string, attempt int, err error, pause time.Duration) {
	if h.Retrying != nil {
		h.Retrying(what, attempt, err, pause)
	}
}
