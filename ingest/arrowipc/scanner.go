package arrowipc

import (
	"encoding/binary"
	"errors"
	"io"
)

// Kind is what a message carries.
type Kind int

const (
	// Schema comes first, once.
	Schema Kind = iota + 1
	// Dictionary carries the values of dictionary-encoded columns.
	Dictionary
	// Record carries rows.
	Record
)

// Frame is one checked message.
type Frame struct {
	Kind Kind
	// Meta is the flatbuffer, Body what it describes.
	Meta, Body []byte
	// Rows are those of a record batch (or of a dictionary).
	Rows int64
	// At is where the message starts in the stream.
	At int64
	// Nodes and Buffers are those of a record batch, valid until the next call of
	// Next; Compressed says that the buffers are. Only a Scanner of a Known has them.
	Nodes      []Node
	Buffers    [][]byte
	Compressed bool
}

// Scanner walks the messages of a stream and checks each before it hands it
// out. It is used by one goroutine.
type Scanner struct {
	src    source
	lim    Limits
	schema *schema
	known  map[int64]bool // dictionaries seen
	at     int64
	done   bool
	// found, if there is one, takes the nodes and buffers of batches.
	found *columns
}

// source gives the next n bytes; fewer with io.ErrUnexpectedEOF or io.EOF.
type source interface {
	take(n int64) ([]byte, error)
}

// NewScanner reads a stream from r, from its first message to its end marker.
// What follows the marker is not read.
func NewScanner(r io.Reader, lim Limits) *Scanner {
	return &Scanner{src: readerSource{r}, lim: lim.filled(), known: map[int64]bool{}}
}

// NewBytesScanner walks a stream in memory; the frames share it.
func NewBytesScanner(b []byte, lim Limits) *Scanner {
	return &Scanner{src: &bytesSource{b}, lim: lim.filled(), known: map[int64]bool{}}
}

// Check checks a whole stream in memory: one schema, at least that, an end
// marker and nothing after it. It returns the number of rows.
func Check(b []byte, lim Limits) (rows int64, err error) {
	s := NewBytesScanner(b, lim)
	for {
		f, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		if f.Kind == Record {
			rows += f.Rows
		}
	}
	if s.at != int64(len(b)) {
		return 0, s.fail(badf("%d bytes follow the end of the stream", int64(len(b))-s.at))
	}
	return rows, nil
}

// Next returns the next message, or io.EOF at the end marker. A stream that
// just stops is an error, an *Error that wraps ErrTruncated.
func (s *Scanner) Next() (Frame, error) {
	if s.done {
		return Frame{}, io.EOF
	}
	start := s.at
	f, err := s.next()
	if err == io.EOF {
		s.done = true
		return Frame{}, io.EOF
	}
	if err != nil {
		s.done = true
		s.at = start
		return Frame{}, s.fail(err)
	}
	f.At = start
	return f, nil
}

func (s *Scanner) fail(err error) error {
	var b bad
	switch {
	case errors.As(err, &b):
		return &Error{At: s.at, Problem: string(b)}
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return &Error{At: s.at, Problem: "the stream stops", Err: ErrTruncated}
	}
	return &Error{At: s.at, Problem: "cannot be read", Err: err}
}

