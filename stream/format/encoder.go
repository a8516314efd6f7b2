package format

import (
	"cmp"
	"context"
	"fmt"

	"unfold/ingest/emit"
	"unfold/ingest/jsonrec"
)

// Output says how places are written.
type Output struct {
	// Format is that of all outputs; Same or "": each in its input's.
	Format Name
	// Pass writes the original JSON objects with more fields.
	Pass bool
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
	switch n := e.Of(w); {
	case e.set.Pass:
		value, err = e.pass(o, n, w)
		return value, n.ContentType(), err
	case n == Arrow:
		value, err = e.arrow.Encode(o)
		return value, n.ContentType(), err
	case n == JSON:
		value, err = emit.JSON{}.Encode(o)
		return value, n.ContentType(), err
	default:
		return nil, "", fmt.Errorf("outputs in format %s cannot be written", n)
	}
}

// pass writes the records of a message again.
func (e *Encoder) pass(o *emit.Output, n Name, w Wire) ([]byte, error) {
	if n != JSON || w.Format != JSON {
		return nil, fmt.Errorf("only JSON objects can be written again with more fields, and this message is %s: name columns to keep instead of sink.pass", cmp.Or(w.Format, Arrow))
	}
	records, err := jsonrec.Records(w.Value)
	if err == nil && int64(len(records)) < o.FirstRow+int64(o.Len()) {
		err = fmt.Errorf("%d records where %d events end", len(records), o.FirstRow+int64(o.Len()))
	}
	if err != nil {
		return nil, err
	}
	return emit.JSON{}.Pass(o, records[o.FirstRow:][:o.Len()])
}
