package streamtest

import (
	"fmt"
	"testing"

	"unfold/stream"
)

// Kind is what the messages of a test hold, and what a stage has to place it.
type Kind struct {
	// Value is a message's value that holds event n. Messages that have it are placed.
	Value func(n int) []byte
	// Bad are values of dead letters: they cannot be decoded, or what they hold has no place.
	Bad [][]byte
	// Gone are values of which a tombstone comes out.
	Gone [][]byte
	// Needy is event n in a value that names one of several things kept elsewhere, none of
	// which Value names. Lacking names one that does not exist.
	Needy   func(n int) []byte
	Lacking []byte
	// Away says that what is kept elsewhere cannot be had for now, or can.
	Away func(away bool)
	// ContentType is that of the outputs.
	ContentType string
	// Check, if set, compares an output with its input. Neither is a tombstone.
	Check func(in, out *stream.Message) error
	// Open makes what a process has that starts. A kind that learns nothing itself takes
	// its map from l.
	Open func(l *Learner) (stream.Decoder, stream.Learner, error)
}

// numbered is the kind of the doubles.
func numbered(*testing.T) Kind {
	registry := &Registry{Bad: "never"}
	return Kind{
		Value:       func(n int) []byte { return fmt.Append(nil, n) },
		Bad:         [][]byte{[]byte("no number"), []byte("-1"), nil},
		Needy:       func(n int) []byte { return fmt.Append(nil, "schema ", n%8, ":", n) },
		Lacking:     []byte(registry.Bad + ":1"),
		Away:        registry.SetAway,
		ContentType: stream.ContentType,
		Open:        func(l *Learner) (stream.Decoder, stream.Learner, error) { return registry, l, nil },
	}
}

// events are messages of a key that hold the events from to to-1.
func (b *bench) events(from, to int, key []byte) (out []stream.Message) {
	for n := from; n < to; n++ {
		out = append(out, stream.Message{Key: key, Value: b.kind.Value(n)})
	}
	return out
}
