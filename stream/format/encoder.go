package format

import (
	"context"
	"fmt"

	"unfold/ingest/emit"
)

// Output says how places are written.
type Output struct {
	// Format is that of all outputs; Same or "": each in its input's.
	Format Name
}

// Encoder writes placed events as messages. The same output and wire give the same bytes.
// It is safe for concurrent use; the zero value writes each in its input's format.
type Encoder struct {
	set   Output
	arrow emit.MessageWriter
}

// NewEncoder makes an encoder.
func NewEncoder(o Output) (*Encoder, error) { return &Encoder{set: o}, nil }

// Of is the format of what is made of a message.
func (e *Encoder) Of(w Wire) Name {
	switch {
	case e.set.Format != "" && e.set.Format != Same:
		return e.set.Format
	case w.Format == "":
		return Arrow
	}
	return w.Format
}

// Encode writes placed events, all of one message that came as w says, and returns what the
// header says of the value. An error that may go away is a *stream.UnavailableError.
func (e *Encoder) Encode(ctx context.Context, o *emit.Output, w Wire) (value []byte, contentType string, err error) {
	n := e.Of(w)
	switch n {
	case Arrow:
		value, err = e.arrow.Encode(o)
	default:
		err = fmt.Errorf("format %q cannot be written", n)
	}
	return value, n.ContentType(), err
}
