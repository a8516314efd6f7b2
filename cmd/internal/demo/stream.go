package demo

import (
	"fmt"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
)

// Stream is what a demo plays, and what it says of it.
type Stream struct {
	// Topic is where it goes.
	Topic string
	// From says where it comes from, Event what one of its events is called.
	From, Event string
	// By is what the labels are, "" if there are none.
	By string
	// Events is how many there are, Rate how many come in a second by default.
	Events, Rate int
	// Unplaceable counts those of own files that will be dead letters, Reason is the
	// first one's.
	Unplaceable int
	Reason      error
	// Left are columns of own files that "*" leaves out.
	Left []ingest.Left

	title, alike string // of the pictures
	normal       string // the label of what is not novel
	data         string // the file of the bundled stream, else ""

	columns   string // the configuration's lines about columns
	min, size int    // its reference set
	every     time.Duration

	messages    [][]byte
	contentType string
	broken      [][]byte // messages that cannot be read or placed, for the first round
}

// deadLetters is the topic of the messages that cannot be placed.
func (s *Stream) deadLetters() string { return s.Topic + "-dead" }

// perMessage is how many events a message holds, about.
func (s *Stream) perMessage() float64 { return float64(s.Events) / float64(len(s.messages)) }

// refreshEvery is the time between two maps: of a short stream so little that it shows
// some.
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
