package table

import (
	"math"
	"strconv"
	"strings"
)

// NumbersOf returns a function that reads a column's rows as finite numbers: numbers and booleans
// as they are, text as the decimal number that it represents. Nulls and NaN are errors or, if
// missing is true, NaN.
func NumbersOf(c Column, o Origin, missing bool) (func(i int) (float64, error), error) {
	get := NumberGetter(c.arr)
	if get == nil && c.Kind() != Text {
		return nil, o.BadColumn(c.Name(), "its type is %s, not a number", c.DataType())
	}
	return func(i int) (float64, error) {
		if c.IsNull(i) {
			if missing {
				return math.NaN(), nil
			}
			return 0, Null(o, i, c.Name())
		}
		var v float64
		if get != nil {
			v = get(i)
		} else {
			var err error
			if v, err = strconv.ParseFloat(strings.TrimSpace(c.Text(i)), 64); err != nil {
				return 0, o.BadAt(i, c.Name(), "%q is not a number", Clip(c.Text(i)))
			}
		}
		if !Finite32(v) && !(missing && math.IsNaN(v)) {
			return 0, NotFinite(o.BadAt(i, c.Name(), "the value is %v", v))
		}
		return v, nil
	}, nil
}

// Clip shortens a value for a message.
func Clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

func Null(o Origin, i int, name string) *Error {
	return o.BadAt(i, name, "the value is missing").Suggest("drop such rows (missing drop), fill them (missing mean), or leave the column out")
}