func (s *Scanner) take(n int64) ([]byte, error) {
	b, err := s.src.take(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	s.at += int64(len(b))
	return b, err
}

func (s *Scanner) next() (Frame, error) {
	prefix, err := s.take(8)
	if err != nil {
		if s.schema == nil && len(prefix) == 0 {
			return Frame{}, badf("the stream is empty")
		}
		return Frame{}, err
	}
	if binary.LittleEndian.Uint32(prefix) != 0xFFFFFFFF {
		return Frame{}, badf("it does not start with a continuation marker (not an Arrow IPC stream, or one from before version 0.15)")
	}
	n := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	if n == 0 {
		if s.schema == nil {
			return Frame{}, badf("the stream ends before its schema")
		}
		return Frame{}, io.EOF
	}
	if n < 0 || n > s.lim.Metadata {
		return Frame{}, badf("its metadata says it has %d bytes; at most %d are allowed", n, s.lim.Metadata)
	}
	meta, err := s.take(n)
	if err != nil {
		return Frame{}, err
	}
	return s.message(meta)
}

// message reads a Message table: version 0, header_type 1, header 2,
// bodyLength 3.
func (s *Scanner) message(meta []byte) (Frame, error) {
	msg, err := buffer(meta).root()
	if err != nil {
		return Frame{}, err
	}
	version, err := msg.scalar(0, 2, 0)
	if err != nil {
		return Frame{}, err
	}
	if version != 3 && version != 4 { // V4 and V5
		return Frame{}, badf("metadata version V%d is not supported", version+1)
	}
	kind, err := msg.scalar(1, 1, 0)
	if err != nil {
		return Frame{}, err
	}
	header, ok, err := msg.child(2)
	if err != nil {
		return Frame{}, err
	}
	if !ok {
		return Frame{}, badf("a message without a header")
	}
	n, err := msg.scalar(3, 8, 0)
	if err != nil {
		return Frame{}, err
	}
	if n < 0 || n > s.lim.Body {
		return Frame{}, badf("its body says it has %d bytes; at most %d are allowed", n, s.lim.Body)
	}
	body, err := s.take(n)
	if err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: Kind(kind), Meta: meta, Body: body}
	f.Rows, err = s.header(f.Kind, header, body)
	if s.found != nil && kind == int64(Record) {
		f.Nodes, f.Buffers, f.Compressed = s.found.nodes, s.found.buffers, s.found.compressed
	}
	return f, err
}

func (s *Scanner) header(kind Kind, header table, body []byte) (rows int64, err error) {
	if (kind == Schema) != (s.schema == nil) {
		return 0, badf("a stream must have one schema, at its start")
	}
	switch kind {
	case Schema:
		s.schema, err = checkSchema(header, s.lim)
		return 0, err
	case Dictionary:
		return s.dictionary(header, body)
	case Record:
		if len(s.known) < len(s.schema.dicts) {
			return 0, badf("a batch comes before %d of the dictionaries", len(s.schema.dicts)-len(s.known))
		}
		if s.found != nil {
			s.found.reset()
		}
		return checkBatch(header, s.schema.fields, body, s.lim, s.found)
	}
	return 0, badf("a message of the unknown kind %d", kind)
}

// dictionary reads a DictionaryBatch table: id 0, data 1, isDelta 2.
func (s *Scanner) dictionary(d table, body []byte) (int64, error) {
	id, err := d.scalar(0, 8, 0)
	if err != nil {
		return 0, err
	}
	values, ok := s.schema.dicts[id]
	if !ok {
		return 0, badf("dictionary %d is not in the schema", id)
	}
	delta, err := d.scalar(2, 1, 0)
	if err != nil {
		return 0, err
	}
	if delta != 0 && !s.known[id] {
		return 0, badf("dictionary %d grows before it is there", id)
	}
	data, ok, err := d.child(1)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, badf("dictionary %d has no values", id)
	}
	s.known[id] = true
	return checkBatch(data, []shape{values}, body, s.lim, nil)
}

type bytesSource struct{ b []byte }

func (s *bytesSource) take(n int64) ([]byte, error) {
	if n > int64(len(s.b)) {
		rest := s.b
		s.b = nil
		return rest, io.ErrUnexpectedEOF
	}
	out := s.b[:n:n]
	s.b = s.b[n:]
	return out, nil
}

type readerSource struct{ r io.Reader }

// take reads in pieces that at most double, so that memory follows the bytes
// that are there, not the length that was claimed.
func (s readerSource) take(n int64) ([]byte, error) {
	out := make([]byte, 0, min(n, 1<<20))
	for int64(len(out)) < n {
		if len(out) == cap(out) {
			grown := make([]byte, len(out), min(n, 2*int64(cap(out))))
			copy(grown, out)
			out = grown
		}
		m, err := s.r.Read(out[len(out):cap(out)])
		out = out[:len(out)+m]
		if err != nil && int64(len(out)) < n {
			return out, err
		}
	}
	return out, nil
}
