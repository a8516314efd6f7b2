package arrowipc

import (
	"errors"
	"fmt"
)

// Limits bound what a stream may ask for. Fields that are 0 take the default.
type Limits struct {
	// Metadata bounds the metadata of one message, in bytes (16 MiB).
	Metadata int64
	// Body bounds the body of one message, in bytes (1 GiB).
	Body int64
	// Decoded bounds what the buffers of one message take once decompressed, in
	// bytes (1 GiB).
	Decoded int64
	// Window bounds a zstd frame's window, in bytes (16 MiB).
	Window int64
	// Rows bounds the rows of one batch (16 Mi).
	Rows int64
	// Fields bounds the fields of the schema, children included (16384).
	Fields int
	// Depth bounds the nesting of fields (16).
	Depth int
	// ListSize bounds the length of a fixed-size list or binary (1 Mi).
	ListSize int64
}

func (l Limits) filled() Limits {
	fill := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	fill(&l.Metadata, 16<<20)
	fill(&l.Body, 1<<30)
	fill(&l.Decoded, 1<<30)
	fill(&l.Window, 16<<20)
	fill(&l.Rows, 16<<20)
	fill(&l.ListSize, 1<<20)
	if l.Fields == 0 {
		l.Fields = 1 << 14
	}
	if l.Depth == 0 {
		l.Depth = 16
	}
	return l
}

// ErrTruncated says that the bytes end before the stream does.
var ErrTruncated = errors.New("truncated")

// ErrNotStream says that the bytes do not begin as a stream does.
var ErrNotStream = errors.New("not an Arrow IPC stream")

// ErrLimit says that a stream asks for more than Limits allow.
var ErrLimit = errors.New("more than is allowed")

// Error says what is wrong with a stream, and where.
type Error struct {
	// At is the byte offset, in the stream, of the message at fault.
	At int64
	// Problem says what is wrong.
	Problem string
	// Err is ErrTruncated, ErrNotStream, ErrLimit, an *Unsupported, a reader's error, or
	// nil.
	Err error
}

// Error formats as "Arrow message at byte 512: problem".
func (e *Error) Error() string {
	s := fmt.Sprintf("Arrow message at byte %d: %s", e.At, e.Problem)
	if e.Err != nil && e.Err != ErrLimit {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Unsupported says that a stream, as far as it was looked at, is as the format has it,
// but holds what this program does not read.
type Unsupported struct {
	// Column is the name of the column that it is in, "" for the stream as a whole.
	Column string
	// What names what is not read, with an article; Do says what to write instead.
	What, Do string
}

// Error formats as `column "x": a union is not supported; write ...`.
func (u *Unsupported) Error() string {
	s := u.What + " is not supported; " + u.Do
	if u.Column != "" {
		s = fmt.Sprintf("column %q: %s", u.Column, s)
	}
	return s
}

func unsupportedf(do, what string, args ...any) error {
	return &Unsupported{What: fmt.Sprintf(what, args...), Do: do}
}

// inColumn puts the name of a field, a table, into an error that names what is not
// supported.
func inColumn(err error, field table) error {
	if u, ok := err.(*Unsupported); ok && u.Column == "" {
		u.Column = field.text(0)
	}
	return err
}

// bad is how the checks below leave their recursion: a message without place.
type bad string

func (b bad) Error() string { return string(b) }

// limit is bad for what is more than Limits allow.
type limit string

func (l limit) Error() string { return string(l) }

func limitf(format string, args ...any) error { return limit(fmt.Sprintf(format, args...)) }

func badf(format string, args ...any) error { return bad(fmt.Sprintf(format, args...)) }
