package table

import (
	"math"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// layouts are the supported formats of times in text. The seconds may have a fraction.
var layouts = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.DateOnly}

// TimeOrder returns a number for each row of a column of times. Sorting by it sorts by time; its
// unit is arbitrary. Times are timestamps, dates, numbers of any unit and origin, and text in the
// form of RFC 3339, with or without a zone. Other types, other texts and missing values are an
// *Error. o is the origin of row 0.
func TimeOrder(c Column, o Origin) ([]int64, error) {
	a := PlainValues(c.Array())
	read := timeReader(a)
	if read == nil {
		return nil, o.BadColumn(c.Name(), "its type, %s, is not one of times", c.DataType()).
			Suggest("times are timestamps, dates, numbers, and text such as 2006-01-02 15:04:05")
	}
	out := make([]int64, c.Len())
	for i := range out {
		if isNull(a, i) {
			return nil, o.BadAt(i, c.Name(), "there is no time")
		}
		var ok bool
		if out[i], ok = read(i); !ok {
			return nil, o.BadAt(i, c.Name(), "%q is not a time", Clip(c.Text(i))).
				Suggest("write it as 2006-01-02 15:04:05 or 2006-01-02T15:04:05Z, or as a number")
		}
	}
	return out, nil
}

// timeReader returns a function that reads the rows of an array for TimeOrder; nil if its type
// contains no times.
func timeReader(a arrow.Array) func(i int) (int64, bool) {
	switch a := a.(type) {
	case *array.Timestamp:
		return func(i int) (int64, bool) { return int64(a.Value(i)), true }
	case *array.Date32:
		return func(i int) (int64, bool) { return int64(a.Value(i)), true }
	case *array.Date64:
		return func(i int) (int64, bool) { return int64(a.Value(i)), true }
	case *array.Int64:
		return func(i int) (int64, bool) { return a.Value(i), true }
	case *array.Boolean:
		return nil
	case *array.String, *array.LargeString:
		return func(i int) (int64, bool) { return parseTime(textOf(a, i)) }
	}
	get := NumberGetter(a)
	if get == nil {
		return nil
	}
	return func(i int) (int64, bool) {
		v := get(i)
		return floatOrder(v), !math.IsNaN(v)
	}
}

// parseTime parses a time and returns microseconds since 1970.
func parseTime(s string) (int64, bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

// floatOrder maps a float to an integer of the same order.
func floatOrder(v float64) int64 {
	b := int64(math.Float64bits(v + 0)) // -0 is 0
	if b < 0 {
		b ^= math.MaxInt64
	}
	return b
}
