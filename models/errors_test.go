package models

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"unfold/internal/vec"
)

func TestCheckRowsNamesTheFirstBadValue(t *testing.T) {
	x := vec.New[float32](4, 3)
	for i := range x.Data {
		x.Data[i] = float32(i) - 1e38
	}
	if err := CheckRows(x, nil); err != nil {
		t.Fatalf("finite rows: %v", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x.Row(2)[1] = float32(bad)
		x.Row(3)[0] = float32(bad)
		err := CheckRows(x, []string{"a", "bytes", "c"})
		var row *RowError
		if !errors.As(err, &row) {
			t.Fatalf("%g: got %v, want a *RowError", bad, err)
		}
		if row.Row != 2 || row.Column != 1 || row.Name != "bytes" {
			t.Errorf("%g: error names row %d, column %d (%q), want row 2, column 1 (bytes)", bad, row.Row, row.Column, row.Name)
		}
		if !strings.Contains(err.Error(), "row 2") || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("message %q does not say where", err)
		}
	}
}

// Sums of large finite values overflow; the check must not take that for bad input.
func TestCheckRowsTakesTheLargestNumbers(t *testing.T) {
	x := vec.Of(1, 3, []float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32})
	if err := CheckRows(x, nil); err != nil {
		t.Errorf("rows of the largest float32: %v", err)
	}
}

func TestBadInputIsRecognisedThroughWrapping(t *testing.T) {
	for _, err := range []error{
		&RowError{Row: 1, Column: 2, Value: math.NaN()},
		&DimensionError{Got: 3, Want: 4},
		BadInputf("only %d rows", 3),
	} {
		if !IsBadInput(err) || !IsBadInput(fmt.Errorf("reading: %w", err)) {
			t.Errorf("%v is not recognised as bad input", err)
		}
	}
	cause := errors.New("cause")
	if !errors.Is(BadInputf("so: %w", cause), cause) {
		t.Error("BadInputf hides its cause")
	}
	if IsBadInput(cause) || IsBadInput(nil) {
		t.Error("an error of another kind is taken for bad input")
	}
}
