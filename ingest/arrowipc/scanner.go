package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Kind is the type of a message.
type Kind int

const (
	// Schema is the type of the first message, which occurs once.
	Schema Kind = iota + 1
	// Dictionary carries the values of dictionary-encoded columns.
	Dictionary
	// Record carries rows.
	Record

	tensor
	sparseTensor
)

// Message is a checked message of a stream.
type Message struct {
	Kind Kind
	// Meta is the flatbuffer, Body the bytes after it that it describes.
	Meta, Body []byte
	// Rows is the number of rows of a record batch or of a dictionary.
	Rows int64
	// At is the message's byte offset in the stream.
	At int64
	// Nodes and Buffers are those of a record batch, Views has the number of data buffers of each
	// column of views. Compressed is set if the buffers are compressed. These fields are set only
	// in the messages of a Stream.
	Nodes      []Node
	Buffers    [][]byte
	Views      []int
	Compressed bool
	// Decoded is the declared size in bytes of the buffers after decompression.
	Decoded int64
}

// Scanner reads the messages of a stream and checks each one before it returns it. It must be used
// by one goroutine only.
type Scanner struct {
	src    source // of a stream in memory nil: then it is bytes
	bytes  bytesSource
	lim    Limits
	schema *schema
	known  map[int64]bool // dictionaries seen; made for the first
	at     int64
	done   bool
	// columns is set if messages of batches should have their nodes and buffers.
	columns bool
}

// source returns the next n bytes. At the end of the source it returns fewer bytes and io.EOF; it
// may also return another error.
type source interface {
	take(n int64) ([]byte, error)
}

// NewScanner reads a stream from r, from the first message to the end marker. Bytes after the
// marker are not read.
func NewScanner(r io.Reader, lim Limits) *Scanner {
	return &Scanner{src: readerSource{r}, lim: lim.filled()}
}

// NewBytesScanner reads a stream in memory. Frames share this memory.
func NewBytesScanner(b []byte, lim Limits) *Scanner {
	return &Scanner{bytes: bytesSource{b}, lim: lim.filled()}
}

// Next returns the next message. It returns io.EOF at the end marker, or if the stream ends after a
// complete message without a marker. If the stream ends within a message or before its schema, Next
// returns an *Error that wraps ErrTruncated.
func (s *Scanner) Next() (Message, error) {
	if s.done {
		return Message{}, io.EOF
	}
	start := s.at
	f, err := s.next()
	if err == io.EOF {
		s.done = true
		return Message{}, io.EOF
	}
	if err != nil {
		s.done = true
		s.at = start
		return Message{}, s.fail(err)
	}
	f.At = start
	return f, nil
}

// IsOld reports whether a message begins with its length and the offset of its table, without the
// continuation marker that Arrow has had since version 0.15.
func IsOld(prefix []byte) bool {
	const most = 1 << 28
	if len(prefix) < 8 {
		return false
	}
	n, table := binary.LittleEndian.Uint32(prefix), binary.LittleEndian.Uint32(prefix[4:])
	return n > 0 && n < most && n%8 == 4 && table >= 12 && table <= 24 && table%4 == 0
}

func (s *Scanner) fail(err error) error {
	var b bad
	var u *Unsupported
	var l limit
	switch {
	case errors.As(err, &l):
		return &Error{At: s.at, Problem: string(l), Err: ErrLimit}
	case err == ErrNotStream:
		return &Error{At: s.at, Problem: "it does not start with a continuation marker", Err: err}
	case errors.As(err, &b):
		return &Error{At: s.at, Problem: string(b)}
	case errors.As(err, &u):
		return &Error{At: s.at, Problem: "it cannot be read", Err: u}
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return &Error{At: s.at, Problem: "the stream stops", Err: ErrTruncated}
	}
	return &Error{At: s.at, Problem: "cannot be read", Err: err}
}

