package record

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest/table"
)

// put is a value of some type, to be added to field a.
type put struct {
	name string
	add  func(b *Builder, n *Node)
}

var (
	aNull  = put{"null", func(b *Builder, n *Node) { b.Null(n) }}
	aBool  = put{"bool", func(b *Builder, n *Node) { b.Bool(n, true) }}
	anInt  = put{"int", func(b *Builder, n *Node) { b.Int(n, 1) }}
	aUint  = put{"uint", func(b *Builder, n *Node) { b.Uint(n, 1<<63) }}
	aMinus = put{"minus", func(b *Builder, n *Node) { b.Int(n, -1) }}
	aFloat = put{"float", func(b *Builder, n *Node) { b.Float(n, 1.5) }}
	aText  = put{"text", func(b *Builder, n *Node) { b.Text(n, []byte("x")) }}
	aTime  = put{"time", func(b *Builder, n *Node) { b.Time(n, 1, Seconds) }}
	aList  = put{"list", func(b *Builder, n *Node) { b.Vector64(n, []float64{1, 2}) }}
	aShort = put{"list32", func(b *Builder, n *Node) { b.Vector32(n, []float32{1}) }}
	bytes4 = put{"bytes", func(b *Builder, n *Node) { b.Bytes(n, []byte{0, 0, 0x80, 0x3f}) }}
	gone   = put{"gone", func(b *Builder, n *Node) {}}
)

// build returns a table of one column with one row per value.
func build(l *Layout, values ...put) (*table.Table, error) {
	b := l.Builder()
	defer l.Release(b)
	for _, v := range values {
		v.add(b, b.Root().Child([]byte("a")))
		b.EndRow()
	}
	return b.Table(table.Origin{})
}

// columnText formats a column's type and values.
func columnText(t *table.Table) string {
	var parts []string
	for _, c := range t.Columns() {
		values := c.Strings()
		for i := range values {
			if c.IsNull(i) {
				values[i] = "-"
			}
		}
		parts = append(parts, c.DataType()+" "+strings.Join(values, " "))
	}
	return strings.Join(parts, "; ")
}

// A column has the type of its values, or the type that is set.
func TestColumnTypes(t *testing.T) {
	for _, c := range []struct {
		pin    Type
		values []put
		want   string
	}{
		{Auto, []put{anInt, gone, anInt}, "int64 1 - 1"},
		{Auto, []put{gone, anInt, aNull, aFloat, anInt}, "float64 - 1 - 1.5 1"},
		{Auto, []put{aFloat, anInt}, "float64 1.5 1"},
		{Auto, []put{aUint}, "uint64 9223372036854775808"},
		{Auto, []put{anInt, gone, aUint, anInt}, "uint64 1 - 9223372036854775808 1"},
		{Auto, []put{aMinus, aUint}, "float64 -1 9.223372036854776e+18"},
		{Auto, []put{aUint, aMinus}, "float64 9.223372036854776e+18 -1"},
		{Auto, []put{aUint, aFloat}, "float64 9.223372036854776e+18 1.5"},
		{Uint, []put{anInt, aUint, aNull}, "uint64 1 9223372036854775808 -"},
		{Uint, []put{aNull}, "uint64 -"},
		{Auto, []put{aNull, aBool}, "bool - true"},
		{Auto, []put{aText, aNull}, "utf8 x -"},
		{Auto, []put{aTime}, "timestamp[us, tz=UTC] 1970-01-01 00:00:01Z"},
		{Auto, []put{aList, aList}, "fixed_size_list<float64>[2] [1 2] [1 2]"},
		{Auto, []put{aList, aNull}, "list<float64> [1 2] -"},
		{Auto, []put{aShort}, "fixed_size_list<float32>[1] [1]"},
		{Auto, []put{aShort, aList}, "list<float64> [1] [1 2]"},
		{Auto, []put{aList, aShort}, "list<float64> [1 2] [1]"},
		{Auto, []put{aNull, aNull}, "float64 - -"},
		{Int, []put{aNull}, "int64 -"},
		{Int, []put{aBool, anInt}, "int64 1 1"},
		{Float, []put{anInt, aBool, aFloat}, "float64 1 1 1.5"},
		{Bool, []put{anInt, aBool}, "bool true true"},
		{Text, []put{anInt, aUint, aFloat, aBool, aText}, "utf8 1 9223372036854775808 1.5 true x"},
		{Time, []put{anInt, aTime, aNull}, "timestamp[us, tz=UTC] 1970-01-01 00:00:00.001Z 1970-01-01 00:00:01Z -"},
		{Vector, []put{bytes4, aList}, "list<float64> [1] [1 2]"},
		{Vector, []put{aNull}, "list<float64> -"},
	} {
		names := []string{string(c.pin)}
		for _, v := range c.values {
			names = append(names, v.name)
		}
		t.Run(strings.Join(names, " "), func(t *testing.T) {
			got, err := build(NewLayout(Spec{Types: map[string]Type{"a": c.pin}}), c.values...)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Replace(c.want, "utf8", "string", 1)
			if text := columnText(got); text != want {
				t.Errorf("%s, want %s", text, want)
			}
			if f := got.Record().Schema().Field(0); Inferred(f) != (c.pin == Auto) {
				t.Errorf("inferred %t", Inferred(f))
			}
		})
	}
}

