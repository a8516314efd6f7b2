package table

import (
	"math"
	"strconv"
	"strings"
)

// NumbersOf returns a function that reads a column's rows as finite numbers: numbers and booleans
// as they are, text as the decimal number that it represents. Nulls, NaN and words for a missing
// value are errors or, if missing is true, NaN.
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
			text := strings.TrimSpace(c.Text(i))
			if StandsForMissing(text) {
				if missing {
					return math.NaN(), nil
				}
				return 0, Null(o, i, c.Name())
			}
			var err error
			if v, err = strconv.ParseFloat(text, 64); err != nil {
				return 0, o.BadAt(i, c.Name(), "%q is not a number", Clip(c.Text(i)))
			}
		}
		if !Finite32(v) && !(missing && math.IsNaN(v)) {
			return 0, NotFinite(o.BadAt(i, c.Name(), "the value is %v", v))
		}
		return v, nil
	}, nil
}

// StandsForMissing reports whether text that is read as a number or a boolean is empty, or a word
// for a missing value: those of pandas and R, "-" and "?". In text columns such words are categories.
func StandsForMissing(field string) bool {
	if len(field) > 9 || field != "" && field[0] >= '2' && field[0] <= '9' {
		return false
	}
	switch field {
	case "", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "+nan", "null", "NULL", "None", "-", "?",
		"1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN":
		return true
	}
	return false
}

// Clip shortens a value for a message.
func Clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// Null returns the error of a missing value.
func Null(o Origin, i int, name string) *Error {
	e := o.BadAt(i, name, "the value is missing").Suggest("drop such rows (missing drop), fill them (missing mean), or leave the column out")
	e.NoValue = true
	return e
}
