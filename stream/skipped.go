package stream

import "errors"

// SkippedError is returned by a Decoder for a valid message without events, such as a heartbeat of
// a connector. It is not a dead letter: nothing is written, it is counted (Hooks.Skipped), and its
// offset is committed.
type SkippedError struct {
	// Kind is the kind of the message in one or two words.
	Kind string
}

func (e *SkippedError) Error() string { return "the message is a " + e.Kind + " and holds no event" }

// skip returns the SkippedError in the chain of err, nil if there is none.
func skip(err error) (s *SkippedError) {
	errors.As(err, &s)
	return s
}

// good reports whether the entry has events that can be placed.
func (e *entry) good() bool { return e.bad == nil && e.skipped == nil }
