package table_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
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
	if d, err := c.Take([]int{1}); err != nil || d.Valid() || c.Slice(0, 0).Valid() {
		t.Error("parts of no column are columns")
	}
}

func TestColumnText(t *testing.T) {
	for _, c := range []struct {
		c    table.Column
		want string
	}{
		{table.Float64Column("x", []float64{1, 1e6, 1e300, 0.1, -0.5}), "1 1000000 1e+300 0.1 -0.5"},
		{table.Float32Column("x", []float32{0.1, 16777216}), "0.1 16777216"},
		{table.Int64Column("x", []int64{-1 << 63, 1<<53 + 1}), "-9223372036854775808 9007199254740993"},
		{table.BoolColumn("x", []bool{true, false}), "true false"},
		{table.VectorColumn("embedding", vec.Of(2, 2, []float32{1, 0.5, 3, -4})), "[1 0.5] [3 -4]"},
	} {
		if got := strings.Join(c.c.Strings(), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.c.DataType(), got, c.want)
		}
	}
}

func TestTake(t *testing.T) {
	c, err := table.StringColumn("s", []string{"a", "b", "c"}).Take([]int{2, 0, 2})
	if err != nil || !slices.Equal(c.Strings(), []string{"c", "a", "c"}) {
		t.Errorf("%v, %v", c.Strings(), err)
	}
	if _, err := c.Take([]int{3}); err == nil || !strings.Contains(err.Error(), "row 3") {
		t.Errorf("error %v", err)
	}
}

func TestConcatWidens(t *testing.T) {
	ints, floats, words := table.Int64Column("x", []int64{1}), table.Float64Column("y", []float64{2.5}), table.StringColumn("z", []string{"w"})
	for _, c := range []struct {
		parts      []table.Column
		kind, want string
	}{
		{[]table.Column{ints, floats}, "float64", "1 2.5"},
		{[]table.Column{floats, words, ints}, "string", "2.5 w 1"},
		{[]table.Column{ints, ints}, "int64", "1 1"},
	} {
		got, err := table.Concat(c.parts...)
		if err != nil || got.DataType() != c.kind || strings.Join(got.Strings(), " ") != c.want || got.Name() != c.parts[0].Name() {
			t.Errorf("%s %v, %v; want %s %s", got.DataType(), got.Strings(), err, c.kind, c.want)
		}
	}
	if _, err := table.Concat(ints, table.Column{}); err == nil {
		t.Error("a missing part was joined")
	}
}

// Cutting a column of any type into parts, and joining them, changes no value;
// neither does writing a part as a message.
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
	for _, cols := range [][]table.Column{{a, b}, {a, a}, {a, {}}} {
		if _, err := table.NewTable(ingesttest.Here(), cols...); err == nil {
			t.Errorf("a table of %v", cols)
		}
	}
	records, err := table.NewTable(table.Origin{File: "f", Row: 10}, a)
	if err != nil {
		t.Fatal(err)
	}
	if got := records.Slice(1, 2); got.Origin.Row != 11 || got.Len() != 1 {
		t.Errorf("a slice starts at row %d", got.Origin.Row)
	}
	other, _ := table.NewTable(ingesttest.Here(), b)
	if _, err := table.ConcatTables(records, other); err == nil || !strings.Contains(err.Error(), "the columns change") {
		t.Errorf("tables of other columns: %v", err)
	}
	if records.Fingerprint() == other.Fingerprint() {
		t.Error("other columns have the same fingerprint")
	}
}
