package table

import (
	"context"
	"errors"
	"io"
	"iter"

	"unfold/sparse"
)

// Reader reads the records of one source in order, table by table. It is used by one goroutine.
type Reader interface {
	// Next returns the next table, which has at least one row, or io.EOF after
	// the last. Any other error is final; it is an *Error if the source's bytes
	// are at fault.
	Next(ctx context.Context) (*Table, error)
	// Schema describes the columns, which are the same in every table.
	Schema() Schema
	// Close releases the source.
	Close() error
}

// All yields the tables of a reader in order. An error ends the sequence and is yielded without a
// table.
func All(ctx context.Context, r Reader) iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		for {
			t, err := r.Next(ctx)
			if errors.Is(err, io.EOF) || !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// Counted is a Reader that knows its number of rows before reading them.
type Counted interface {
	// NumRows returns the number of rows, or false if it is unknown.
	NumRows() (int64, bool)
}

// Sparse is a Reader of a matrix whose values are mostly 0. Its number of rows is known, and its
// only column contains vectors.
type Sparse interface {
	Reader
	Counted
	// Entries returns the number of stored values in the source.
	Entries() int64
	// Matrix reads all rows in single precision, without zeros. They belong to the reader: a caller
	// that changes them must not read tables afterwards.
	Matrix(ctx context.Context) (*sparse.Rows, error)
}

// Leaving is a Reader of a format that leaves some columns unread.
type Leaving interface {
	// Left describes those columns.
	Left() Schema
}

// Narrowing is a Reader that can skip the decoding of columns.
type Narrowing interface {
	// Narrow drops unwanted columns from Schema and from the following tables; at least one column
	// stays. It is called before Next.
	Narrow(wanted func(column string) bool)
}

// Narrow makes r, if it supports that, decode only the named columns and the structs that contain
// them. Dotted paths name fields of structs.
func Narrow(r Reader, names []string) {
	n, is := r.(Narrowing)
	if !is {
		return
	}
	columns, wanted := pathsOf(r.Schema().Names()), pathsOf(names)
	for _, name := range names {
		if !columns.serves(name) {
			return // the error that follows lists all columns
		}
	}
	n.Narrow(wanted.serves)
}

// paths is a set of dotted paths. around has the paths of the structs that contain them. Sets keep
// the time linear in the number of columns.
type paths struct{ exact, around map[string]bool }

func pathsOf(names []string) paths {
	p := paths{map[string]bool{}, map[string]bool{}}
	for _, name := range names {
		p.exact[name] = true
		for i := range name {
			if name[i] == '.' {
				p.around[name[:i]] = true
			}
		}
	}
	return p
}

// serves reports whether a path is one of the paths, contains one, or is a part of one.
func (p paths) serves(path string) bool {
	if p.exact[path] || p.around[path] {
		return true
	}
	for i := range path {
		if path[i] == '.' && p.exact[path[:i]] {
			return true
		}
	}
	return false
}

// Parted is a Reader whose parts can be read concurrently.
type Parted interface {
	// Parts returns up to most readers of consecutive ranges of rows, which together are all rows.
	// Each may be used by its own goroutine while the reader is open, and their numbers of rows are
	// known. It returns none if the source cannot be divided.
	Parts(most int) ([]Reader, error)
}

// Identified is a Reader of a format that can contain the id of the map to which its rows belong.
type Identified interface {
	// MapID returns the map id, or "" if the file has none.
	MapID() string
}

// MapOf returns the id of the map to which the rows of a reader belong, or "" if it is not known.
func MapOf(r Reader) string {
	if i, ok := r.(Identified); ok {
		return i.MapID()
	}
	return ""
}

// RowsOf returns the number of rows of a reader, if it is known.
func RowsOf(r Reader) (int64, bool) {
	if c, ok := r.(Counted); ok {
		return c.NumRows()
	}
	return 0, false
}

// LeftOf returns the columns that a reader does not read.
func LeftOf(r Reader) Schema {
	if l, ok := r.(Leaving); ok {
		return l.Left()
	}
	return nil
}

// Guessed is a Reader of text whose dialect is inferred.
type Guessed interface {
	// Guesses returns sentences about inferences that may be wrong.
	Guesses() []string
	// Reading describes the whole dialect in one sentence.
	Reading() string
}
