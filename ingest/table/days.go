package table

import "math"

// millisOfDay is the number of milliseconds of a day.
const millisOfDay = 24 * 60 * 60 * 1000

// DaysOf returns a function that reads a column's rows as days. Timestamps, dates and text (see
// TimeOrder) count from 1970, times of the day from midnight; durations are differences. Nulls are
// errors or, if missing is true, NaN.
func DaysOf(c Column, o Origin, missing bool) (func(i int) (float64, error), error) {
	get := millisOf(PlainValues(c.arr))
	if get == nil {
		return nil, o.BadColumn(c.Name(), "its type is %s, not a time", c.DataType()).
			Suggest("times are timestamps, dates, times of the day, durations, and text such as 2006-01-02 15:04:05")
	}
	return func(i int) (float64, error) {
		if c.IsNull(i) || c.Kind() == Text && c.Text(i) == "" {
			if missing {
				return math.NaN(), nil
			}
			return 0, Null(o, i, c.Name())
		}
		millis, ok := get(i)
		if !ok {
			return 0, o.BadAt(i, c.Name(), "%q is not a time", Clip(c.Text(i))).
				Suggest("write it as 2006-01-02 15:04:05 or 2006-01-02T15:04:05Z")
		}
		return millis / millisOfDay, nil
	}, nil
}
