package table

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"unfold/internal/address"
)

// Error is the error of a bad input. It states the problem, the location and a remedy. A command
// ends with the exit code for bad input; a stream sends the message to its dead letters.
type Error struct {
	// Origin is the file, or the topic, partition and offset. Its Row is ignored; see Row.
	Origin Origin
	// Row is the index of the row in the file or message, or -1. The text counts rows from 1.
	Row int64
	// Line is the 1-based line of a text file, or 0.
	Line int64
	// Column is the column's name, or "".
	Column string
	// Problem describes the error, Hint the remedy (may be empty).
	Problem string
	Hint    string
	// Err is the cause, or nil.
	Err error

	// Missing means that the file does not exist, NoValue that a value is missing where one is wanted.
	Missing, NoValue bool
}

// Error formats as `FILE: row 3 (line 4), column "x": problem: cause; hint`. An
// error without an origin starts with the row or column.
func (e *Error) Error() string {
	var where []string
	if e.Origin != (Origin{Row: e.Origin.Row}) {
		where = append(where, e.Origin.String())
	}
	var at []string
	switch {
	case e.Row >= 0 && e.Line > 0:
		at = append(at, fmt.Sprintf("row %d (line %d)", e.Row+1, e.Line))
	case e.Row >= 0:
		at = append(at, fmt.Sprintf("row %d", e.Row+1))
	case e.Line > 0:
		at = append(at, fmt.Sprintf("line %d", e.Line))
	}
	if e.Column != "" {
		at = append(at, "column "+strconv.Quote(e.Column))
	}
	if len(at) > 0 {
		where = append(where, strings.Join(at, ", "))
	}
	text := strings.Join(append(where, e.Problem), ": ")
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Class is the error's name in dead letters. It does not change with its Go type.
func (e *Error) Class() string { return "*ingest.Error" }

// Is makes the error of a missing file match fs.ErrNotExist.
func (e *Error) Is(target error) bool { return e.Missing && target == fs.ErrNotExist }

// InFile adds a file's name to an error about its content.
func InFile(path string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		if e.Origin.File == "" && e.Origin.Topic == "" {
			e.Origin.File = path
		}
		return err
	}
	return fmt.Errorf("%s: %w", address.Redact(path), err)
}

// IsBadInput reports whether the input caused err, rather than the program or the machine.
func IsBadInput(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// Bad returns an error about the whole source.
func (o Origin) Bad(problem string, args ...any) *Error {
	return &Error{Origin: o, Row: -1, Problem: fmt.Sprintf(problem, args...)}
}

// BadAt returns an error about row i of a batch that starts at o, and a column.
func (o Origin) BadAt(i int, column, problem string, args ...any) *Error {
	return &Error{Origin: o, Row: o.Row + int64(i), Column: column, Problem: fmt.Sprintf(problem, args...)}
}

// BadColumn returns an error about a column as a whole.
func (o Origin) BadColumn(column, problem string, args ...any) *Error {
	return &Error{Origin: o, Row: -1, Column: column, Problem: fmt.Sprintf(problem, args...)}
}

// Because adds the underlying error.
func (e *Error) Because(err error) *Error { e.Err = err; return e }

// Suggest adds the remedy.
func (e *Error) Suggest(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// UnknownColumn is the error for a missing column. It lists the existing columns and suggests the
// most similar name.
func UnknownColumn(o Origin, name string, have []string) *Error {
	e := o.BadColumn(name, "there is no such column")
	if near := Nearest(name, have); near != "" {
		return e.Suggest("did you mean %q? The columns are %s", near, List(have))
	}
	return e.Suggest("the columns are %s", List(have))
}

// List joins names for a message, limited to the first 60.
func List(names []string) string {
	const most = 60
	switch n := len(names); {
	case n == 0:
		return "(none)"
	case n > most:
		return Line(strings.Join(names[:most], ", ")) + fmt.Sprintf(", ... (%d in all)", n)
	}
	return Line(strings.Join(names, ", "))
}

// Line returns a name for a message, with its line breaks as \n and \r. Otherwise a name could look
// like a message of its own. Other control characters are escaped where the message is printed.
func Line(name string) string { return lineBreaks.Replace(name) }

var lineBreaks = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// Nearest returns the most similar name, or "" if none is similar enough to be a typing error. The
// limit is an edit distance of 2, or a third of the length if that is more, and 1 for names of up
// to three letters. Case is ignored. Names without a letter in common are not similar.
func Nearest(name string, names []string) string {
	best, bestDistance := "", 1+max(2, len(name)/3)
	if len(name) <= 3 {
		bestDistance = 2
	}
	for _, n := range slices.Sorted(slices.Values(names)) {
		d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(n))
		if d < bestDistance && d < max(len(name), len(n)) {
			best, bestDistance = n, d
		}
	}
	return best
}
