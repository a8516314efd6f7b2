package fleet

import (
	"context"
	"fmt"
	"time"

	"unfold/stream"
)

// Topic is a topic of one partition. stream/kafka.CompactedTopic is one.
type Topic interface {
	// Next returns the next messages, in order. The first call returns all that the
	// topic holds, which may be nothing; later ones wait for at least one. Failures
	// that may pass are waited out.
	Next(ctx context.Context) ([]stream.Message, error)
}

// FencedWriter is the right to write to a Topic. stream/kafka.FencedWriter is one.
type FencedWriter interface {
	// Write writes a message, whole or not at all, and returns nil when it is
	// acknowledged. It fails with stream.ErrFenced if another process has taken the
	// right; after any other error it may be retried.
	Write(ctx context.Context, m stream.Message) error
}

// Hooks are called when something has happened; each may be nil.
type Hooks struct {
	// Announced: a map was stored, which took so long, and announced.
	Announced func(a Announcement, took time.Duration)
	// Removed: so many old objects were removed from the store.
	Removed func(objects int)
	// Heard: this is the newest announcement of a map.
	Heard func(a Announcement)
	// Installed: events are placed on this map from now on, which took so long to fetch.
	Installed func(a Announcement, took time.Duration)
	// Refused: the map cannot be used for this reason, the one before stays. Why is a
	// word for it: "damaged", "missing", "dimension" or "unusable".
	Refused func(a Announcement, why string, err error)
	// Malformed: a message of the topic is no announcement.
	Malformed func(m stream.Message, err error)
	// Retrying: something failed and will be retried after the pause. What is
	// "store", "announce", "retention" or "fetch snapshot".
	Retrying func(what string, attempt int, err error, pause time.Duration)
}

func (h *Hooks) retrying(what string, attempt int, err error, pause time.Duration) {
	if h.Retrying != nil {
		h.Retrying(what, attempt, err, pause)
	}
}

// reader takes the announcements of one name out of a topic.
type reader struct {
	topic Topic
	name  string
	hooks *Hooks
}

// next returns the next announcements; there may be none among the next messages.
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