// nextBytes returns the next n bytes of a message. Fewer bytes are an error.
func (s *Scanner) nextBytes(n int64) ([]byte, error) {
	b, err := s.upTo(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// upTo returns the next n bytes, or fewer with the source's error.
func (s *Scanner) upTo(n int64) (b []byte, err error) {
	if s.src == nil {
		b, err = s.bytes.take(n)
	} else {
		b, err = s.src.take(n)
	}
	s.at += int64(len(b))
	return b, err
}

// continuation is the marker at the beginning of each message.
var continuation = []byte{0xff, 0xff, 0xff, 0xff}

func (s *Scanner) next() (Message, error) {
	prefix, err := s.upTo(8)
	switch {
	case err == io.EOF && len(prefix) == 0 && s.schema == nil:
		return Message{}, badf("the stream is empty")
	case err == io.EOF && len(prefix) > 0 && s.schema == nil && !bytes.HasPrefix(continuation, prefix[:min(4, len(prefix))]):
		return Message{}, ErrNotStream // too short for a message, and no beginning of one
	case err == io.EOF && len(prefix) > 0:
		return Message{}, io.ErrUnexpectedEOF
	case err != nil: // io.EOF: it ends after a whole message
		return Message{}, err
	}
	if binary.LittleEndian.Uint32(prefix) != 0xFFFFFFFF {
		if IsOld(prefix) {
			return Message{}, unsupportedf("read it and write it again: pyarrow 0.15 or later", "a message as Arrow wrote it before version 0.15")
		}
		if s.schema == nil {
			return Message{}, ErrNotStream
		}
		return Message{}, badf("it does not start with a continuation marker")
	}
	n := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	if n == 0 {
		if s.schema == nil {
			return Message{}, badf("the stream ends before its schema")
		}
		return Message{}, io.EOF
	}
	if n < 0 || n > s.lim.Metadata {
		return Message{}, badf("its metadata says it has %d bytes; at most %d are allowed", n, s.lim.Metadata)
	}
	meta, err := s.nextBytes(n)
	if err != nil {
		return Message{}, err
	}
	return s.message(meta)
}

// message reads a Message table with the fields version 0, header_type 1, header 2, bodyLength 3.
func (s *Scanner) message(meta []byte) (Message, error) {
	msg, err := buffer(meta).root()
	if err != nil {
		return Message{}, err
	}
	version, err := msg.scalar(0, 2, 0)
	if err != nil {
		return Message{}, err
	}
	if version != 3 && version != 4 { // V4 and V5
		if version < 0 || version > 4 {
			return Message{}, badf("metadata has the unknown version %d", version)
		}
		return Message{}, unsupportedf("write it by Arrow 0.8 or later", "metadata of version V%d", version+1)
	}
	kind, err := msg.scalar(1, 1, 0)
	if err != nil {
		return Message{}, err
	}
	header, ok, err := msg.child(2)
	if err != nil {
		return Message{}, err
	}
	if !ok {
		return Message{}, badf("a message without a header")
	}
	n, err := msg.scalar(3, 8, 0)
	if err != nil {
		return Message{}, err
	}
	if n < 0 || n > s.lim.Body {
		return Message{}, badf("its body says it has %d bytes; at most %d are allowed", n, s.lim.Body)
	}
	body, err := s.nextBytes(n)
	if err != nil {
		return Message{}, err
	}
	f := Message{Kind: Kind(kind), Meta: meta, Body: body}
	if err = s.header(&f, header); err == nil && s.schema.runs && version < 4 {
		err = badf("run-end encoded columns need metadata of version V5")
	}
	return f, err
}

// header checks the message's header and completes f.
func (s *Scanner) header(f *Message, header table) (err error) {
	if (f.Kind == Schema) != (s.schema == nil) {
		return badf("a stream must have one schema, at its start")
	}
	switch f.Kind {
	case Schema:
		s.schema, err = checkSchema(header, s.lim)
		return err
	case Dictionary:
		return s.dictionary(f, header)
	case Record:
		if len(s.known) < len(s.schema.dicts) {
			return badf("a batch comes before %d of the dictionaries", len(s.schema.dicts)-len(s.known))
		}
		return checkBatch(f, header, s.schema.fields, s.lim, s.columns)
	}
	if f.Kind == tensor || f.Kind == sparseTensor {
		return unsupportedf("write record batches", "a tensor")
	}
	return badf("a message of the unknown kind %d", f.Kind)
}

// dictionary reads a DictionaryBatch table with the fields id 0, data 1, isDelta 2.
func (s *Scanner) dictionary(f *Message, d table) error {
	id, err := d.scalar(0, 8, 0)
	if err != nil {
		return err
	}
	values, ok := s.schema.dicts[id]
	if !ok {
		return badf("dictionary %d is not in the schema", id)
	}
	delta, err := d.scalar(2, 1, 0)
	if err != nil {
		return err
	}
	if delta != 0 && !s.known[id] {
		return badf("dictionary %d grows before it is there", id)
	}
	data, ok, err := d.child(1)
	if err != nil {
		return err
	}
	if !ok {
		return badf("dictionary %d has no values", id)
	}
	if s.known == nil {
		s.known = map[int64]bool{}
	}
	s.known[id] = true
	return checkBatch(f, data, []shape{values}, s.lim, false)
}

type bytesSource struct{ b []byte }

func (s *bytesSource) take(n int64) ([]byte, error) {
	if n > int64(len(s.b)) {
		rest := s.b
		s.b = nil
		return rest, io.EOF
	}
	out := s.b[:n:n]
	s.b = s.b[n:]
	return out, nil
}

type readerSource struct{ r io.Reader }

// take reads in pieces that at most double, so that the memory in use depends on the bytes received
// and not on the declared length.
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
