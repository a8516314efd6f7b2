package table_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/table"
)

// A path may lead into a column whose parts are unknown, but not beside known parts.
func TestMay(t *testing.T) {
	s := table.Schema{
		{Name: "id", Kind: table.Text}, {Name: "scores", Kind: table.Other}, {Name: "vector", Kind: table.Vector},
		{Name: "place", Kind: table.Other, Parts: table.Schema{{Name: "x", Kind: table.Number}}},
	}
	for name, want := range map[string]bool{
		"id": true, "scores": true, "scores.a": true, "place.x": true, "place.y": false, "vector.0": false, "score": false, "id.a": false, "": false,
	} {
		if s.May(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// A schema reports the possible uses of each column, with the Arrow type and our own term.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		dt   arrow.DataType
		name string
		kind table.Kind
		dim  int
	}{
		{arrow.Null, "null", table.Other, 0},
		{arrow.FixedWidthTypes.Boolean, "bool", table.Bool, 0},
		{arrow.PrimitiveTypes.Int8, "int8", table.Number, 0},
		{arrow.PrimitiveTypes.Uint64, "uint64", table.Number, 0},
		{arrow.FixedWidthTypes.Float16, "float16", table.Number, 0},
		{f64, "float64", table.Number, 0},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, "decimal(5, 2)", table.Number, 0},
		{&arrow.Decimal256Type{Precision: 50, Scale: 2}, "decimal256(50, 2)", table.Number, 0},
		{text, "string", table.Text, 0},
		{arrow.BinaryTypes.LargeString, "large_string", table.Text, 0},
		{arrow.BinaryTypes.Binary, "binary", table.Other, 0},
		{arrow.FixedWidthTypes.Date32, "date32", table.Time, 0},
		{arrow.FixedWidthTypes.Date64, "date64", table.Time, 0},
		{arrow.FixedWidthTypes.Time32s, "time32[s]", table.Time, 0},
		{arrow.FixedWidthTypes.Time64us, "time64[us]", table.Time, 0},
		{arrow.FixedWidthTypes.Timestamp_ms, "timestamp[ms, tz=UTC]", table.Time, 0},
		{arrow.FixedWidthTypes.Duration_ns, "duration[ns]", table.Time, 0},
		{arrow.ListOf(f32), "list<float32>", table.Vector, 0},
		{arrow.LargeListOf(arrow.PrimitiveTypes.Int16), "large_list<int16>", table.Vector, 0},
		{arrow.FixedSizeListOf(3, f32), "fixed_size_list<float32>[3]", table.Vector, 3},
		{arrow.ListOf(text), "list<string>", table.Other, 0},
		{arrow.FixedSizeListOf(2, text), "fixed_size_list<string>[2]", table.Other, 2},
		{arrow.ListOf(arrow.ListOf(f32)), "list<list<float32>>", table.Other, 0},
		{&arrow.DictionaryType{IndexType: i8, ValueType: text}, "dictionary<values=utf8, indices=int8, ordered=false>", table.Text, 0},
		{&arrow.DictionaryType{IndexType: i8, ValueType: f64}, "dictionary<values=float64, indices=int8, ordered=false>", table.Number, 0},
		{&arrow.DictionaryType{IndexType: i8, ValueType: arrow.ListOf(f32)}, "dictionary<values=list<item: float32, nullable>, indices=int8, ordered=false>", table.Other, 0},
		{foreignOf(f64), "extension_type<storage=float64>", table.Number, 0},
		{foreignOf(arrow.ListOf(f32)), "extension_type<storage=list<item: float32, nullable>>", table.Vector, 0},
	} {
		for _, nullable := range []bool{false, true} {
			s := table.Describe(arrow.NewSchema([]arrow.Field{{Name: "a", Type: c.dt, Nullable: nullable}}, nil))
			f := s[0]
			if f.Name != "a" || f.Type != c.name || f.Kind != c.kind || f.Dim != c.dim || f.Nullable != nullable || f.Index || f.Parts != nil || f.Encoded() != c.kind {
				t.Errorf("%s: %+v", c.dt, f)
			}
			if s.String() != "a "+c.name {
				t.Errorf("%s: %s", c.dt, s)
			}
		}
	}
	s := table.Describe(arrow.NewSchema([]arrow.Field{field("a", i64), field("b", arrow.StructOf(field("", f64)))}, nil))
	if s.String() != "a int64, b struct<: float64>" || !slices.Equal(s.Names(), []string{"a", "b"}) || s[1].Parts[0].Index || s[1].Parts[0].Kind != table.Number || s.Index("b") != 1 || s.Index("c") != -1 {
		t.Errorf("%s: %+v", s, s)
	}
	if empty := table.Describe(arrow.NewSchema([]arrow.Field{field("b", arrow.StructOf())}, nil)); empty[0].Parts != nil {
		t.Errorf("a struct without fields has parts %v", empty[0].Parts)
	}
	if odd := (table.Field{Kind: table.Text, Odd: &table.Odd{Kind: table.Number}}); odd.Encoded() != table.Number {
		t.Errorf("a column of numbers with an odd text is encoded as a %v", odd.Encoded())
	}
}

