package table

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Exact returns a function for the exact text of row i. The text is "" unless NumberGetter or
// Millis would round the value or lose its time zone. Exact returns nil for types that both
// represent exactly. The function ignores nulls.
func Exact(c Column) func(i int) string {
	switch a := PlainValues(c.Array()).(type) {
	case *array.Int64:
		return func(i int) string {
			v := a.Value(i)
			if v >= -ExactFloat && v <= ExactFloat || inFloat(big.NewInt(v)) {
				return ""
			}
			return strconv.FormatInt(v, 10)
		}
	case *array.Uint64:
		return func(i int) string {
			v := a.Value(i)
			if v <= ExactFloat || inFloat(new(big.Int).SetUint64(v)) {
				return ""
			}
			return strconv.FormatUint(v, 10)
		}
	case *array.Decimal128, *array.Decimal256:
		return func(i int) string {
			if text := c.Text(i); significant(text) > floatDigits {
				return text
			}
			return ""
		}
	case *array.Timestamp:
		return exactTimestamp(a)
	case *array.String, *array.LargeString:
		return func(i int) string {
			text := c.Text(i)
			if len(text) <= len("2006-01-02T15:04:05") {
				return "" // neither a zone nor parts of a second
			}
			if fineTime.MatchString(text) || zonedTime.MatchString(text) && !utcTime.MatchString(text) {
				return text
			}
			return ""
		}
	}
	return nil
}

// floatDigits is the number of digits of decimals that survive conversion to a float64 and back.
const floatDigits = 15

// inFloat reports whether a float64 holds an integer exactly.
func inFloat(v *big.Int) bool {
	_, accuracy := new(big.Float).SetInt(v).Float64()
	return accuracy == big.Exact
}

// significant counts the digits of a decimal without leading zeros and, after a point, without
// trailing ones.
func significant(text string) int {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	digits = strings.TrimLeft(digits, "0")
	if strings.Contains(text, ".") {
		digits = strings.TrimRight(digits, "0")
	}
	return len(digits)
}

// Patterns of times in text: finer than milliseconds, with an offset from UTC, and with the offset
// zero.
var (
	fineTime  = regexp.MustCompile(`:\d\d[.,]\d{3}\d*[1-9]`)
	zonedTime = regexp.MustCompile(`:\d\d(?:[.,]\d+)? ?[+-]\d\d:?(?:\d\d)?$`)
	utcTime   = regexp.MustCompile(`[+-]00:?(?:00)?$`)
)

// Zoned reports whether the times of a column are instants: timestamps with a time zone, or text with
// an offset from UTC.
func Zoned(c Column) bool {
	switch a := PlainValues(c.Array()).(type) {
	case *array.Timestamp:
		return a.DataType().(*arrow.TimestampType).TimeZone != ""
	case *array.String, *array.LargeString:
		for i := range c.Len() {
			if text := strings.TrimSpace(c.Text(i)); text != "" {
				return strings.HasSuffix(text, "Z") || zonedTime.MatchString(text)
			}
		}
	}
	return false
}

func exactTimestamp(a *array.Timestamp) func(i int) string {
	kind := a.DataType().(*arrow.TimestampType)
	get, err := kind.GetToTimeFunc()
	zone, unknown := kind.GetZone()
	local := err == nil && unknown == nil && zone != nil && zone != time.UTC
	if err != nil || !local && (kind.Unit == arrow.Second || kind.Unit == arrow.Millisecond) {
		return nil
	}
	form := "2006-01-02T15:04:05.999999999"
	if kind.TimeZone != "" {
		form = time.RFC3339Nano
	}
	return func(i int) string {
		t := get(a.Value(i))
		if _, offset := t.Zone(); offset == 0 && t.Nanosecond()%int(time.Millisecond) == 0 {
			return ""
		}
		return t.Format(form)
	}
}

// Integer decodes a signed big-endian integer, in which decimals are stored.
func Integer(v []byte) *big.Int {
	n := new(big.Int).SetBytes(v)
	if len(v) > 0 && v[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return n
}
