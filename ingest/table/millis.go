package table

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Millis returns the times of a column as milliseconds since 1970, NaN where there is none:
// of timestamps, of dates, and of text if all of it is times as TimeOrder reads them. It
// returns nil for a column of anything else.
func Millis(c Column) []float64 {
	var get func(i int) (float64, bool)
	switch a := PlainValues(c.Array()).(type) {
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit.Multiplier().Seconds() * 1000
		get = func(i int) (float64, bool) { return float64(a.Value(i)) * unit, true }
	case *array.Date32:
		get = func(i int) (float64, bool) { return float64(a.Value(i)) * 86_400_000, true }
	case *array.Date64:
		get = func(i int) (float64, bool) { return float64(a.Value(i)), true }
	case *array.String, *array.LargeString:
		get = func(i int) (float64, bool) {
			micros, ok := parseTime(textOf(a, i))
			return float64(micros) / 1000, ok
		}
	default:
		return nil
	}
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
