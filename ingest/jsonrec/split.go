package jsonrec

import (
	"bufio"
	"errors"
	"io"

	"unfold/ingest/input"
	"unfold/ingest/table"
)

// splitter splits a text into records: objects in sequence, on lines of their own or not, or in one
// list. It tracks only braces and quotes; the parser finds other errors.
type splitter struct {
	in     *bufio.Reader
	origin table.Origin
	most   int64 // bytes of a record
	line   int64 // of the byte at hand, from 1 on
	// list: the records are the elements of a list, and some have been read. A record may be a list
	// itself, of numbers.
	list, begun, done bool
	buf               []byte
}

func newSplitter(in *bufio.Reader, origin table.Origin, most int64) *splitter {
	s := &splitter{in: in, origin: origin, most: most, line: 1}
	if head, _ := in.Peek(len(bom)); string(head) == bom {
		in.Discard(len(bom))
	}
	return s
}

// next returns the next record, valid until the next call, and the number of its first line, or
// io.EOF after the last record.
func (s *splitter) next() (record []byte, line int64, err error) {
	c, err := s.start()
	if err != nil {
		return nil, s.line, err
	}
	line = s.line
	switch c {
	case '{':
		s.buf = append(s.buf[:0], c)
		record, err = s.object('{')
	case '[':
		// A list of numbers is an object with one field.
		s.buf = append(s.buf[:0], `{"`+VectorName+`":[`...)
		if record, err = s.object('['); err == nil {
			s.buf = append(s.buf, '}')
			record = s.buf
		}
	default:
		return nil, s.line, s.fail("%s where a record is expected, an object", found(c))
	}
	return record, line, err
}

// start skips everything between records, and returns the first byte of a record.
func (s *splitter) start() (byte, error) {
	for comma := false; ; {
		c, err := s.blank()
		switch {
		case err == io.EOF && (!s.list || s.done):
			return 0, io.EOF
		case err == io.EOF:
			return 0, s.fail("the list of records has no end").Suggest("the file is truncated; get it again")
		case err != nil:
			return 0, input.ReadError(s.origin, err)
		case s.done:
			return 0, s.fail("%s behind the list of records", found(c))
		case c == '[' && !s.list && !s.begun && s.ofRecords():
			s.list = true
			continue
		case s.list && c == ']' && !comma:
			s.done = true
			continue
		case s.list && s.begun && c == ',' && !comma:
			comma = true
			continue
		case s.list && s.begun && !comma:
			return 0, s.fail("%s where a comma or ']' is expected", found(c))
		}
		s.begun = true
		return c, nil
	}
}

// VectorName is the column of records that are lists of numbers.
const VectorName = "vector"

// ofRecords reports whether a list contains records rather than numbers, by the first byte after its bracket.
func (s *splitter) ofRecords() bool {
	for n := 1; ; n++ {
		piece, err := s.in.Peek(n)
		if err != nil {
			return true
		}
		switch c := piece[n-1]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == '-' || c == 'N' || c == 'I' || c >= '0' && c <= '9':
			return false
		default:
			return true
		}
	}
}

// blank passes over white space.
func (s *splitter) blank() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case c == '\n':
			s.line++
		case c != ' ' && c != '\t' && c != '\r':
			return c, nil
		}
	}
}

// object reads up to the brace or bracket that closes the current object or list.
func (s *splitter) object(open byte) ([]byte, error) {
	for state := (braces{open: open, depth: 1}); state.depth > 0; {
		piece, err := s.in.Peek(max(1, s.in.Buffered()))
		if len(piece) == 0 {
			if errors.Is(err, io.EOF) {
				return nil, s.fail("the record that begins here has no end").Suggest("write records as JSON, each closed")
			}
			return nil, input.ReadError(s.origin, err)
		}
		n := state.scan(piece)
		s.buf = append(s.buf, piece[:n]...)
		s.in.Discard(n)
		if int64(len(s.buf)) > s.most {
			return nil, s.fail("a record has more than %d bytes", s.most)
		}
	}
	for _, c := range s.buf {
		if c == '\n' {
			s.line++
		}
	}
	return s.buf, nil
}

// braces is the scanning state within an object.
type braces struct {
	open          byte // that of the record
	depth         int
	text, escaped bool
}

// scan advances to the end of the object or of the piece.
func (b *braces) scan(piece []byte) int {
	for i, c := range piece {
		switch {
		case b.escaped:
			b.escaped = false
		case b.text:
			b.escaped, b.text = c == '\\', c != '"'
		case c == '"':
			b.text = true
		case c == b.open:
			b.depth++
		case c == b.open+2: // the one that closes
			if b.depth--; b.depth == 0 {
				return i + 1
			}
		}
	}
	return len(piece)
}

// fail returns an error for the current line.
func (s *splitter) fail(problem string, args ...any) *table.Error {
	e := s.origin.Bad(problem, args...)
	e.Line = s.line
	return e
}

func found(c byte) string {
	s := scanner{data: []byte{c}}
	return s.found()
}
