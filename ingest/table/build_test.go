package table_test

import (
	"math"
	"testing"
	"time"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Columns that are made of Go's values have these values, with and without rows.
func TestBuiltColumns(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 1, 250999999, time.FixedZone("", 3600))
	matrix := vec.Of(2, 3, []float32{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		c           table.Column
		dtype, want string
	}{
		{table.StringColumn("c", []string{"a", "", "ü"}), "string", "a||ü"},
		{table.StringColumn("c", nil), "string", ""},
		{table.Int64Column("c", []int64{math.MinInt64, math.MaxInt64}), "int64", "-9223372036854775808|9223372036854775807"},
		{table.Uint64Column("c", []uint64{0, math.MaxUint64}), "uint64", "0|18446744073709551615"},
		{table.Uint32Column("c", []uint32{7, math.MaxUint32}), "uint32", "7|4294967295"},
		{table.Float64Column("c", []float64{0.1, -3}), "float64", "0.1|-3"},
		{table.Float32Column("c", []float32{0.1}), "float32", "0.1"},
		{table.BoolColumn("c", []bool{true, false, true}), "bool", "true|false|true"},
		{table.TimeColumn("c", []time.Time{at, {}}), "timestamp[ms, tz=UTC]", "2026-03-01 09:00:01.25Z|0001-01-01 00:00:00Z"},
		{table.TimeColumn("c", nil), "timestamp[ms, tz=UTC]", ""},
		{table.TextListColumn("c", [][]string{{"a", "b"}, nil, {"c"}}), "list<string>", "[a b]|[]|[c]"},
		{table.TextListColumn("c", nil), "list<string>", ""},
		{table.Int64ListColumn("c", [][]int64{nil, {math.MinInt64, 2, math.MaxInt64}, {4}}), "list<int64>", "[]|[-9223372036854775808 2 9223372036854775807]|[4]"},
		{table.VectorColumn("c", matrix), "fixed_size_list<float32>[3]", "[1 2 3]|[4 5 6]"},
		{table.ListColumn("c", matrix), "list<float32>", "[1 2 3]|[4 5 6]"},
		{table.ListColumn("c", vec.New[float32](0, 3)), "list<float32>", ""},
		{table.NewColumn("c", table.FixedList(3, 2, table.Int64Column("", []int64{1, 2, 3, 4, 5, 6}).Array())), "fixed_size_list<int64>[2]", "[1 2]|[3 4]|[5 6]"},
	} {
		if got := rows(c.c); got != c.want || c.c.DataType() != c.dtype || c.c.Name() != "c" || c.c.ArrowField().Nullable {
			t.Errorf("%s %s (nullable: %v), want %s %s", c.c.DataType(), got, c.c.ArrowField().Nullable, c.dtype, c.want)
		}
	}
	if !column(t, i64, `[1, null]`).ArrowField().Nullable || column(t, i64, `[1]`).ArrowField().Nullable || !column(t, i64, `[1]`).Nullable().ArrowField().Nullable {
		t.Error("a column is nullable if and only if a value is missing, or it is made so")
	}
	if c := column(t, i64, `[1]`).Renamed("d"); c.Name() != "d" || rows(c) != "1" {
		t.Errorf("renamed: %q %s", c.Name(), rows(c))
	}
}
