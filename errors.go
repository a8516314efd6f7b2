package unfold

import (
	"errors"
	"fmt"

	"unfold/models"
)

// ErrBadInput matches, under errors.Is, every error that lies in the data or in a model file,
// rather than in the program or the machine.
var ErrBadInput = models.ErrBadInput

// RowError is the error of an unusable row. It matches ErrBadInput.
type RowError struct {
	// Row and Column are the indices of the value. Column is -1 if the whole row is unusable: all
	// its values are missing, or its length differs from the others'.
	Row, Column int
	// Value is the value: NaN, an infinity, or a number too large for single precision or for the
	// projection.
	Value float64

	problem string
}

func (e *RowError) Error() string { return e.problem }

// Is makes a RowError match ErrBadInput.
func (e *RowError) Is(target error) bool { return target == ErrBadInput }

// OptionError is the error of an invalid option.
type OptionError struct {
	// Name is the name of the field of Options.
	Name string
	// Problem describes the problem and the remedy.
	Problem string
}

func (e *OptionError) Error() string { return "unfold: option " + e.Name + ": " + e.Problem }

// public converts internal errors to exported ones. first is the index of the first row of the
// failing call.
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
