package arrowipc

import (
	"bytes"
	"io"
)

// Stream is a complete, checked stream in memory.
type Stream struct {
	// Schema is the schema at its beginning.
	Schema *Known
	// Frames are the messages after the schema. They share the stream's memory. Those of record
	// batches have nodes and buffers.
	Frames []Message
	// Rows are those of all record batches.
	Rows int64
	// Decoded is the size in bytes of the buffers of all messages after decompression.
	Decoded int64
}

// Check checks a complete stream in memory: it must have a schema and nothing after the end marker.
// The marker may be missing, because writers that are not closed leave it out.
func Check(b []byte, lim Limits) (*Stream, error) {
	s := NewBytesScanner(b, lim)
	s.columns = true
	f, err := s.Next()
	if err != nil {
		return nil, err
	}
	// One allocation suffices for most streams.
	var out struct {
		stream Stream
		known  Known
		frame  [1]Message
	}
	out.known = Known{bytes: b[:s.at:s.at], meta: len(f.Meta), schema: s.schema, lim: s.lim}
	out.stream = Stream{Schema: &out.known, Frames: out.frame[:0]}
	if err := s.rest(&out.stream, b); err != nil {
		return nil, err
	}
	return &out.stream, nil
}

// rest checks the messages after the schema of the stream b and adds their sizes to out, and also
// the messages if s.columns is set.
func (s *Scanner) rest(out *Stream, b []byte) error {
	for {
		f, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if f.Kind == Record {
			out.Rows += f.Rows
		}
		if out.Decoded += f.Decoded; s.columns {
			out.Frames = append(out.Frames, f)
		}
	}
	if s.at != int64(len(b)) {
		return s.fail(badf("%d bytes follow the end of the stream", int64(len(b))-s.at))
	}
	return nil
}

// Known is a checked schema with its encoded bytes. In a stream that begins with the same bytes the
// schema need not be checked again, which saves most of the work for streams of a few rows.
type Known struct {
	bytes  []byte
	meta   int // the length of the metadata in it
	schema *schema
	lim    Limits
}

// Clone returns a copy of the schema in memory of its own. A schema returned by Check shares the
// stream's memory.
func (k *Known) Clone() *Known {
	c := *k
	c.bytes = bytes.Clone(k.bytes)
	return &c
}

// Begins reports whether a stream begins with the schema.
func (k *Known) Begins(stream []byte) bool { return bytes.HasPrefix(stream, k.bytes) }

// Bytes returns the length of the encoded schema.
func (k *Known) Bytes() int { return len(k.bytes) }

// Message is the schema's message.
func (k *Known) Message() Message {
	at := 8 + k.meta
	return Message{Kind: Schema, Meta: k.bytes[8:at:at], Body: k.bytes[at:]}
}

// Check checks a stream that begins with the schema, within the limits with which the schema was
// checked.
func (k *Known) Check(b []byte) (*Stream, error) {
	out := &Stream{Schema: k, Frames: make([]Message, 0, 1)}
	if err := k.rest(out, b, true); err != nil {
		return nil, err
	}
	return out, nil
}

// Weigh makes the same checks as Check, and returns only the stream's Decoded. It keeps no
// messages, and so allocates nothing for most streams.
func (k *Known) Weigh(b []byte) (int64, error) {
	var out Stream
	err := k.rest(&out, b, false)
	return out.Decoded, err
}

// rest checks the messages after the schema of the stream b and adds them to out.
func (k *Known) rest(out *Stream, b []byte, columns bool) error {
	at := len(k.bytes)
	s := NewBytesScanner(b[at:], k.lim)
	s.schema, s.at, s.columns = k.schema, int64(at), columns
	return s.rest(out, b)
}
