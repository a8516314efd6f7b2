package bridge

import (
	"context"

	old "github.com/apache/arrow/go/v15/arrow"
	oldarray "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/apache/arrow-go/v18/arrow/compute"
)

// The kernels of one version are enough for a program, and they are heavy. Parquet links those of v18.

// Take returns the named rows of values in that order. Indices may be null.
func Take(values old.Array, indices *oldarray.Int64) (old.Array, error) {
	v, err := New(values)
	if err != nil {
		return nil, err
	}
	at, err := New(indices)
	if err != nil {
		return nil, err
	}
	out, err := compute.TakeArray(context.Background(), v, at)
	if err != nil {
		return nil, err
	}
	return Retyped(out, values.DataType()), nil
}

// Cast converts an array to another type. Values that do not fit are an error.
func Cast(a old.Array, to old.DataType) (old.Array, error) {
	values, err := New(a)
	if err != nil {
		return nil, err
	}
	dt, err := NewType(to)
	if err != nil {
		return nil, err
	}
	out, err := compute.CastArray(context.Background(), values, compute.SafeCastOptions(dt))
	if err != nil {
		return nil, err
	}
	return Retyped(out, to), nil
}
