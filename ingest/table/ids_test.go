package table

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
)

// decimals returns a column of decimals of scale 2.
func decimals(hundredths ...int64) Column {
	b := array.NewDecimal128Builder(Heap, &arrow.Decimal128Type{Precision: 20, Scale: 2})
	for _, v := range hundredths {
		b.Append(decimal128.FromI64(v))
	}
	return NewColumn("id", b.NewArray())
}

// jsonColumn returns a column of JSON values.
func jsonColumn(b array.Builder, values string) Column {
	if err := b.UnmarshalJSON([]byte(values)); err != nil {
		panic(err)
	}
	return NewColumn("id", b.NewArray())
}

// numbered returns a column of numbered values.
func numbered(values Column, rows string) Column {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: values.arr.DataType()}
	return NewColumn("id", array.NewDictionaryArray(dt, jsonColumn(array.NewInt8Builder(Heap), rows).arr, values.arr))
}

// TestCheckID: numeric ids must be integers that their type holds exactly.
func TestCheckID(t *testing.T) {
	o := Origin{File: "x.csv", Row: 10}
	for _, c := range []struct {
		ids Column
		bad int // row, from 0; -1 if none
	}{
		{Int64Column("id", []int64{math.MinInt64, math.MaxInt64}), -1},
		{Uint64Column("id", []uint64{0, math.MaxUint64}), -1},
		{StringColumn("id", []string{"1e20", "0.5", "a"}), -1},
		{Float64Column("id", []float64{0, -7, 1<<53 - 1}), -1},
		{Float64Column("id", []float64{1, 1 << 53}), 1},
		{Float64Column("id", []float64{1, 2, 1e20}), 2},
		{Float64Column("id", []float64{0.5}), 0},
		{Float64Column("id", []float64{3, math.NaN()}), 1},
		{Float64Column("id", []float64{math.Inf(-1)}), 0},
		{Float32Column("id", []float32{1, 1<<24 - 1}), -1},
		{Float32Column("id", []float32{1, 1 << 24}), 1},
		{decimals(100, 700), -1},
		{decimals(100, 701), 1},
		{Column{}, -1},
		{Float64Column("id", []float64{1 - 1<<53, -1 << 53}), 1},
		{jsonColumn(array.NewFloat16Builder(Heap), "[2047, null, -2047]"), -1},
		{jsonColumn(array.NewFloat16Builder(Heap), "[1, 2048]"), 1},
		{jsonColumn(array.NewFloat64Builder(Heap), "[null, 7, 0.5]"), 2},
		{jsonColumn(array.NewDecimal128Builder(Heap, &arrow.Decimal128Type{Precision: 38}), `["99999999999999999999", null]`), -1},
		{jsonColumn(array.NewDecimal128Builder(Heap, &arrow.Decimal128Type{Precision: 38, Scale: -2}), `["700"]`), -1},
		{jsonColumn(array.NewDecimal256Builder(Heap, &arrow.Decimal256Type{Precision: 50, Scale: 1}), `["7.0", "7.5"]`), 1},
		{jsonColumn(array.NewDecimal256Builder(Heap, &arrow.Decimal256Type{Precision: 50, Scale: 1}), `["7.0", null]`), -1},
		{numbered(Float64Column("", []float64{0.5, 3}), "[1, null, 1]"), -1},
		{numbered(Float64Column("", []float64{0.5, 3}), "[1, null, 0]"), 2},
		{numbered(StringColumn("", []string{"0.5"}), "[0]"), -1},
	} {
		err := CheckID(c.ids, o)
		var e *Error
		if bad := err != nil; bad != (c.bad >= 0) {
			t.Errorf("%s %v: %v", c.ids.DataType(), c.ids.Strings(), err)
		} else if e, _ = err.(*Error); bad && (e.Row != 10+int64(c.bad) || e.Column != "id" || !strings.Contains(e.Error(), c.ids.Text(c.bad))) {
			t.Errorf("%s %v: row %d: %v", c.ids.DataType(), c.ids.Strings(), e.Row, e)
		}
	}
	if got := Float64Column("id", []float64{1<<53 - 1}).Text(0); got != "9007199254740991" {
		t.Errorf("the text of a float that is an integer is %q", got)
	}
}
