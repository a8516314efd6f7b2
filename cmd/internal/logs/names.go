package logs

import (
	"log/slog"

	"unfold/stream"
)

// The attributes. Every line has Event. Lines about a message or a partition have Topic, Partition
// and Offset, if known.
const (
	Event     = "event"
	Topic     = "topic"
	Partition = "partition"
	// Partitions are several of one topic.
	Partitions = "partitions"
	Offset     = "offset"
	// FirstOffset and EndOffset are the range of a log: the offset of its first message and the one
	// after its last.
	FirstOffset, EndOffset = "first_offset", "end_offset"
	Group                  = "group"
	Role                   = "role"
	Address                = "address"
	// Stage is the processing step that rejected a message, as in its dead letter.
	Stage   = "stage"
	Version = "model_version"
	Epoch   = "map_epoch"
	MapID   = "map_id"
	// Kind is the kind of a refresh: first, ordinary, gentle, major, refit.
	Kind     = "kind"
	Points   = "points"
	Messages = "messages"
	Events   = "events"
	Letters  = "dead_letters"
	Parts    = "parts"
	Bytes    = "bytes"
	Seconds  = "seconds"
	// What is the operation that is retried, Attempt the number of its failures and Pause the time
	// until the next attempt, in seconds.
	What, Attempt, Pause = "what", "attempt", "pause_seconds"
	// LeftOut are the columns excluded by "*". Column is a column with Share of all squared
	// distance.
	LeftOut, Column, Share = "left_out", "column", "share"
	// Reason is a keyword for why a map is rejected; Error is the text of an error.
	Reason, Error = "reason", "error"
	// Level measures the difference between the newest events and the reference sample, and Bound
	// is the level of an alarm. Window and Reference are the numbers of events and reference
	// points.
	Level, Bound, Window, Reference = "drift_level", "drift_bound", "window", "reference"
	Cluster                         = "cluster"
	// Held is the number of lines of this kind suppressed since the last one.
	Held = "held"
)

// Events, the values of attribute Event.
const (
	Starting      = "starting"
	Serving       = "serving"
	NoMap         = "no_map"
	Stopping      = "stopping"
	Stopped       = "stopped"
	Failed        = "failed"
	Assigned      = "assigned"
	Revoked       = "revoked"
	Delivered     = "delivered"
	Committed     = "committed"
	Split         = "split"
	DeadLettered  = "dead_letter"
	PassedOver    = "passed_over"
	Gap           = "gap"
	Resumed       = "resumed"
	CreatedAgain  = "created_again"
	NoOffsets     = "no_offsets"
	Retrying      = "retrying"
	MapPublished  = "map"
	Columns       = "columns"
	Dominating    = "dominant_column"
	RefreshFailed = "refresh_failed"
	Drifted       = "drift"
	DriftProblem  = "drift_problem"
	MapAnnounced  = "map_announced"
	MapRefused    = "map_refused"
	Malformed     = "announcement_malformed"
	Setting       = "setting"
	Format        = "format"
	Sizes         = "sizes"
	Memory        = "memory"
	HTTP          = "http"
	TraceFailed   = "trace_failed"
)

func partition(tp stream.TopicPartition) []slog.Attr {
	return []slog.Attr{slog.String(Topic, tp.Topic), slog.Int(Partition, tp.Partition)}
}

func position(tp stream.TopicPartition, offset int64) []slog.Attr {
	return append(partition(tp), slog.Int64(Offset, offset))
}

// partitions returns the numbers of a topic's partitions in one attribute.
func partitions(tps []stream.TopicPartition) []slog.Attr {
	if len(tps) == 0 {
		return nil
	}
	numbers := make([]int, len(tps))
	for i, tp := range tps {
		numbers[i] = tp.Partition
	}
	return []slog.Attr{slog.String(Topic, tps[0].Topic), slog.Any(Partitions, numbers)}
}
