package streamtest

import (
	"fmt"
	"testing"

	"unfold/stream"
)

// Kind is a kind of messages, with a decoder and a learner for them.
type Kind struct {
	// Value returns a message value with event n. Messages with it are placed.
	Value func(n int) []byte
	// Bad are values that become dead letters: they cannot be decoded or placed.
	Bad [][]byte
	// Gone are values whose output is a tombstone.
	Gone [][]byte
	// Needy returns a value with event n that needs one of several external resources. Value needs
	// none of them. Lacking needs one that does not exist.
	Needy   func(n int) []byte
	Lacking []byte
	// Away makes the external resources unavailable, or available again.
	Away func(away bool)
	// ContentType is the content type of the outputs.
	ContentType string
	// Check, if not nil, compares an output with its input. Neither is a tombstone.
	Check func(in, out *stream.Message) error
	// Open returns the decoder and the learner of a new process. A kind without its own learner
	// uses the maps of l.
	Open func(l *Learner) (stream.Decoder, stream.Learner, error)
}

// numbered returns the kind of the doubles.
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

// events returns messages with a key and the events from..to (to excluded).
func (b *bench) events(from, to int, key []byte) (out []stream.Message) {
	for n := from; n < to; n++ {
		out = append(out, stream.Message{Key: key, Value: b.kind.Value(n)})
	}
	return out
}
