package table

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Values that a float64 or milliseconds would round keep their text; others need none.
func TestExact(t *testing.T) {
	decimals := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 30, Scale: 2})
	for _, text := range []string{"1.50", "12345678901234567890.12"} {
		v, err := decimal128.FromString(text, 30, 2)
		if err != nil {
			t.Fatal(err)
		}
		decimals.Append(v)
	}
	berlin := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"})
	berlin.Append(1704103200)
	nanos := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Nanosecond})
	nanos.Append(1704103200_123000000)
	nanos.Append(1704103200_123456789)
	for name, c := range map[string]struct {
		in   Column
		want []string
	}{
		"int64":      {Int64Column("v", []int64{1 << 53, 1<<53 + 1, -1<<53 - 1, 1 << 62}), []string{"", "9007199254740993", "-9007199254740993", ""}},
		"decimal":    {NewColumn("v", decimals.NewArray()), []string{"", "12345678901234567890.12"}},
		"zone":       {NewColumn("v", berlin.NewArray()), []string{"2024-01-01T11:00:00+01:00"}},
		"nanosecond": {NewColumn("v", nanos.NewArray()), []string{"", "2024-01-01T10:00:00.123456789"}},
		"text": {StringColumn("v", []string{"2024-01-01", "2024-01-01T10:00:00Z", "2024-01-01T10:00:00.123Z", "2024-01-01T10:00:00+00:00", "2024-01-01T10:00:00.1234Z", "2024-01-01 10:00:00+02:00"}),
			[]string{"", "", "", "", "2024-01-01T10:00:00.1234Z", "2024-01-01 10:00:00+02:00"}},
	} {
		get := Exact(c.in)
		for i, want := range c.want {
			if got := get(i); got != want {
				t.Errorf("%s, row %d: %q, want %q", name, i, got, want)
			}
		}
	}
	if Exact(Float64Column("v", []float64{.1})) != nil {
		t.Error("float64 is never rounded")
	}
}