// Kinds are written and read by name.
func TestKinds(t *testing.T) {
	for k, name := range []string{"other", "number", "boolean", "text", "vector", "time", "sparse vector"} {
		written, err := json.Marshal(table.Kind(k))
		var read table.Kind = -1
		if err == nil {
			err = json.Unmarshal(written, &read)
		}
		if err != nil || string(written) != `"`+name+`"` || read != table.Kind(k) {
			t.Errorf("%s is written as %s and read as %v, %v", name, written, read, err)
		}
	}
	k := table.Time
	if err := k.UnmarshalText([]byte("numbers")); err == nil || err.Error() != `"numbers" is no kind of column` || k != table.Time {
		t.Errorf("%v, %v", k, err)
	}
}

// pandas' names of an index are recognised where they can be an index.
func TestIndexNames(t *testing.T) {
	for _, c := range []struct {
		name string
		at   int
		want bool
	}{
		{"", 0, true}, {"", 1, false}, {"Unnamed: 0", 0, true}, {"Unnamed: 0", 1, false}, {"Unnamed", 0, false}, {"id", 0, false},
		{"__index_level_0__", 0, true}, {"__index_level_0__", 3, true}, {"__index_level_0", 0, false}, {"index__", 0, false},
	} {
		if table.IsIndexName(c.name, c.at) != c.want {
			t.Errorf("%q as column %d: %v", c.name, c.at, !c.want)
		}
	}
}

// A name that several columns share is refused, with their positions and types.
func TestAmbiguous(t *testing.T) {
	s := table.Schema{{Name: "a", Type: "int64"}, {Name: "b", Type: "string"}, {Name: "a", Type: "string"}, {Name: "p", Type: "struct", Parts: table.Schema{{Name: "x"}}}, {Name: "p", Type: "other"}, {Name: "q"}, {Name: "q"}}
	for name, want := range map[string]string{
		"a": `column "a": columns 1 (int64) and 3 (string) have this name, and it is not known which is meant; rename all but one of them`,
		"b": "", "c": "", "a.x": "", "q.x": "",
		"p.x": `column "p": columns 4 (struct) and 5 (other) have this name`,
	} {
		err := s.Ambiguous(name, here)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, expected %s", name, err, want)
		}
	}
}

// The error for a value that does not fit its column gives row and line.
func TestOddValue(t *testing.T) {
	odd := &table.Odd{Kind: table.Number, Text: "n/a", Row: 4, Line: 6, Of: 100, Fit: 99}
	for want, f := range map[string]table.Field{
		`x.csv: row 5 (line 6), column "a": "n/a" is not a number; 99 of the 100 values looked at are: correct this one, leave the column out, say that it holds categories: --types a=string; or that this stands for no value: --missing-values 'n/a'`: {Name: "a", Odd: odd},
		`x.csv: row 1 (line 2), column "a": "x" is not a boolean; because`: {Name: "a", Odd: &table.Odd{Kind: table.Bool, Text: "x", Line: 2, Why: "because"}},
	} {
		if e := here.OddValue(f); e == nil || e.Error() != want {
			t.Errorf("%v, want %s", e, want)
		}
	}
	if e := here.OddValue(table.Field{Name: "a"}); e != nil {
		t.Errorf("no odd value: %v", e)
	}
}
