package table_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/table"
)

// nestedTable returns a table of structs in structs, with nulls at each level and fields of every
// buffer layout.
func nestedTable(t *testing.T) *table.Table {
	t.Helper()
	inner := arrow.StructOf(field("x", f64), arrow.Field{Name: "n", Type: i64}, field("w", text))
	outer := arrow.StructOf(field("in", inner), field("l", arrow.ListOf(f64)), arrow.Field{Name: "in.x", Type: i64}, field("nothing", arrow.Null), field("a.b", i64))
	a := fromJSON(t, outer, `[
		{"in": {"x": 1.5, "n": 1, "w": "a"}, "l": [1, 2], "in.x": 10, "nothing": null, "a.b": 7},
		null,
		{"in": null, "l": null, "in.x": 30, "nothing": null, "a.b": 8},
		{"in": {"x": null, "n": 4, "w": null}, "l": [], "in.x": 40, "nothing": null, "a.b": null}]`)
	tbl, err := table.NewTable(here, table.Int64Column("id", []int64{1, 2, 3, 4}), table.NewColumn("p", a), table.StringColumn("p.in.w", []string{"own", "w", "e", "r"}),
		column(t, arrow.MapOf(i64, f64), `[[], [], [], []]`).Renamed("s"))
	if err != nil {
		t.Fatal(err)
	}
	return tbl
}

// Fields of structs are columns with dotted paths, null where the struct is null. A column whose
// own name has the dots takes precedence.
func TestParts(t *testing.T) {
	tbl := nestedTable(t)
	for _, c := range []struct{ path, want string }{
		{"id", "1|2|3|4"},
		{"p.in.x", "10|null|30|40"}, // the field "in.x" of p
		{"p.in.n", "1|null|null|4"},
		{"p.in.w", "own|w|e|r"}, // a column of that name
		{"p.in", "{x:1.5 n:1 w:a}|null|null|{x:null n:4 w:null}"},
		{"p.l", "[1 2]|null|null|[]"},
		{"p.nothing", "null|null|null|null"},
		{"p.a.b", "7|null|8|null"},
	} {
		for from := range 4 {
			for to := from; to <= 4; to++ {
				part := tbl.Slice(from, to)
				got, ok := part.Column(c.path)
				need, err := part.Need(c.path)
				if !ok || err != nil || got.Name() != c.path || rows(got) != rows(need) {
					t.Fatalf("%s: %q %v, %v", c.path, got.Name(), ok, err)
				}
				whole, _ := tbl.Column(c.path)
				if rows(got) != rows(whole.Slice(from, to)) || got.Array().NullN() != count(got) {
					t.Errorf("%s, rows %d to %d: %s with %d nulls, want %s", c.path, from, to, rows(got), got.Array().NullN(), rows(whole.Slice(from, to)))
				}
			}
		}
		got, _ := tbl.Column(c.path)
		if rows(got) != c.want {
			t.Errorf("%s: %s, want %s", c.path, rows(got), c.want)
		}
		f, ok := tbl.Schema().Find(c.path)
		if !ok || f.Name != c.path || f.Type != got.DataType() || f.Nullable != got.ArrowField().Nullable || f.Kind != got.Kind() || f.Index {
			t.Errorf("%s: field %+v of a column of type %s (nullable: %v)", c.path, f, got.DataType(), got.ArrowField().Nullable)
		}
		if slices.Contains([]string{"p.in.x", "p.in.n"}, c.path) && !f.Nullable {
			t.Errorf("%s is not nullable, but its struct is", c.path)
		}
	}
	for _, path := range []string{"p.", "p.in.z", "l", "in.n", "n", "p.n", "q", "q.in", "id.x", "p.l.x", "", "p.in.n.x", "s.x"} {
		if c, ok := tbl.Column(path); ok {
			t.Errorf("%q is column %q", path, c.Name())
		}
		if _, ok := tbl.Schema().Find(path); ok {
			t.Errorf("%q is a field", path)
		}
		_, err := tbl.Need(path)
		wantError(t, err, "there is no such column; ")
	}
	sure := table.NewColumn("s", structOf(t, []string{"x"}, fromJSON(t, i64, `[1]`)))
	plain, err := table.NewTable(here, sure)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := plain.Schema().Find("s.x")
	c, _ := plain.Column("s.x")
	deep, err := table.NewTable(here, table.NewColumn("r", structOf(t, []string{"s"}, sure.Array())))
	if err != nil {
		t.Fatal(err)
	}
	maybe, err := table.NewTable(here, table.NewColumn("r", structOf(t, []string{"s"}, sure.Array())).Nullable())
	if err != nil {
		t.Fatal(err)
	}
	of := func(tbl *table.Table, path string) bool { c, _ := tbl.Column(path); return c.ArrowField().Nullable }
	if nonNull := arrow.StructOf(arrow.Field{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: i64})}); true {
		for nullable, want := range map[bool]bool{false: false, true: true} {
			schema := arrow.NewSchema([]arrow.Field{{Name: "r", Type: nonNull, Nullable: nullable}}, nil)
			tbl := table.OfRecord(here, array.NewRecord(schema, []arrow.Array{fromJSON(t, nonNull, `[{"s": {"x": 1}}]`)}, 1))
			f, _ := tbl.Schema().Find("r.s.x")
			if of(tbl, "r.s.x") != want || of(tbl, "r.s") != want || f.Nullable != want {
				t.Errorf("a field of structs that may be null (%v) is nullable: %v and %v", nullable, of(tbl, "r.s.x"), f.Nullable)
			}
		}
	}
	if !of(maybe, "r.s") || !of(maybe, "r.s.x") {
		t.Error("a field of a column that may be null is not nullable")
	}
	// Without null structs the field is returned unchanged.
	if c, _ := plain.Column("s.x"); c.Array() != sure.Array().(*array.Struct).Field(0) {
		t.Error("a field was copied")
	}
	inner, _ := deep.Column("r.s.x")
	if inner.ArrowField().Nullable != c.ArrowField().Nullable || rows(inner) != "1" || f.Nullable != c.ArrowField().Nullable {
		t.Errorf("%+v and %+v, %s", f, c.ArrowField(), rows(inner))
	}
}

