package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"unfold/cmd/internal/config"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/models"
)

const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitBadInput = 3
)

// usageError is the error of wrong usage: a flag, an argument or a setting.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string {
	if e.hint == "" {
		return e.err.Error()
	}
	return e.err.Error() + "; " + e.hint
}

func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{err: fmt.Errorf(format, args...)} }

// saidError is an error that was already logged.
type saidError struct{ error }

func (e *saidError) Unwrap() error { return e.error }

// exitCode returns the exit code of an error, which depends on its cause.
func exitCode(err error) int {
	var u *usageError
	var c *config.Error
	var printed *codeError
	var limit *limitError
	switch {
	case errors.As(err, &printed):
		return printed.code
	case errors.As(err, &limit):
		return limit.code
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitFailed // an interrupted read is no fault of the input
	case errors.As(err, &u), errors.As(err, &c):
		return exitUsage
	case table.IsBadInput(err), models.IsBadInput(err):
		return exitBadInput
	}
	return exitFailed
}

// complain writes an error and returns its exit code. A nil error writes nothing.
func complain(w io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	var said *saidError
	var printed *codeError
	if errors.As(err, &said) || errors.As(err, &printed) {
		return exitCode(err)
	}
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = "interrupted; nothing was left half-written"
	}
	fmt.Fprintf(w, "unfold: %s\n", strings.TrimRight(text, "\n"))
	return exitCode(err)
}

// inFile adds file, row and column to the error of a value that the model rejects. If rows were
// dropped, the rows of the files are unknown and err is returned unchanged.
func inFile(d *ingest.Dataset, err error) error {
	var at *models.RowError
	if !errors.As(err, &at) || at.Want == "" || d.Dropped > 0 {
		return err
	}
	column, row := "", at.Row
	if d.Drawn != nil {
		row = d.Drawn.Row(row)
	}
	if names := d.Encoder.Names(); at.Column < len(names) {
		column = names[at.Column]
	}
	for _, f := range d.Files {
		if row < f.Rows {
			return table.Origin{File: f.Path}.BadAt(row, column, "the value is %g: %s", at.Value, at.Want)
		}
		row -= f.Rows
	}
	return err
}

// fitError adds the input paths to an error about the rows as a whole.
func fitError(inputs []string, err error) error {
	if !models.IsBadInput(err) {
		return err
	}
	return fmt.Errorf("%s: %w", strings.Join(inputs, ", "), err)
}
