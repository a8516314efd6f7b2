package table

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Millis returns the times of a column in milliseconds since 1970, NaN for missing ones. The column
// contains timestamps, dates, or text of which every value is a time (see TimeOrder). For other
// columns it returns nil.
func Millis(c Column) []float64 {
	plain := PlainValues(c.Array())
	switch plain.(type) {
	case *array.Timestamp, *array.Date32, *array.Date64, *array.String, *array.LargeString:
	default:
		return nil
	}
	get := millisOf(plain)
	out, any := make([]float64, c.Len()), false
	for i := range out {
		out[i] = math.NaN()
		if c.IsNull(i) {
			continue
		}
		v, ok := get(i)
		if !ok {
			return nil
		}
		out[i], any = v, true
	}
	if !any && c.Kind() == Text {
		return nil
	}
	return out
}

// millisOf returns a function that reads an array of times in milliseconds: since 1970, since
// midnight, or of a duration. It returns false for text that is not a time. millisOf returns nil
// for other arrays.
func millisOf(a arrow.Array) func(i int) (float64, bool) {
	switch a := a.(type) {
	case *array.Timestamp:
		return inMillis(a.DataType().(*arrow.TimestampType).Unit, a.TimestampValues())
	case *array.Date32:
		return func(i int) (float64, bool) { return float64(a.Value(i)) * millisOfDay, true }
	case *array.Date64:
		return inMillis(arrow.Millisecond, a.Date64Values())
	case *array.Time32:
		return inMillis(a.DataType().(*arrow.Time32Type).Unit, a.Time32Values())
	case *array.Time64:
		return inMillis(a.DataType().(*arrow.Time64Type).Unit, a.Time64Values())
	case *array.Duration:
		return inMillis(a.DataType().(*arrow.DurationType).Unit, a.DurationValues())
	case *array.String, *array.LargeString:
		return func(i int) (float64, bool) {
			micros, ok := parseTime(textOf(a, i))
			return float64(micros) / 1000, ok
		}
	}
	return nil
}

// inMillis converts counts of a unit to milliseconds.
func inMillis[T ~int32 | ~int64](unit arrow.TimeUnit, values []T) func(i int) (float64, bool) {
	millis := unit.Multiplier().Seconds() * 1000
	return func(i int) (float64, bool) { return float64(values[i]) * millis, true }
}
