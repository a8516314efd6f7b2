package table

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// badType returns the problem of a type outside Arrow's limits, or "".
func badType(dt arrow.DataType) string {
	d, ok := dt.(arrow.DecimalType)
	if !ok {
		return ""
	}
	if most := map[arrow.Type]int32{arrow.DECIMAL128: 38, arrow.DECIMAL256: 76}[dt.ID()]; d.GetPrecision() < 1 || d.GetPrecision() > most {
		return fmt.Sprintf("%s has 1 to %d digits, not %d", dt.Name(), most, d.GetPrecision())
	}
	return ""
}

// outOfType returns the first row whose value its type does not allow, with the problem, or -1.
func outOfType(a arrow.Array) (row int, problem string) {
	var ok func(i int) bool
	switch dt := a.DataType().(type) {
	case *arrow.Date64Type:
		v := a.(*array.Date64)
		ok, problem = func(i int) bool { return v.Value(i)%(24*60*60*1000) == 0 }, "the date is not a whole number of days"
	case *arrow.Time32Type:
		v, day := a.(*array.Time32), arrow.Time32(24*60*60*perSecond(dt.Unit))
		ok, problem = func(i int) bool { return 0 <= v.Value(i) && v.Value(i) < day }, "the time lies outside of a day"
	case *arrow.Time64Type:
		v, day := a.(*array.Time64), arrow.Time64(24*60*60*perSecond(dt.Unit))
		ok, problem = func(i int) bool { return 0 <= v.Value(i) && v.Value(i) < day }, "the time lies outside of a day"
	case *arrow.Decimal128Type:
		v := a.(*array.Decimal128)
		ok, problem = func(i int) bool { return v.Value(i).FitsInPrecision(dt.Precision) }, fmt.Sprintf("the number has more than %d digits", dt.Precision)
	case *arrow.Decimal256Type:
		v := a.(*array.Decimal256)
		ok, problem = func(i int) bool { return v.Value(i).FitsInPrecision(dt.Precision) }, fmt.Sprintf("the number has more than %d digits", dt.Precision)
	default:
		return -1, ""
	}
	for i := range a.Len() {
		if !a.IsNull(i) && !ok(i) {
			return i, problem
		}
	}
	return -1, ""
}

func perSecond(u arrow.TimeUnit) int64 {
	return map[arrow.TimeUnit]int64{arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9}[u]
}
