package table_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/table"
)

// reading is the value read from a row of a column, or the error.
type reading struct {
	value float64
	err   string
}

// sameReadings reads every row of a column and compares.
func sameReadings(t *testing.T, c table.Column, read func(i int) (float64, error), want []reading) {
	t.Helper()
	for i, w := range want {
		v, err := read(i)
		if w.err != "" {
			wantError(t, err, w.err)
		} else if err != nil || v != w.value && !(math.IsNaN(v) && math.IsNaN(w.value)) {
			t.Errorf("%s: row %d: %v, %v; want %v", c.DataType(), i, v, err, w.value)
		}
	}
}

// near compares two numbers that may be missing, up to the rounding of a product.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-15*math.Abs(b) || math.IsNaN(a) && math.IsNaN(b)
}

// Numbers, booleans and numeric text are read as finite numbers. Missing values are NaN where they
// are allowed.
func TestNumbersOf(t *testing.T) {
	ok := func(v float64) reading { return reading{value: v} }
	bad := func(text string) reading { return reading{err: text} }
	nan := math.NaN()
	for _, c := range []struct {
		c              table.Column
		whole, missing []reading
	}{
		{column(t, i64, `[1, null, -3]`),
			[]reading{ok(1), bad(`x.csv: row 12, column "c": the value is missing; drop such rows (missing drop), fill them (missing mean), or leave the column out`), ok(-3)}, []reading{ok(1), ok(nan), ok(-3)}},
		{column(t, arrow.FixedWidthTypes.Boolean, `[true, false]`), []reading{ok(1), ok(0)}, []reading{ok(1), ok(0)}},
		{column(t, text, `["1.5", " 2 ", "x", null, "1e400", "", "NaN", "inf", "1e39", "NA", " n/a ", "None", "-", "-1"]`),
			[]reading{ok(1.5), ok(2), bad(`row 13, column "c": "x" is not a number`), bad("row 14, column \"c\": the value is missing"), bad(`"1e400" is not a number`), bad("row 16, column \"c\": the value is missing"), bad("the value is missing"), bad("the value is +Inf"), bad("the value is 1e+39"), bad("the value is missing"), bad("the value is missing"), bad("the value is missing"), bad("the value is missing"), ok(-1)},
			[]reading{ok(1.5), ok(2), bad(`"x" is not a number`), ok(nan), bad(`"1e400" is not a number`), ok(nan), ok(nan), bad("the value is +Inf"), bad("1e+39"), ok(nan), ok(nan), ok(nan), ok(nan), ok(-1)}},
		{table.Float64Column("c", []float64{nan, math.Inf(-1), 1e39, math.MaxFloat32}),
			[]reading{bad(`row 11, column "c": the value is NaN; values must be finite numbers in the range of float32`), bad("the value is -Inf"), bad("the value is 1e+39"), ok(math.MaxFloat32)},
			[]reading{ok(nan), bad("the value is -Inf"), bad("the value is 1e+39"), ok(math.MaxFloat32)}},
		{table.NewColumn("c", coded(t, fromJSON(t, text, `["2", null]`), `[0, 1, null]`)), []reading{ok(2), bad("is missing"), bad("is missing")}, []reading{ok(2), ok(nan), ok(nan)}},
	} {
		for missing, want := range map[bool][]reading{false: c.whole, true: c.missing} {
			read, err := table.NumbersOf(c.c, here, missing)
			if err != nil {
				t.Fatal(err)
			}
			sameReadings(t, c.c, read, want)
		}
	}
	_, err := table.NumbersOf(column(t, arrow.ListOf(f64), `[[1]]`), here, true)
	wantError(t, err, `x.csv: column "c": its type is list<float64>, not a number`)
	for n, want := range map[int]string{40: strings.Repeat("x", 40), 41: strings.Repeat("x", 40) + "..."} {
		if got := table.Clip(strings.Repeat("x", n)); got != want {
			t.Errorf("%d letters: %q", n, got)
		}
	}
}