// With Lists, all vectors have the same type.
func TestLists(t *testing.T) {
	l := NewLayout(Spec{Lists: true, Types: map[string]Type{"a": Vector}})
	for _, values := range [][]put{{aList, aList}, {aShort}, {aNull}, {bytes4}} {
		got, err := build(l, values...)
		if err != nil || got.At(0).DataType() != "list<float64>" {
			t.Errorf("%v, %v", columnText(got), err)
		}
	}
}

// A table depends only on its rows and not on earlier tables of the builder, and it does not change
// when the builder is reused.
func TestPure(t *testing.T) {
	all := []put{aNull, aBool, anInt, aUint, aFloat, aText, aTime, aList, aShort, bytes4, gone}
	message := rapid.SliceOfN(rapid.SampledFrom(all), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		spec := Spec{Types: map[string]Type{"a": rapid.SampledFrom(append(Types(), Auto)).Draw(t, "pin")}}
		if rapid.Bool().Draw(t, "named") {
			spec.Paths = []string{"a", "b"}
		}
		used := NewLayout(spec)
		type kept struct {
			table *table.Table
			text  string
		}
		var before []kept
		for range 4 {
			values := message.Draw(t, "values")
			got, err := build(used, values...)
			fresh, wanted := build(NewLayout(spec), values...)
			if fmt.Sprint(err) != fmt.Sprint(wanted) {
				t.Fatalf("%v, alone %v", err, wanted)
			}
			if err != nil {
				continue
			}
			if columnText(got) != columnText(fresh) || !got.Record().Schema().Equal(fresh.Record().Schema()) {
				t.Errorf("%s, alone %s", columnText(got), columnText(fresh))
			}
			before = append(before, kept{got, columnText(got)})
		}
		for _, k := range before {
			if columnText(k.table) != k.text {
				t.Errorf("a table became %s, it was %s", columnText(k.table), k.text)
			}
		}
	})
}

// Columns are in the order of the spec, or else of the first row that has them.
func TestOrder(t *testing.T) {
	names := func(spec Spec) string {
		b := NewLayout(spec).Builder()
		for _, row := range []string{"cb", "abc"} {
			for _, name := range row {
				b.Int(b.Root().Child([]byte(string(name))), 1)
			}
			b.EndRow()
		}
		got, err := b.Table(table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(got.Names(), "")
	}
	if got := names(Spec{}); got != "cba" {
		t.Errorf("columns %s", got)
	}
	if got := names(Spec{Paths: []string{"b", "d", "a"}}); got != "bda" {
		t.Errorf("columns %s", got)
	}
}

// The number of names outside the spec is bounded in each message, and such names are not kept for
// ever.
func TestNamesAreBounded(t *testing.T) {
	l := NewLayout(Spec{Limits: Limits{Fields: 4}})
	b := l.Builder()
	for i := range 100 {
		for k := range 4 {
			b.Int(b.Root().Child(fmt.Appendf(nil, "%d-%d", i, k)), 1)
		}
		b.EndRow()
		if _, err := b.Table(table.Origin{}); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		b.Reset()
		if len(b.byPath) > 12 || len(b.root.children) > 12 {
			t.Fatalf("message %d: %d names are kept", i, len(b.byPath))
		}
	}
	for k := range 5 {
		b.Root().Child(fmt.Appendf(nil, "%d", k))
	}
	if _, err := b.Table(table.Origin{}); err == nil || !strings.Contains(err.Error(), "more than 4 fields") {
		t.Errorf("%v", err)
	}
}

// Once detects a repeated field within an object, but not across objects.
func TestOnce(t *testing.T) {
	b := NewLayout(Spec{}).Builder()
	for range 2 {
		n := b.Root().Child([]byte("a"))
		if !n.Once(1) || n.Once(1) || !n.Once(2) {
			t.Error("fields of objects are mixed up")
		}
		b.Reset()
	}
	if (*Node)(nil).Once(1) != true {
		t.Error("a field that nobody wants comes once")
	}
}
