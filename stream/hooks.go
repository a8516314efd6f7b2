package stream

import (
	"time"

	"unfold/ingest"
)

// Hooks are called when something has happened; metrics and logs hang on them
// from outside. Each may be nil. They are called from several goroutines, must
// be quick and must not call back into the pipeline.
type Hooks struct {
	// Assigned and Revoked report which partitions this process has got or lost.
	Assigned, Revoked func(partitions []TopicPartition)
	// Fetched: messages were read from a partition.
	Fetched func(tp TopicPartition, messages int)
	// Lag: how many offsets lie between a partition's committed one and the log's end, as
	// other programs compute it. It is asked for every Settings.LagEvery.
	Lag func(tp TopicPartition, messages int64)
	// MessageIn: a message in a format was decoded, of events that are Formatted.
	MessageIn func(tp TopicPartition, format string)
	// EventsIn: a message was decoded into so many events.
	EventsIn func(tp TopicPartition, events int)
	// Placed: so many events were placed, which took so long.
	Placed func(tp TopicPartition, events int, took time.Duration)
	// Delivered: the sink acknowledged so many messages with so many events, so long after
	// they had been fetched (or after the first map, for events that waited for it).
	Delivered func(tp TopicPartition, messages, events int, latency time.Duration)
	// Split: a message's output was too large for its topic and was delivered in so many
	// parts.
	Split func(m Message, parts int)
	// DeadLettered: the message was bad for this reason; the dead-letter topic
	// has acknowledged it.
	DeadLettered func(m Message, stage Stage, reason error)
	// Skipped: a message was passed over, with the reason: it has no events, or a pipeline that only learns could not use it.
	Skipped func(m Message, stage Stage, reason error)
	// Committed: the group's offset of a partition is now this.
	Committed func(p Position)
	// Gap: the group's offset was outside of the log. It is called before reading
	// goes on at the log's first message, or ends, as the source is set.
	Gap func(gap *OffsetError)
	// CreatedAgain: the source's topic is another one of the same name than that which was
	// read last. It is called before anything of it is read.
	CreatedAgain func(topic string)
	// Resumed: the group had lost its offset of a partition, and reading goes on at the one
	// that was noted then. What was delivered after that comes again.
	Resumed func(at Position, noted time.Time)
	// NoOffsets: nobody knows how far the group has read these partitions, which have had messages:
	// it is new, or has lost its offsets. Reading begins at these positions.
	NoOffsets func(at []Position)
	// Retrying: something failed and will be retried after the pause.
	// What is "decode", "place", "write", "dead letter", "commit" or "transaction".
	Retrying func(what string, attempt int, err error, pause time.Duration)
	// Recovered: what was retried works again. It is called where nothing else tells: for
	// "fetch", after which no message may come, and for an "open transaction" of another
	// program that held reading back.
	Recovered func(what string)
	// Published: a learner has published a map that took so long to learn; 0
	// for one that was loaded.
	Published func(p *Published, took time.Duration)
	// Sized: from now on there will be a map whose vectors have so many values, of so
	// many points, 0 if that is still to be seen. It comes before any memory for it.
	Sized func(dim, points int)
	// Encoded: a learner has learnt how events become vectors: which columns "*" leaves
	// out, and the one that carries nearly all squared distance, nil if there is none.
	Encoded func(left []ingest.Left, dominant *ingest.Dominant)
	// RefreshFailed: learning failed; the map before stays and learning goes on.
	RefreshFailed func(err error)
	// Drifted: the newest events were looked at for drift, or there is a Problem with that.
	Drifted func(d Drift)
	// Moved: so many reference points that have moved were emitted.
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

// decoded reports a message that was decoded.
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