// count is the number of null rows.
func count(c table.Column) (n int) {
	for i := range c.Len() {
		if c.IsNull(i) {
			n++
		}
	}
	return n
}

// Indices of a dictionary in a struct are null where the struct is null, and otherwise keep their
// words.
func TestPartsThatAreDictionaries(t *testing.T) {
	words := coded(t, fromJSON(t, text, `["a", "b"]`), `[1, 0, null, 1]`)
	for _, offset := range []int64{0, 1} {
		data := array.NewData(arrow.StructOf(field("w", words.DataType())), 4, fromJSON(t, i64, `[1, null, 1, 1]`).Data().Buffers()[:1], []arrow.ArrayData{words.Data()}, 1, 0)
		c := table.NewColumn("s", array.NewSlice(array.MakeFromData(data), offset, 4))
		tbl, err := table.NewTable(here, c)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := tbl.Column("s.w")
		if want := "b|null|null|b"[2*min(offset, 1):]; !ok || offset == 0 && rows(got) != want || offset == 1 && rows(got) != "null|null|b" {
			t.Errorf("from %d: %s", offset, rows(got))
		}
	}
}

// A schema with structs flattened: every name once, and sparse vectors kept.
func TestFlat(t *testing.T) {
	tbl := nestedTable(t)
	s := tbl.Schema()
	if got, want := fmt.Sprint(s.Flat().Names()), "[id p.in.n p.l p.in.x p.nothing p.a.b p.in.w s]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, f := range s.Flat() {
		if c, ok := tbl.Column(f.Name); !ok || c.Kind() != f.Kind || f.Type != c.DataType() {
			t.Errorf("%+v", f)
		}
	}
	if f, _ := s.Flat().Find("p.in.n"); !f.Nullable {
		t.Error("a field of a struct that may be null is not nullable")
	}
	if f, _ := s.Flat().Find("id"); f.Nullable {
		t.Error("a column without nulls is nullable")
	}
	if got := s.Of(table.Number); !slices.Equal(got, []string{"id", "p.in.n", "p.in.x", "p.a.b"}) {
		t.Errorf("numbers: %q", got)
	}
	if got := s.Of(table.Text, table.Vector, table.SparseVector); !slices.Equal(got, []string{"p.l", "p.in.w", "s"}) {
		t.Errorf("text and vectors: %q", got)
	}
	if got := s.Of(); got != nil {
		t.Errorf("of no kind: %q", got)
	}
	sized, err := table.NewTable(here, table.NewColumn("v", fromJSON(t, spark, `[null]`)))
	if err != nil {
		t.Fatal(err)
	}
	if got := sized.Schema().Flat().Names(); !slices.Equal(got, []string{"v"}) {
		t.Errorf("the fields of a sparse vector are columns: %q", got)
	}
	if _, ok := sized.Schema().Find("v.size"); !ok {
		t.Error("the fields of a sparse vector are not found")
	}
}
