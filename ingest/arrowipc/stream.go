package arrowipc

import (
	"bytes"
	"io"
)

// Stream is a whole stream in memory that has been checked.
type Stream struct {
	// Schema is what it begins with.
	Schema *Known
	// Frames are the messages after the schema; they share the stream's memory. Record
	// batches have their nodes and buffers.
	Frames []Frame
	// Rows are those of all record batches.
	Rows int64
	// Decoded is how many bytes the buffers of all frames take once decompressed.
	Decoded int64
}

// Check checks a whole stream in memory: one schema, at least that, and nothing after
// the end marker. The marker may be missing, as it is where a writer was not closed.
func Check(b []byte, lim Limits) (*Stream, error) {
	s := NewBytesScanner(b, lim)
	s.columns = true
	f, err := s.Next()
	if err != nil {
		return nil, err
	}
	// One piece of memory for all that most streams need.
	var out struct {
		stream Stream
		known  Known
		frame  [1]Frame
	}
	out.known = Known{bytes: b[:s.at:s.at], meta: len(f.Meta), schema: s.schema, lim: s.lim}
	out.stream = Stream{Schema: &out.known, Frames: out.frame[:0]}
	if err := s.rest(&out.stream, b); err != nil {
		return nil, err
	}
	return &out.stream, nil
}

// rest checks what follows the schema of the stream b, and adds it to out: the frames
// only if s.columns.
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

// Known is a schema that has been checked, with the bytes that it stood in. Streams
// that begin with just these bytes need not have it checked again, which for streams
// of a few rows is most of the work.
type Known struct {
	bytes  []byte
	meta   int // the length of the metadata in it
	schema *schema
	lim    Limits
}

// Clone returns the schema in memory of its own: as Check gives it, it shares the
// stream's.
func (k *Known) Clone() *Known {
	c := *k
	c.bytes = bytes.Clone(k.bytes)
	return &c
}

// Begins says whether a stream begins with the schema.
func (k *Known) Begins(stream []byte) bool { return bytes.HasPrefix(stream, k.bytes) }

// Bytes is how long the schema is.
func (k *Known) Bytes() int { return len(k.bytes) }

// Frame is the schema's message.
func (k *Known) Frame() Frame {
	at := 8 + k.meta
	return Frame{Kind: Schema, Meta: k.bytes[8:at:at], Body: k.bytes[at:]}
}

// Check checks a stream that begins with the schema, within the limits of that.
func (k *Known) Check(b []byte) (*Stream, error) {
	out := &Stream{Schema: k, Frames: make([]Frame, 0, 1)}
	if err := k.rest(out, b, true); err != nil {
		return nil, err
	}
	return out, nil
}

// Weigh checks all that Check does, and returns the stream's Decoded alone: it keeps
// nothing of what it finds, and so allocates nothing for most streams.
func (k *Known) Weigh(b []byte) (int64, error) {
	var out Stream
	err := k.rest(&out, b, false)
	return out.Decoded, err
}

// rest checks what follows the schema of the stream b, and adds it to out.
func (k *Known) rest(out *Stream, b []byte, columns bool) error {
	at := len(k.bytes)
	s := NewBytesScanner(b[at:], k.lim)
	s.schema, s.at, s.columns = k.schema, int64(at), columns
	return s.rest(out, b)
}
