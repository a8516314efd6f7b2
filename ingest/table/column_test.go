package table_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"pgregory.net/rapid"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

func TestNoColumn(t *testing.T) {
	var c table.Column
	if _, ok := c.Float(0); c.Valid() || c.Len() != 0 || c.Name() != "" || c.DataType() != "" || c.Kind() != table.Other || ok || c.Text(0) != "" || len(c.Strings()) != 0 {
		t.Error("the zero value is not an empty column")
	}
	if v, missing := c.Floats(); len(v) != 0 || missing != -1 || !c.IsNull(0) {
		t.Errorf("numbers %v of no column, the first that is missing is %d", v, missing)
	}
	if d, err := c.Take([]int{1}); err != nil || d.Valid() || c.Slice(0, 0).Valid() {
		t.Error("parts of no column are columns")
	}
}

// The texts of values of every type: for people, for labels and for ids.
func TestColumnText(t *testing.T) {
	people := arrow.StructOf(field("name", text), field("scores", arrow.ListOf(f64)))
	for _, c := range []struct {
		c    table.Column
		want string
	}{
		{table.Float64Column("x", []float64{1, 1e6, 1e300, 0.1, -0.5, 1e-7}), "1|1000000|1e+300|0.1|-0.5|1e-07"},
		// A float64 that may stand for several integers does not look like an id.
		{table.Float64Column("x", []float64{1<<53 - 1, 1 - 1<<53, 1 << 53, -1 << 53, math.Inf(1), math.NaN()}),
			"9007199254740991|-9007199254740991|9.007199254740992e+15|-9.007199254740992e+15|+Inf|NaN"},
		{table.Float32Column("x", []float32{0.1, 16777216, 1e-7}), "0.1|16777216|1e-07"},
		{table.Int64Column("x", []int64{-1 << 63, 1<<53 + 1}), "-9223372036854775808|9007199254740993"},
		{table.Uint64Column("x", []uint64{1<<64 - 1}), "18446744073709551615"},
		{table.BoolColumn("x", []bool{true, false}), "true|false"},
		{table.VectorColumn("embedding", vec.Of(2, 2, []float32{1, 0.5, 3, -4})), "[1 0.5]|[3 -4]"},
		{column(t, text, `["a", null, ""]`), "a|null|"},
		{column(t, arrow.BinaryTypes.LargeString, `["a", null]`), "a|null"},
		{column(t, arrow.BinaryTypes.Binary, `["YWI=", null]`), "ab|null"},
		{column(t, arrow.BinaryTypes.LargeBinary, `[null, "YWI="]`), "null|ab"},
		{column(t, i8, `[-128, null, 127]`), "-128|null|127"},
		{column(t, arrow.Null, `[null, null]`), "null|null"},
		{column(t, arrow.ListOf(i64), `[[1], null, [], [2, null, 3]]`), "[1]|null|[]|[2 null 3]"},
		{column(t, people, `[{"name": "a", "scores": [1, 0.5]}, {"name": null, "scores": null}, null]`), "{name:a scores:[1 0.5]}|{name:null scores:null}|null"},
		{table.NewColumn("x", coded(t, fromJSON(t, text, `["a", null, "b"]`), `[2, 1, null, 0]`)), "b|null|null|a"},
		{table.NewColumn("x", foreign(table.Uint64Column("x", []uint64{1<<64 - 1}).Array())), "18446744073709551615"},
		{column(t, &arrow.Decimal128Type{Precision: 38, Scale: 2}, `["12345678901234567890123456789012345.67", "-0.05", null]`), "12345678901234567890123456789012345.67|-0.05|null"},
		{column(t, &arrow.Decimal128Type{Precision: 38, Scale: 0}, `["99999999999999999999999999999999999999", "0"]`), "99999999999999999999999999999999999999|0"},
		{table.NewColumn("x", scaled(-3, 7, -12)), "7000|-12000"},
		{column(t, &arrow.Decimal256Type{Precision: 76, Scale: 1}, `["123456789012345678901234567890123456789012345.6"]`), "123456789012345678901234567890123456789012345.6"},
		{column(t, arrow.FixedWidthTypes.Date32, `["2026-03-01"]`), "2026-03-01"},
		{column(t, &arrow.TimestampType{Unit: arrow.Second}, `["2026-03-01T10:00:01"]`), "2026-03-01 10:00:01"},
		{column(t, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, `["2026-03-01T10:00:01"]`), "2026-03-01 10:00:01Z"},
		{table.NewColumn("x", union(t, fromJSON(t, f64, `[0.5, 2]`))), "[0,0.5]|[0,2]"},
		{table.NewColumn("x", union(t, table.Float64Column("", []float64{math.NaN()}).Array())), "(sparse_union<v: type=float64, nullable=0>)"}, // JSON has no NaN
	} {
		if got := rows(c.c); got != c.want {
			t.Errorf("%s: %s, want %s", c.c.DataType(), got, c.want)
		}
		for i := range c.c.Len() {
			if c.c.IsNull(i) && c.c.Text(i) != "" {
				t.Errorf("%s: the text of null is %q", c.c.DataType(), c.c.Text(i))
			}
		}
	}
}

