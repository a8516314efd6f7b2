package unfold

import (
	"errors"
	"fmt"

	"unfold/models"
)

// ErrBadInput is matched, under errors.Is, by every error that lies in the data or in a
// model file that was given, rather than in the program or the machine.
var ErrBadInput = models.ErrBadInput

// RowError says that a row cannot be used. It matches ErrBadInput.
type RowError struct {
	// Row and Column number the value, from 0. Column is -1 if the row as a whole cannot be
	// used: all of its values are missing, or it has another length than the others.
	Row, Column int
	// Value is what stood there: NaN, an infinity, or a number too large for single
	// precision or the projection.
	Value float64

	problem string
}

func (e *RowError) Error() string { return e.problem }

// Is makes a RowError match ErrBadInput.
func (e *RowError) Is(target error) bool { return target == ErrBadInput }

// OptionError says which option makes no sense.
type OptionError struct {
	// Name is that of the field of Options.
	Name string
	// Problem says what is wrong and what to do.
	Problem string
}

func (e *OptionError) Error() string { return "unfold: option " + e.Name + ": " + e.Problem }

// public turns errors of the insides into those that are exported. Rows were given from
// row number first on.
func public(err error, first int) error {
	var row *models.RowError
	if errors.As(err, &row) {
		moved := *row
		moved.Row += first
		return &RowError{Row: moved.Row, Column: moved.Column, Value: moved.Value, problem: "unfold: " + moved.Error()}
	}
	var setting *models.SettingError
	if errors.As(err, &setting) {
		return &OptionError{Name: optionName(setting.Name), Problem: setting.Problem}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("unfold: %w", err)
}