// Times of every type are read as milliseconds and as days.
func TestMillisAndDays(t *testing.T) {
	const day = 24 * 60 * 60 * 1000
	nan := math.NaN()
	stamp := func(u arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: u} }
	for _, c := range []struct {
		c      table.Column
		millis []float64 // nil if its values are not points in time
		spans  []float64 // in milliseconds, for durations
	}{
		{column(t, stamp(arrow.Second), `["1970-01-02T00:00:01", null]`), []float64{day + 1000, nan}, nil},
		{column(t, stamp(arrow.Millisecond), `["1970-01-02T00:00:01.25"]`), []float64{day + 1250}, nil},
		{column(t, stamp(arrow.Microsecond), `["1970-01-01T00:00:00.0005"]`), []float64{0.5}, nil},
		{column(t, stamp(arrow.Nanosecond), `["1970-01-01T00:00:00.001"]`), []float64{1}, nil},
		{column(t, arrow.FixedWidthTypes.Date32, `["1970-01-03", null]`), []float64{2 * day, nan}, nil},
		{column(t, arrow.FixedWidthTypes.Date64, `["1970-01-03"]`), []float64{2 * day}, nil},
		{column(t, text, `["1970-01-02", "1970-01-01 00:00:01.5", null]`), []float64{day, 1500, nan}, nil},
		{column(t, arrow.BinaryTypes.LargeString, `["1970-01-01T01:00:00+01:00"]`), []float64{0}, nil},
		{table.NewColumn("c", coded(t, fromJSON(t, text, `["1970-01-02"]`), `[0, null]`)), []float64{day, nan}, nil},
		{column(t, text, `["1970-01-02", "soon"]`), nil, nil},
		{column(t, text, `[null, null]`), nil, nil},
		{column(t, text, `[]`), nil, nil},
		{column(t, arrow.FixedWidthTypes.Date32, `[null]`), []float64{nan}, nil},
		{column(t, arrow.FixedWidthTypes.Date32, `[]`), []float64{}, nil},
		{column(t, arrow.FixedWidthTypes.Time32s, `["06:00:00", null]`), nil, []float64{day / 4, nan}},
		{column(t, arrow.FixedWidthTypes.Time32ms, `["00:00:00.250"]`), nil, []float64{250}},
		{column(t, arrow.FixedWidthTypes.Time64us, `["12:00:00"]`), nil, []float64{day / 2}},
		{column(t, arrow.FixedWidthTypes.Duration_s, `[3]`), nil, []float64{3000}},
		{column(t, i64, `[3]`), nil, nil},
		{column(t, arrow.FixedWidthTypes.Boolean, `[true]`), nil, nil},
	} {
		got := table.Millis(c.c)
		if (got == nil) != (c.millis == nil) || !slices.EqualFunc(got, c.millis, near) {
			t.Errorf("%s %s: %v, want %v", c.c.DataType(), rows(c.c), got, c.millis)
		}
		want := slices.Concat(c.millis, c.spans)
		if len(want) == 0 {
			continue
		}
		for _, missing := range []bool{false, true} {
			read, err := table.DaysOf(c.c, here, missing)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				v, err := read(i)
				if math.IsNaN(w) && !missing {
					wantError(t, err, `column "c": the value is missing`)
				} else if err != nil || !near(v, w/day) {
					t.Errorf("%s: row %d is day %v, %v; want %v", c.c.DataType(), i, v, err, w/day)
				}
			}
		}
	}
	_, err := table.DaysOf(column(t, i64, `[3]`), here, false)
	wantError(t, err, `x.csv: column "c": its type is int64, not a time; times are timestamps, dates`)
	for missing, want := range map[bool][]reading{
		false: {{value: 1}, {err: `row 12, column "c": the value is missing`}, {err: `row 13, column "c": "soon" is not a time; write it as 2006-01-02`}},
		true:  {{value: 1}, {value: nan}, {err: `"soon" is not a time`}},
	} {
		c := column(t, text, `["1970-01-02", "", "soon"]`)
		read, err := table.DaysOf(c, here, missing)
		if err != nil {
			t.Fatal(err)
		}
		sameReadings(t, c, read, want)
	}
}