// scaled returns decimals of the given scale.
func scaled(scale int32, digits ...int64) arrow.Array {
	b := array.NewDecimal128Builder(table.Heap, &arrow.Decimal128Type{Precision: 30, Scale: scale})
	for _, v := range digits {
		b.Append(decimal128.FromI64(v))
	}
	return b.NewArray()
}

// union returns a column of a type that this package cannot format as text.
func union(t *testing.T, values arrow.Array) arrow.Array {
	t.Helper()
	ids := fromJSON(t, i8, "["+strings.Repeat("0, ", values.Len()-1)+"0]")
	a, err := array.NewSparseUnionFromArraysWithFields(ids, []arrow.Array{values}, []string{"v"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Every numeric type is read as the nearest float64, row by row and as a whole.
func TestColumnNumbers(t *testing.T) {
	nan := math.NaN() // null
	for _, c := range []struct {
		c    table.Column
		want []float64
	}{
		{column(t, f64, `[0.1, null, -3]`), []float64{0.1, nan, -3}},
		{column(t, f32, `[0.5, null]`), []float64{0.5, nan}},
		{column(t, arrow.FixedWidthTypes.Float16, `[0.5, null]`), []float64{0.5, nan}},
		{column(t, i8, `[-128, 127]`), []float64{-128, 127}},
		{column(t, arrow.PrimitiveTypes.Int16, `[-32768, 32767]`), []float64{-32768, 32767}},
		{column(t, i32, `[-2147483648, null]`), []float64{math.MinInt32, nan}},
		{column(t, i64, `[9007199254740993]`), []float64{9007199254740992}},
		{column(t, arrow.PrimitiveTypes.Uint8, `[255]`), []float64{255}},
		{column(t, arrow.PrimitiveTypes.Uint16, `[65535]`), []float64{65535}},
		{column(t, arrow.PrimitiveTypes.Uint32, `[4294967295]`), []float64{math.MaxUint32}},
		{table.Uint64Column("c", []uint64{1<<64 - 1}), []float64{1 << 64}},
		{column(t, arrow.FixedWidthTypes.Boolean, `[true, false, null]`), []float64{1, 0, nan}},
		// 3/10 is not 3 * 0.1, and 2^53+1 thousandths have no exact quotient.
		{table.NewColumn("c", scaled(1, 3, -7)), []float64{0.3, -0.7}},
		{table.NewColumn("c", scaled(22, 123)), []float64{123e-22}},
		{table.NewColumn("c", scaled(23, 123, 3)), []float64{123e-23, 3e-23}},
		{table.NewColumn("c", scaled(0, 42)), []float64{42}},
		{table.NewColumn("c", scaled(-2, 42)), []float64{4200}},
		{table.NewColumn("c", scaled(3, 1<<53-1, 1<<53+1, 1<<62+1)), []float64{9007199254740.991, 9007199254740.993, 4611686018427387.905}},
		{column(t, &arrow.Decimal256Type{Precision: 76, Scale: 1}, `["123456789012345678901234567890.5"]`), []float64{123456789012345678901234567890.5}},
		{table.NewColumn("c", coded(t, fromJSON(t, f64, `[0.25, null, 7]`), `[2, 1, null, 0]`)), []float64{7, nan, nan, 0.25}},
		{table.NewColumn("c", foreign(fromJSON(t, i64, `[5, null]`))), []float64{5, nan}},
		{column(t, text, `["1"]`), []float64{nan}},
		{column(t, i64, `[null, 1, null]`), []float64{nan, 1, nan}},
		{table.NewColumn("c", coded(t, fromJSON(t, text, `["1"]`), `[0]`)), []float64{nan}},
		{column(t, i64, `[]`), []float64{}},
	} {
		first := -1
		all, missing := c.c.Floats()
		for i, want := range c.want {
			if first < 0 && math.IsNaN(want) {
				first = i
			}
			v, ok := c.c.Float(i)
			if ok == math.IsNaN(want) || ok && (v != want || all[i] != want) || !ok && (v != 0 || all[i] != 0) {
				t.Errorf("%s: row %d: %v %v and %v, want %v", c.c.DataType(), i, v, ok, all[i], want)
			}
		}
		if len(all) != len(c.want) || missing != first {
			t.Errorf("%s: %d rows, the first without a number is %d; want %d and %d", c.c.DataType(), len(all), missing, len(c.want), first)
		}
	}
}

func TestTake(t *testing.T) {
	c, err := table.StringColumn("s", []string{"a", "b", "c"}).Take([]int{2, 0, 2})
	if err != nil || !slices.Equal(c.Strings(), []string{"c", "a", "c"}) {
		t.Errorf("%v, %v", c.Strings(), err)
	}
	for _, row := range []int{3, -1} {
		if _, err := c.Take([]int{0, row}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d of column", row)) {
			t.Errorf("error %v", err)
		}
	}
	if c, err = c.Take([]int{}); err != nil || c.Len() != 0 || c.Name() != "s" {
		t.Errorf("no rows: %v, %v", c.Strings(), err)
	}
	// Arrow cannot take rows of some types.
	if _, err := column(t, arrow.ListViewOf(i64), `[[1]]`).Take([]int{0}); err == nil || !strings.Contains(err.Error(), `rows of column "c" (list_view`) {
		t.Errorf("error %v", err)
	}
}

// Parts of different types are joined as numbers or as text, without loss of any value.
func TestConcat(t *testing.T) {
	ints, floats, words := table.Int64Column("x", []int64{1}), table.Float64Column("y", []float64{2.5}), table.StringColumn("z", []string{"w"})
	dictionary := fromJSON(t, text, `["a", null, "b"]`)
	in := func(a arrow.Array) table.Column { return table.NewColumn("d", a) }
	for _, c := range []struct {
		parts      []table.Column
		kind, want string
		nullable   bool
	}{
		{[]table.Column{ints, floats}, "float64", "1|2.5", false},
		{[]table.Column{floats, words, ints}, "string", "2.5|w|1", false},
		{[]table.Column{ints, ints}, "int64", "1|1", false},
		{[]table.Column{ints}, "int64", "1", false},
		{[]table.Column{ints, column(t, i64, `[null, 3]`)}, "int64", "1|null|3", true},
		{[]table.Column{column(t, i64, `[null, 3]`), floats}, "float64", "null|3|2.5", true},
		{[]table.Column{column(t, text, `[null, "a"]`), floats}, "string", "null|a|2.5", true},
		{[]table.Column{ints.Nullable(), ints}, "int64", "1|1", true},
		{[]table.Column{ints, ints.Nullable()}, "int64", "1|1", true},
		{[]table.Column{column(t, arrow.ListOf(f64), `[[1, 2], null]`), column(t, arrow.ListOf(f64), `[[]]`)}, "list<float64>", "[1 2]|null|[]", true},
		// One dictionary stays. Several are replaced by their values.
		{[]table.Column{in(coded(t, dictionary, `[0, 1, 2]`)), in(coded(t, dictionary, `[null, 2]`))}, "dictionary<values=utf8, indices=int8, ordered=false>", "a|null|b|null|b", true},
		{[]table.Column{in(coded(t, dictionary, `[0, 1, 2]`)), in(coded(t, fromJSON(t, text, `["c", "a"]`), `[null, 1, 0]`))}, "string", "a|null|b|null|a|c", true},
		{[]table.Column{in(coded(t, dictionary, `[2]`)), words}, "string", "b|w", false},
	} {
		got, err := table.Concat(c.parts...)
		if err != nil || got.DataType() != c.kind || rows(got) != c.want || got.Name() != c.parts[0].Name() || got.ArrowField().Nullable != c.nullable {
			t.Errorf("%s %s (nullable: %v), %v; want %s %s", got.DataType(), rows(got), got.ArrowField().Nullable, err, c.kind, c.want)
		}
	}
	if _, err := table.Concat(ints, table.Column{}); err == nil || !strings.Contains(err.Error(), `part 1 of column "x" is missing`) {
		t.Errorf("a missing part was joined: %v", err)
	}
	for _, none := range [][]table.Column{nil, {{}}, {{}, ints}} {
		if c, err := table.Concat(none...); err != nil || c.Valid() {
			t.Errorf("no columns become %q, %v", rows(c), err)
		}
	}
}

// Arrow joins dictionaries inside other types incorrectly, so they are refused everywhere.
func TestConcatNestedDictionaries(t *testing.T) {
	code := arrow.DataType(&arrow.DictionaryType{IndexType: i8, ValueType: text})
	for _, c := range []struct {
		dt     arrow.DataType
		joined bool
	}{
		{arrow.ListOf(code), false},
		{arrow.ListOf(arrow.ListOf(code)), false},
		{arrow.StructOf(field("a", i64), field("b", code)), false},
		{arrow.StructOf(field("a", arrow.ListOf(code))), false},
		{arrow.ListOf(text), true},
		{arrow.StructOf(field("a", i64)), true},
	} {
		part := table.NewColumn("c", array.MakeArrayOfNull(table.Heap, c.dt, 2))
		if _, err := table.Concat(part, part); (err == nil) != c.joined {
			t.Errorf("%s: %v", c.dt, err)
		} else if err != nil && !strings.Contains(err.Error(), `joining column "c"`) {
			t.Errorf("%s: %v", c.dt, err)
		}
		if c.joined {
			continue
		}
		wrapped := table.NewColumn("c", foreign(array.MakeArrayOfNull(table.Heap, c.dt, 2)))
		if _, err := table.Concat(wrapped, wrapped); err == nil {
			t.Errorf("%s in a type of another program: it was joined", c.dt)
		}
	}
	ofLists := table.NewColumn("c", coded(t, coded(t, fromJSON(t, text, `["a"]`), `[0]`), `[0]`))
	if _, err := table.Concat(ofLists, ofLists); err == nil {
		t.Error("a dictionary of a dictionary was joined")
	}
}

// The plain values of a dictionary are those of its rows, also for types from which Arrow cannot
// take rows.
func TestPlainValues(t *testing.T) {
	for _, c := range []struct {
		a    arrow.Array
		want string
	}{
		{coded(t, fromJSON(t, text, `["a", null, "b"]`), `[2, 1, null, 0]`), "b|null|null|a"},
		{coded(t, fromJSON(t, f64, `[0.25]`), `[0, 0]`), "0.25|0.25"},
		{coded(t, fromJSON(t, arrow.ListViewOf(i64), `[[1, 2]]`), `[0, null]`), "[1 2]|null"},
		{fromJSON(t, i64, `[1, null]`), "1|null"},
	} {
		if got := table.PlainValues(c.a); rows(table.NewColumn("c", got)) != c.want || got.DataType().ID() == arrow.DICTIONARY {
			t.Errorf("%s: %s %s, want %s", c.a.DataType(), got.DataType(), rows(table.NewColumn("c", got)), c.want)
		}
	}
}

// Splitting a column of any type and joining the parts changes no value. Neither does writing a
// part as a message.
func TestColumnsOfEveryType(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dt := rapid.SampledFrom(slices.Concat(ingesttest.Types, ingesttest.Encodings)).Draw(rt, "type")
		n := rapid.IntRange(2, 40).Draw(rt, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		b := array.NewBuilder(memory.NewGoAllocator(), dt)
		for range n {
			ingesttest.Append(b, rng, true)
		}
		records, err := arrowfmt.DecodeMessage(ingesttest.StreamOf(b.NewArray()), ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			rt.Fatal(err)
		}
		at := rapid.IntRange(1, n-1).Draw(rt, "cut")
		left, right := records.Slice(0, at), records.Slice(at, n)
		joined, err := table.ConcatTables(left, right)
		if err != nil {
			rt.Fatal(err)
		}
		same(rt, joined, records)
		message, err := emit.EncodeTable(right)
		if err != nil {
			rt.Fatal(err)
		}
		again, err := arrowfmt.DecodeMessage(message, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			rt.Fatal(err)
		}
		same(rt, again, right)
		if _, isDictionary := dt.(*arrow.DictionaryType); isDictionary && joined.Schema()[0].Type != records.Schema()[0].Type {
			rt.Fatalf("parts of one column became %s", joined.Schema())
		}
	})
}

func same(rt *rapid.T, got, want *table.Table) {
	g, w := got.Columns()[0], want.Columns()[0]
	if !slices.Equal(g.Strings(), w.Strings()) {
		rt.Fatalf("%s: %v, want %v", w.DataType(), g.Strings(), w.Strings())
	}
	for i := range w.Len() {
		if g.IsNull(i) != w.IsNull(i) {
			rt.Fatalf("%s: row %d: null %v, want %v", w.DataType(), i, g.IsNull(i), w.IsNull(i))
		}
	}
}

func TestTables(t *testing.T) {
	a, b := table.Int64Column("a", []int64{1, 2}), table.Int64Column("b", []int64{1})
	for want, cols := range map[string][]table.Column{
		`column "b" has 1 rows, column "a" has 2`: {a, b}, `two columns are called "a"`: {a, a}, "column 1 of a table is missing": {a, {}},
	} {
		if _, err := table.NewTable(ingesttest.Here(), cols...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	none, err := table.NewTable(here)
	if err != nil || none.Len() != 0 || len(none.Names()) != 0 || none.Origin != here {
		t.Errorf("no columns: %v", err)
	}
	records, err := table.NewTable(table.Origin{File: "f", Row: 10}, a, table.StringColumn("w", []string{"x", "y"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := records.Slice(1, 2); got.Origin.Row != 11 || got.Len() != 1 || rows(got.At(0)) != "2" || rows(got.At(1)) != "y" {
		t.Errorf("a slice starts at row %d", got.Origin.Row)
	}
	if records.Slice(0, 2) != records || records.Slice(0, 1).Len() != 1 || records.Slice(2, 2).Len() != 0 {
		t.Error("slices of other rows")
	}
	if all := records.Columns(); len(all) != 2 || rows(all[0]) != "1|2" || rows(all[1]) != "x|y" || strings.Join(records.Names(), " ") != "a w" || records.Len() != 2 {
		t.Errorf("columns %v", all)
	}
	if c, ok := records.Column("w"); !ok || rows(c) != "x|y" {
		t.Errorf("column w: %s, %v", rows(c), ok)
	}
	other, _ := table.NewTable(ingesttest.Here(), b)
	if records.Fingerprint() == other.Fingerprint() {
		t.Error("other columns have the same fingerprint")
	}
}

// Columns are added at the end, or replace the column of the same name.
func TestTablesWithMore(t *testing.T) {
	md := arrow.NewMetadata([]string{table.MapIDKey}, []string{"map 7"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: i64}, {Name: "w", Type: text}}, &md)
	read := table.OfRecord(here, array.NewRecord(schema, []arrow.Array{fromJSON(t, i64, `[1, 2]`), fromJSON(t, text, `["x", "y"]`)}, 2))
	c := table.Int64Column("c", []int64{3, 4})
	for _, try := range []struct {
		c    table.Column
		want string
	}{{c, "a 1|2 w x|y c 3|4"}, {c.Renamed("a"), "a 3|4 w x|y"}, {c.Renamed("w"), "a 1|2 w 3|4"}} {
		got, err := read.With(try.c)
		if err != nil || written(got) != try.want || got.Origin != here {
			t.Errorf("%s, %v; want %s", written(got), err, try.want)
		}
	}
	if _, err := read.With(table.Int64Column("c", []int64{3})); err == nil {
		t.Error("a column of other rows was added")
	}
	more := read.Beside(c, c.Renamed("d"))
	if written(more) != "a 1|2 w x|y c 3|4 d 3|4" || more.MapID() != "map 7" || more.Origin != here || more.Len() != 2 || written(read) != "a 1|2 w x|y" {
		t.Errorf("%s of map %q; before %s", written(more), more.MapID(), written(read))
	}
	if made, _ := table.NewTable(here, c); made.MapID() != "" {
		t.Errorf("a table of no map has id %q", made.MapID())
	}
}

// written returns a table's names and rows.
func written(t *table.Table) string {
	var parts []string
	for _, c := range t.Columns() {
		parts = append(parts, c.Name(), rows(c))
	}
	return strings.Join(parts, " ")
}

// Tables are joined if their columns have the same names in the same order.
func TestConcatTables(t *testing.T) {
	two := func(first, second string, v ...int64) *table.Table {
		made, err := table.NewTable(table.Origin{File: "f", Row: v[0]}, table.Int64Column(first, v), table.Int64Column(second, v))
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	got, err := table.ConcatTables(two("a", "b", 1, 2), two("a", "b", 3), two("a", "b", 4, 5))
	if err != nil || written(got) != "a 1|2|3|4|5 b 1|2|3|4|5" || got.Origin.Row != 1 {
		t.Errorf("%s from row %d, %v", written(got), got.Origin.Row, err)
	}
	if one := two("a", "b", 1); true {
		if got, err := table.ConcatTables(one); got != one || err != nil {
			t.Errorf("one table became %v, %v", got, err)
		}
	}
	if got, err := table.ConcatTables(); err != nil || got.Len() != 0 || len(got.Columns()) != 0 {
		t.Errorf("no tables: %v, %v", got, err)
	}
	single, _ := table.NewTable(here, table.Int64Column("a", []int64{1}))
	for _, c := range []struct {
		parts []*table.Table
		want  string
	}{
		{[]*table.Table{two("a", "b", 1), two("a", "c", 2)}, "f: the columns change: a, c, before a, b"},
		{[]*table.Table{two("a", "b", 1), two("b", "a", 2)}, "the columns change: b, a, before a, b"},
		{[]*table.Table{two("a", "b", 1), single}, "x.csv: the columns change: a, before a, b"},
		{[]*table.Table{single, two("a", "b", 1)}, "the columns change: a, b, before a"},
	} {
		_, err := table.ConcatTables(c.parts...)
		wantError(t, err, c.want)
	}
	nested := table.NewColumn("c", array.MakeArrayOfNull(table.Heap, arrow.ListOf(code), 1))
	bad, _ := table.NewTable(here, nested)
	if _, err := table.ConcatTables(bad, bad); err == nil || !strings.Contains(err.Error(), "dictionaries inside other types cannot be joined") {
		t.Errorf("error %v", err)
	}
}

// A name that several columns share gives the first, except with Need.
func TestDoubledNames(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: i64}, {Name: "a", Type: text}, {Name: "s", Type: arrow.StructOf(field("x", i64))}, {Name: "s", Type: arrow.StructOf(field("x", i64))}}, nil)
	parts := fromJSON(t, arrow.StructOf(field("x", i64)), `[{"x": 7}]`)
	doubled := table.OfRecord(here, array.NewRecord(schema, []arrow.Array{fromJSON(t, i64, `[1]`), fromJSON(t, text, `["x"]`), parts, parts}, 1))
	if c, ok := doubled.Column("a"); !ok || c.DataType() != "int64" {
		t.Errorf("column a: %s, %v", c.DataType(), ok)
	}
	_, err := doubled.Need("a")
	wantError(t, err, `x.csv: column "a": columns 1 (int64) and 2 (string) have this name`)
	_, err = doubled.Need("s.x")
	wantError(t, err, `column "s": columns 3 (struct<x: int64>) and 4 (struct<x: int64>) have this name`)
	if joined, err := table.ConcatTables(doubled, doubled); err != nil || joined.Len() != 2 || len(joined.Columns()) != 4 {
		t.Errorf("joined: %v", err)
	}
}
