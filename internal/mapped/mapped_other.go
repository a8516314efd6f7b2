//go:build !linux

package mapped

import (
	"errors"

	"unfold/internal/vec"
)

// Rows is the mapped memory of a matrix or of lists. It is not supported here.
type Rows struct{}

// New returns errors.ErrUnsupported.
func New(string, int, int) (*Rows, vec.Matrix[float32], error) {
	return nil, vec.Matrix[float32]{}, errors.ErrUnsupported
}

// NewLists returns errors.ErrUnsupported.
func NewLists(string, int) (*Rows, []int32, []float64, error) {
	return nil, nil, nil, errors.ErrUnsupported
}

// Release does nothing.
func (*Rows) Release() error { return nil }

// Close does nothing.
func (*Rows) Close() error { return nil }

// BoundSpace does nothing here.
func BoundSpace(int64) error { return nil }
