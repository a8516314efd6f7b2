package table

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"unfold/sparse"
)

// Reader gives the records of one source, in order, table by table. It is used
// by one goroutine.
type Reader interface {
	// Next returns the next table, which has at least one row, or io.EOF after
	// the last. Any other error is final; it is an *Error if the source's bytes
	// are at fault.
	Next(ctx context.Context) (*Table, error)
	// Schema describes the columns. Every table has them.
	Schema() Schema
	// Close releases the source.
	Close() error
}

// All yields the tables of a reader, in order. An error ends it, and comes without a table.
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
	// NumRows returns the number of rows; false if it is not known.
	NumRows() (int64, bool)
}

// Sparse is a Reader of a matrix most of whose values are 0. It knows its number of rows, and
// its only column is one of vectors.
type Sparse interface {
	Reader
	Counted
	// Entries is the number of values that the source holds.
	Entries() int64
	// Matrix reads all rows, in single precision, with no value that is 0. They are the
	// reader's own: who changes them reads no tables.
	Matrix(ctx context.Context) (*sparse.Rows, error)
}

// Leaving is a Reader of a format of which some columns are not read.
type Leaving interface {
	// Left describes those columns.
	Left() Schema
}

// Narrowing is a Reader that can leave columns undecoded.
type Narrowing interface {
	// Narrow drops columns that are not wanted from Schema and from the tables that follow; one column
	// at least stays. It is called before Next.
	Narrow(wanted func(column string) bool)
}

// Narrow has r, if it can, decode only what the named columns need: dotted paths name fields of
// structs.
func Narrow(r Reader, names []string) {
	n, is := r.(Narrowing)
	if !is {
		return
	}
	serves := func(column, name string) bool {
		_, inside := below(name, column)
		_, around := below(column, name)
		return name == column || inside || around
	}
	for _, name := range names {
		if !slices.ContainsFunc(r.Schema(), func(f Field) bool { return serves(f.Name, name) }) {
			return // the error that follows lists all columns
		}
	}
	n.Narrow(func(column string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return serves(column, name) })
	})
}

// Parted is a Reader whose rows can be read in several places at once.
type Parted interface {
	// Parts returns readers of consecutive runs of rows, up to most of them, which together
	// are all rows. Each may be used by a goroutine of its own, as long as the reader is
	// open; they know their numbers of rows. There may be none if it cannot be divided.
	Parts(most int) ([]Reader, error)
}

// Identified is a Reader of a format that can hold the id of the map whose rows it gives.
type Identified interface {
	// MapID is the id; "" if the file names none.
	MapID() string
}

// Guessed is a Reader of text, whose dialect is inferred.
type Guessed interface {
	// Guesses are sentences about inferences that may be wrong.
	Guesses() []string
	// Reading describes the whole dialect in one sentence.
	Reading() string
}
