package fleet

import (
	"context"
	"fmt"
	"time"

	"unfold/stream"
)

// Topic is a topic of one partition, for example a stream/kafka.CompactedTopic.
type Topic interface {
	// Next returns the next messages, in order. The first call returns all messages of the topic,
	// possibly none; later calls wait for at least one. Temporary failures are retried.
	Next(ctx context.Context) ([]stream.Message, error)
}

// FencedWriter is the exclusive permission to write to a Topic, for example a
// stream/kafka.FencedWriter.
type FencedWriter interface {
	// Write writes a message, whole or not at all, and returns nil when the broker has acknowledged
	// it. It fails with stream.ErrFenced if another process has taken over the permission; after
	// any other error it may be retried.
	Write(ctx context.Context, m stream.Message) error
}

// Hooks are callbacks for events of a fleet; each may be nil.
type Hooks struct {
	// Announced is called after a map was stored and announced, with the duration of both.
	Announced func(a Announcement, took time.Duration)
	// Removed is called after old objects were removed from the store, with their number.
	Removed func(objects int)
	// Heard is called with each newer announcement of a map.
	Heard func(a Announcement)
	// Installed is called when events are placed on a new map, with the time it took to fetch it.
	Installed func(a Announcement, took time.Duration)
	// Refused is called when a map cannot be used and the one before stays. The string why is
	// "damaged", "missing", "dimension" or "unusable".
	Refused func(a Announcement, why string, err error)
	// Malformed is called for a message of the topic that is no announcement.
	Malformed func(m stream.Message, err error)
	// Retrying is called before a failed operation is retried after the pause. The string what is
	// "store", "announce", "retention" or "fetch snapshot".
	Retrying func(what string, attempt int, err error, pause time.Duration)
}

func (h *Hooks) retrying(what string, attempt int, err error, pause time.Duration) {
	if h.Retrying != nil {
		h.Retrying(what, attempt, err, pause)
	}
}

// reader reads the announcements of one name from a topic.
type reader struct {
	topic Topic
	name  string
	hooks *Hooks
}

// next returns the announcements among the next messages, possibly none.
func (r *reader) next(ctx context.Context) ([]Announcement, error) {
	messages, err := r.topic.Next(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading announcements: %w", err)
	}
	var out []Announcement
	for _, m := range messages {
		if string(m.Key) != r.name || m.Tombstone() {
			continue
		}
		a, err := Parse(m)
		if err != nil {
			if r.hooks.Malformed != nil {
				r.hooks.Malformed(m, err)
			}
			continue
		}
		out = append(out, a)
	}
	return out, nil
}
