package demo

import (
	"fmt"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
)

// Stream is the stream that a demo plays, with its description.
type Stream struct {
	// Topic is the topic of its events.
	Topic string
	// From is the origin of the stream, Event the name of one of its events.
	From, Event string
	// By is the meaning of the labels, "" if there are none.
	By string
	// Events is the number of events, Rate the default number a second.
	Events, Rate int
	// Unplaceable is the number of rows of own files that will be dead letters, Reason the error of
	// the first.
	Unplaceable int
	Reason      error
	// Left are columns of own files that "*" omits.
	Left []ingest.Left

	title, alike string // of the pictures
	normal       string // label of normal events
	data         string // file of the bundled stream, else ""

	columns   string // the configuration's lines about columns
	min, size int    // its reference set
	every     time.Duration

	messages    [][]byte
	contentType string
	broken      [][]byte // messages that cannot be read or placed, for the first round
}

// deadLetters returns the topic for messages that cannot be placed.
func (s *Stream) deadLetters() string { return s.Topic + "-dead" }

// perMessage returns the average number of events in a message.
func (s *Stream) perMessage() float64 { return float64(s.Events) / float64(len(s.messages)) }

// refreshEvery returns the interval between two maps, short enough that a short stream shows
// several.
func (s *Stream) refreshEvery(rate int) time.Duration {
	if s.every > 0 {
		return s.every
	}
	took := time.Duration(float64(s.Events) / float64(rate) * float64(time.Second))
	return max(time.Second, min(6*time.Second, (took/3).Round(time.Second)))
}

// describe describes the stream in a line.
func (s *Stream) describe() string {
	text := fmt.Sprintf("%s of %s in %s", humanize.Plural(s.Events, s.Event), s.From, humanize.Plural(len(s.messages)+len(s.broken), "message"))
	switch {
	case len(s.broken) > 0:
		text += fmt.Sprintf(", %d of them broken on purpose", len(s.broken))
	case s.Unplaceable > 0:
		text += fmt.Sprintf(", %s of which cannot be placed: %v", humanize.Count(s.Unplaceable), s.Reason)
	}
	return text
}
