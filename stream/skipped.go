package stream

import "errors"

// SkippedError is a Decoder's answer to a message that is whole and holds no event, such as
// a heartbeat of a connector. It is no dead letter: nothing is written, it is counted
// (Hooks.Skipped), and its offset is committed.
type SkippedError struct {
	// Kind says in a word or two what the message is.
	Kind string
}

func (e *SkippedError) Error() string { return "the message is a " + e.Kind + " and holds no event" }

// skip returns the kind of message that an error says holds no event; nil for other errors.
func skip(err error) (s *SkippedError) {
	errors.As(err, &s)
	return s
}

// good reports a message with events, which can be placed.
func (e *entry) good() bool { return e.bad == nil && e.skipped == nil }
