package ingest

import (
	"math"
	"strconv"
	"strings"
)

// numbersOf returns a reader of a column's rows as finite numbers: numbers and
// booleans as they are, text as the decimal number it spells. Nulls and NaN are errors
// or, if missing is true, NaN.
func numbersOf(c Column, o Origin, missing bool) (func(i int) (float64, error), error) {
	get := numberGetter(c.arr)
	if get == nil && c.Kind() != Text {
		return nil, o.badColumn(c.Name(), "its type is %s, not a number", c.DataType())
	}
	return func(i int) (float64, error) {
		if c.IsNull(i) {
			if missing {
				return math.NaN(), nil
			}
			return 0, null(o, i, c.Name())
		}
		var v float64
		if get != nil {
			v = get(i)
		} else {
			var err error
			if v, err = strconv.ParseFloat(strings.TrimSpace(c.Text(i)), 64); err != nil {
				return 0, o.badAt(i, c.Name(), "%q is not a number", clip(c.Text(i)))
			}
		}
		if !finite32(v) && !(missing && math.IsNaN(v)) {
			return 0, notFinite(o.badAt(i, c.Name(), "the value is %v", v))
		}
		return v, nil
	}, nil
}

// clip shortens a value for a message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

func null(o Origin, i int, name string) *Error {
	return o.badAt(i, name, "the value is missing").hint("drop such rows, fill them, or leave the column out")
}
