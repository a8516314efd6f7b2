package arrowipc

import (
	"errors"
	"fmt"
)

// Limits bound the resources that a stream may use. Fields that are 0 stand for the default.
type Limits struct {
	// Metadata bounds the metadata of one message, in bytes (16 MiB).
	Metadata int64
	// Body bounds the body of one message, in bytes (1 GiB).
	Body int64
	// Decoded bounds the size of one message's buffers after decompression, in bytes (1 GiB).
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

// ErrTruncated is the cause if the bytes end before the stream is complete.
var ErrTruncated = errors.New("truncated")

// ErrNotStream is the cause if the bytes do not begin like a stream.
var ErrNotStream = errors.New("not an Arrow IPC stream")

// ErrLimit is the cause if a stream exceeds the Limits.
var ErrLimit = errors.New("more than is allowed")

// Error describes the problem with a stream and its position.
type Error struct {
	// At is the byte offset of the bad message in the stream.
	At int64
	// Problem is a description of the problem.
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

// Unsupported is the cause if the checked part of a stream is valid but uses a feature of the
// format that this package does not support.
type Unsupported struct {
	// Column is the column with the feature, or "" if it concerns the whole stream.
	Column string
	// What names the unsupported feature, with an article. Do advises the producer which type to write instead.
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

// inColumn adds the name of a field, given by its table, to an error about an unsupported feature.
func inColumn(err error, field table) error {
	if u, ok := err.(*Unsupported); ok && u.Column == "" {
		u.Column = field.text(0)
	}
	return err
}

// bad is the error type of the checks below: a problem without a position.
type bad string

func (b bad) Error() string { return string(b) }

// limit is like bad, for streams that exceed the Limits.
type limit string

func (l limit) Error() string { return string(l) }

func limitf(format string, args ...any) error { return limit(fmt.Sprintf(format, args...)) }

func badf(format string, args ...any) error { return bad(fmt.Sprintf(format, args...)) }
