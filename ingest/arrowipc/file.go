package arrowipc

import (
	"encoding/binary"
	"errors"
	"io"
)

// FileScanner reads the messages of an IPC file: the footer's schema, then the dictionaries and
// batches that the footer lists. Each message is checked as a Scanner does. The layout is
//
//	"ARROW1" 00 00 | messages | footer | int32 footer length | "ARROW1"
//
// A schema also stands at the beginning of the file. It is checked only if it is a complete
// message, because polars writes it without the length before it.
type FileScanner struct {
	s      *Scanner
	r      io.ReaderAt
	end    int64  // where the footer starts
	schema []byte // the footer's, as a message
	blocks []block
	next   int
}

// block is the place of a message in the file.
type block struct{ at, meta, body int64 }

const (
	magic      = "ARROW1"
	fileHeader = 8
)

// NewFileScanner reads and checks the footer of a file of size bytes.
func NewFileScanner(r io.ReaderAt, size int64, lim Limits) (*FileScanner, error) {
	f := &FileScanner{s: NewScanner(nil, lim), r: r}
	fail := func(at int64, problem string, err error) (*FileScanner, error) {
		return nil, &Error{At: at, Problem: problem, Err: err}
	}
	tail := int64(4 + len(magic))
	if size < fileHeader+tail {
		return fail(size, "the file stops", ErrTruncated)
	}
	b := make([]byte, tail)
	if _, err := r.ReadAt(b, size-tail); err != nil {
		return fail(size-tail, "cannot be read", err)
	}
	if string(b[4:]) != magic {
		return fail(size, "the file does not end with its footer", ErrTruncated)
	}
	n := int64(int32(binary.LittleEndian.Uint32(b)))
	f.end = size - tail - n
	if n < 4 || n > f.s.lim.Metadata || f.end < fileHeader {
		return fail(size-tail, "the footer's length is wrong", nil)
	}
	b = make([]byte, n)
	if _, err := r.ReadAt(b, f.end); err != nil {
		return fail(f.end, "cannot be read", err)
	}
	if err := f.footer(b); err != nil {
		return fail(f.end, "footer: "+err.Error(), nil)
	}
	return f, nil
}

// footer reads a Footer table (fields: version 0, schema 1, dictionaries 2, recordBatches 3). A
// block is {int64 offset, int32 metadata, pad, int64 body}.
func (f *FileScanner) footer(b buffer) error {
	t, err := b.root()
	if err != nil {
		return err
	}
	if f.schema, err = schemaMessage(b, t); err != nil {
		return err
	}
	for field := int64(2); field <= 3; field++ {
		start, n, err := t.vector(field, 24)
		if err != nil {
			return err
		}
		for k := int64(0); k < n; k++ {
			at := start + 24*k
			bl := block{b.i64(at), b.i32(at + 8), b.i64(at + 16)}
			if bl.at < fileHeader || bl.meta < 8 || bl.body < 0 || bl.at > f.end || bl.meta > f.end-bl.at || bl.body > f.end-bl.at-bl.meta {
				return badf("message %d lies outside the file", k)
			}
			f.blocks = append(f.blocks, bl)
		}
	}
	return nil
}

// schemaMessage makes a schema message from the schema in a footer, by writing a Message table
// before the footer whose header refers to that schema.
func schemaMessage(footer buffer, t table) ([]byte, error) {
	version, err := t.scalar(0, 2, 0)
	if err != nil {
		return nil, err
	}
	schema, ok, err := t.child(1)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, badf("it has no schema")
	}
	const before = 32
	le := binary.LittleEndian
	m := append(make([]byte, before, before+len(footer)), footer...)
	le.PutUint32(m, 16)                           // where the table is
	for i, v := range []uint16{10, 12, 4, 6, 8} { // its vtable: lengths; version, kind, header
		le.PutUint16(m[4+2*i:], v)
	}
	le.PutUint32(m[16:], 16-4) // from the table back to its vtable
	le.PutUint16(m[20:], uint16(version))
	m[22] = byte(Schema)
	le.PutUint32(m[24:], uint32(before+schema.pos-24))
	return m, nil
}

// first checks the schema message m and the beginning of the file.
func (f *FileScanner) first(m []byte) (Message, error) {
	f.s.at = f.end
	frame, err := f.s.message(m)
	if err != nil {
		return Message{}, f.s.fail(err)
	}
	frame.At = f.end
	s := NewScanner(io.NewSectionReader(f.r, fileHeader, f.end-fileHeader), f.s.lim)
	if _, err := s.Next(); err != nil && !errors.Is(err, ErrNotStream) {
		var e *Error
		if errors.As(err, &e) {
			e.At += fileHeader
		}
		return Message{}, err
	}
	return frame, nil
}

// Next returns the next message, or io.EOF after the last one listed in the footer.
func (f *FileScanner) Next() (Message, error) {
	if m := f.schema; m != nil {
		f.schema = nil
		frame, err := f.first(m)
		if err != nil {
			f.next = len(f.blocks)
		}
		return frame, err
	}
	if f.next == len(f.blocks) {
		return Message{}, io.EOF
	}
	bl := f.blocks[f.next]
	f.next++
	n := bl.meta + bl.body
	f.s.src, f.s.at = readerSource{io.NewSectionReader(f.r, bl.at, n)}, bl.at
	frame, err := f.s.Next()
	var e *Error
	switch {
	case err == io.EOF:
		return Message{}, &Error{At: bl.at, Problem: "a message is missing"}
	case errors.As(err, &e):
		f.next = len(f.blocks)
	case err == nil && f.s.at != bl.at+n:
		return Message{}, &Error{At: bl.at, Problem: "a message is not as long as the footer says"}
	}
	return frame, err
}
