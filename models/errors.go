package models

import (
	"errors"
	"fmt"
	"math"

	"unfold/internal/vec"
)

// ErrBadInput is matched, under errors.Is, by every error that lies in the data
// or in a file that was given, rather than in the program or the machine.
var ErrBadInput = errors.New("bad input")

// ErrNotFinite is returned by learning if the parameters stop being finite numbers.
var ErrNotFinite = errors.New("the map is no longer finite: take fewer dims, or scale or standardize the columns")

// IsBadInput reports whether err lies in the data that was given.
func IsBadInput(err error) bool { return errors.Is(err, ErrBadInput) }

// RowError is the error of a row that cannot be used. It matches ErrBadInput.
type RowError struct {
	// Row and Column number the value, from 0, in the batch that was given; Column is -1
	// if all values of the row are missing.
	Row, Column int
	// Name is the column's name, if it has one.
	Name string
	// Value is the invalid value: NaN, an infinity, or a number so large that its projection is not
	// finite. With Want it is a number that the model does not accept.
	Value float64
	// Want describes the values that the model takes, if not all numbers.
	Want string
	// Result names the computed figure of the row that has the value: its place, scale or novelty.
	// Then no value of the vector is wrong by itself.
	Result string
}

func (e *RowError) Error() string {
	column := fmt.Sprintf("element %d", e.Column)
	if e.Name != "" {
		column = fmt.Sprintf("element %d (%s)", e.Column, e.Name)
	}
	switch {
	case e.Result != "":
		return fmt.Sprintf("row %d: its %s is %g, no finite number: the vector is out of all proportion to the model, or the model file is damaged", e.Row, e.Result, e.Value)
	case e.Column < 0:
		return fmt.Sprintf("row %d: all values are missing", e.Row)
	case math.IsNaN(e.Value):
		return fmt.Sprintf("row %d, %s of the vector is NaN: every value must be a finite number", e.Row, column)
	case e.Want != "":
		return fmt.Sprintf("row %d, %s of the vector is %g: %s", e.Row, column, e.Value, e.Want)
	case math.IsInf(e.Value, 0):
		return fmt.Sprintf("row %d, %s of the vector is infinite: every value must be a finite number", e.Row, column)
	}
	return fmt.Sprintf("row %d, %s of the vector is %g: too large to be projected", e.Row, column, e.Value)
}

// Is makes a RowError match ErrBadInput.
func (e *RowError) Is(target error) bool { return target == ErrBadInput }

// DimensionError is the error of vectors whose dimension is not the model's. It matches ErrBadInput.
type DimensionError struct {
	// Got is the dimension of the vectors, Want that of the model.
	Got, Want int
}

func (e *DimensionError) Error() string {
	return fmt.Sprintf("vectors of %d elements do not fit a model that was learnt from vectors of %d: use the columns it was learnt from, or learn a new model", e.Got, e.Want)
}

// Is makes a DimensionError match ErrBadInput.
func (e *DimensionError) Is(target error) bool { return target == ErrBadInput }

// inputError is an error with a message of its own that matches ErrBadInput.
type inputError struct{ error }

func (e inputError) Is(target error) bool { return target == ErrBadInput }
func (e inputError) Unwrap() error        { return e.error }

// BadInputf formats an error, as fmt.Errorf does, that matches ErrBadInput.
func BadInputf(format string, args ...any) error {
	return inputError{fmt.Errorf(format, args...)}
}

// CheckRows returns nil if all of x is finite, else the *RowError of the first
// value that is not. Names, if not nil, are the columns' names.
func CheckRows[T vec.Float](x vec.Matrix[T], names []string) error {
	for i := range x.Rows {
		// x-x is 0 for a finite x and NaN for all others: one addition a value.
		var sum T
		for _, v := range x.Row(i) {
			sum += v - v
		}
		if sum == 0 {
			continue
		}
		for j, v := range x.Row(i) {
			if v-v != 0 {
				e := &RowError{Row: i, Column: j, Value: float64(v)}
				if j < len(names) {
					e.Name = names[j]
				}
				return e
			}
		}
	}
	return nil
}
