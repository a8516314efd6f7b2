package table_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/table"
)

// entries is a type of sparse vectors as a list of entries.
func entries(index, value arrow.DataType) arrow.DataType {
	return arrow.StructOf(field("index", index), field("value", value))
}

// pair is a type of sparse vectors as two lists, with more fields.
func pair(index, value arrow.DataType, more ...arrow.Field) arrow.DataType {
	return arrow.StructOf(append([]arrow.Field{field("indices", arrow.ListOf(index)), field("values", arrow.ListOf(value))}, more...)...)
}

// spark is the type of Spark's vectors.
var spark = pair(i32, f64, field("size", i32), field("type", i8))

// drawn is a sparse vector: entries in any order.
type drawn struct {
	Index []int     `json:"indices"`
	Value []float64 `json:"values"`
}

func (d drawn) full(dim int) []float32 {
	out := make([]float32, dim)
	for p, j := range d.Index {
		out[j] = float32(d.Value[p])
	}
	return out
}

// pairs returns the entries as objects with these names.
func (d drawn) pairs(index, value string) any {
	out := []map[string]any{}
	for p := range d.Index {
		out = append(out, map[string]any{index: d.Index[p], value: d.Value[p]})
	}
	return out
}

// Sparse vectors of every layout and type, whole or sliced, are read in order of the index. Dense,
// they equal the vectors that were written.
func TestSparseVectors(t *testing.T) {
	const dim = 20
	rng := rand.New(rand.NewPCG(5, 0))
	all := make([]drawn, 9)
	for i := range all {
		d := drawn{[]int{}, []float64{}}
		for _, j := range rng.Perm(dim)[:min(i, 1+rng.IntN(6))] {
			d.Index, d.Value = append(d.Index, j), append(d.Value, float64(1+rng.IntN(9)))
		}
		all[i] = d
	}
	type layout struct {
		dt    arrow.DataType
		write func(d drawn) any
		sized bool
	}
	var layouts []layout
	asPairs := func(d drawn) any { return d.pairs("index", "value") }
	for _, index := range []arrow.DataType{i8, i32, i64, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint64} {
		for _, value := range []arrow.DataType{f64, f32, i32, arrow.PrimitiveTypes.Uint8} {
			layouts = append(layouts,
				layout{arrow.ListOf(entries(index, value)), asPairs, false},
				layout{arrow.LargeListOf(arrow.StructOf(field("value", value), field("index", index))), asPairs, false},
				layout{arrow.ListViewOf(entries(index, value)), asPairs, false},
				layout{arrow.MapOf(index, value), func(d drawn) any { return d.pairs("key", "value") }, false},
				layout{pair(index, value), func(d drawn) any { return d }, false},
				layout{arrow.StructOf(field("size", i64), field("values", arrow.LargeListOf(value)), field("indices", arrow.LargeListOf(index))), func(d drawn) any {
					return map[string]any{"size": dim, "indices": d.Index, "values": d.Value}
				}, true})
		}
	}
	layouts = append(layouts, layout{spark, func(d drawn) any {
		return map[string]any{"type": 0, "size": dim, "indices": d.Index, "values": d.Value}
	}, true}, layout{spark, func(d drawn) any {
		return map[string]any{"type": 1, "size": nil, "indices": nil, "values": d.full(dim)}
	}, true})
	for _, l := range layouts {
		var written []any
		for _, d := range all {
			written = append(written, l.write(d))
		}
		text, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		a := fromJSON(t, l.dt, string(text))
		for _, from := range []int{0, 4, len(all)} {
			for _, c := range []table.Column{table.NewColumn("c", a), table.NewColumn("c", foreign(a))} {
				c = c.Slice(from, len(all))
				if c.Kind() != table.SparseVector {
					t.Fatalf("%s is a %v", l.dt, c.Kind())
				}
				sameSparse(t, c, all[from:], dim, l.sized)
			}
		}
	}
}

// sameSparse compares a column with the vectors that were written.
func sameSparse(t *testing.T, c table.Column, want []drawn, dim int, sized bool) {
	t.Helper()
	rows := table.NewSparseRows(c, here, false)
	filled := slices.Repeat([]float32{-1}, c.Len()*dim)
	if err := table.CopyVectors(filled, dim, c, here, false); err != nil {
		t.Fatalf("%s: %v", c.DataType(), err)
	}
	for i, d := range want {
		if err := rows.Read(i, dim); err != nil {
			t.Fatalf("%s: %v", c.DataType(), err)
		}
		full, width := d.full(dim), dim
		if !sized {
			width = 1 + slices.Max(append(d.Index, -1))
		}
		got := make([]float32, dim)
		for p, j := range rows.Index {
			got[j] = float32(rows.Value[p])
		}
		inOrder := slices.IsSorted(rows.Index) && (len(rows.Index) == len(d.Index) || len(rows.Index) == dim)
		if !inOrder || !slices.Equal(got, full) || rows.Width() != width || rows.Lacks(i) || rows.IsNull(i) || sized != (rows.Size == dim) || !sized && rows.Size != 0 {
			t.Errorf("%s: row %d: %v %v of %d, want %v", c.DataType(), i, rows.Index, rows.Value, rows.Width(), d)
		}
		if !slices.Equal(filled[i*dim:(i+1)*dim], full) {
			t.Errorf("%s: row %d is filled as %v, want %v", c.DataType(), i, filled[i*dim:(i+1)*dim], full)
		}
		if err := rows.ReadOf(i, dim); err != nil {
			t.Errorf("%s: %v", c.DataType(), err)
		}
	}
}

// Types that resemble sparse vectors are not read as such.
func TestSparseTypes(t *testing.T) {
	for _, c := range []struct {
		dt   arrow.DataType
		want table.Kind
	}{
		{arrow.MapOf(i32, f32), table.SparseVector},
		{arrow.MapOf(text, f32), table.Other},
		{arrow.MapOf(i32, text), table.Other},
		{arrow.MapOf(f32, f32), table.Other},
		{arrow.ListOf(entries(i64, f32)), table.SparseVector},
		{arrow.FixedSizeListOf(2, entries(i64, f32)), table.SparseVector},
		{arrow.ListOf(entries(f64, f32)), table.Other},
		{arrow.ListOf(entries(i64, text)), table.Other},
		{arrow.ListOf(arrow.StructOf(field("at", i64), field("value", f32))), table.Other},
		{arrow.ListOf(arrow.StructOf(field("index", i64), field("weight", f32))), table.Other},
		{arrow.ListOf(arrow.StructOf(field("index", i64), field("value", f32), field("more", i64))), table.Other},
		{pair(i32, f32), table.SparseVector},
		{pair(i32, f32, field("size", i64)), table.SparseVector},
		{pair(i32, f32, field("type", i64)), table.SparseVector},
		{spark, table.SparseVector},
		{pair(i32, f32, field("size", f64)), table.Other},
		{pair(i32, f32, field("more", i64)), table.Other},
		{pair(f32, f32), table.Other},
		{pair(i32, text), table.Other},
		{arrow.StructOf(field("indices", i32), field("values", arrow.ListOf(f32))), table.Other},
		{arrow.StructOf(field("indices", arrow.ListOf(i32)), field("value", arrow.ListOf(f32))), table.Other},
		{arrow.StructOf(field("indices", arrow.ListOf(i32)), field("values", f32)), table.Other},
		{entries(i32, f32), table.Other},
		{foreignOf(arrow.MapOf(i32, f32)), table.SparseVector},
		{&arrow.DictionaryType{IndexType: i8, ValueType: arrow.MapOf(i32, f32)}, table.Other},
	} {
		if got := table.KindOf(c.dt); got != c.want {
			t.Errorf("%s is a %v, want a %v", c.dt, got, c.want)
		}
	}
	for typ, hinted := range map[string]bool{"list<struct<at: int64, weight: float64>>": true, "map<utf8, float32>": true, "list<map<utf8, utf8>>": false, "string": false, "": false} {
		if hint := table.SparseHint(typ); strings.Contains(hint, "struct<index, value>") != hinted || (hint == "") == hinted {
			t.Errorf("%s: hint %q", typ, hint)
		}
	}
}

// The error for a bad sparse vector names row and index. The bad vector is in the second row.
func TestSparseVectorsThatAreNotWhole(t *testing.T) {
	list, two, sized := arrow.ListOf(entries(i64, f64)), pair(i64, f64), pair(arrow.PrimitiveTypes.Uint64, f64, field("size", i64))
	good := map[arrow.DataType]string{list: `[{"index": 0, "value": 1}]`, two: `{"indices": [0], "values": [1]}`,
		sized: `{"indices": [0], "values": [1], "size": 5}`, spark: `{"type": 0, "size": 5, "indices": [0], "values": [1]}`}
	const ok = ""
	for _, c := range []struct {
		dt        arrow.DataType
		row       string
		want      string // for a row of at most 5 elements
		of        string // for a row of 5 elements
		asMissing string // where values may be missing
	}{
		{list, `null`, "the vector is null; drop such rows, or write an empty one where all values are 0", "the vector is null", "the vector is null"},
		{list, `[]`, ok, ok, ok},
		{list, `[{"index": 4, "value": 1}]`, ok, ok, ok},
		{list, `[{"index": 5, "value": 1}]`, "index 5 of the vector is too large; vectors have at most 5 elements", "index 5 of the vector is beyond its 5 elements; indices count from 0; every vector", "too large"},
		{list, `[{"index": -1, "value": 1}]`, "index -1 of the vector is below 0; indices count from 0", "below 0", "below 0"},
		{list, `[{"index": null, "value": 1}]`, "an entry of the vector has no index; drop such entries", "has no index", "has no index"},
		{list, `[{"index": 3, "value": null}]`, "element 3 of the vector is null; drop such rows (missing drop), or fill them (missing mean)", "element 3 of the vector is null", ok},
		{list, `[{"index": 3, "value": 1e300}]`, "element 3 of the vector is 1e+300; values must be finite", "1e+300", "element 3 of the vector is 1e+300"},
		{list, `[{"index": 3, "value": 1}, {"index": 2, "value": 1}, {"index": 3, "value": 2}]`, "index 3 comes twice in the vector; add its values, or keep one of them", "index 3 comes twice", "comes twice"},
		{list, `[{"index": 1, "value": 1}, {"index": 1, "value": 1}]`, "index 1 comes twice", "index 1 comes twice", "comes twice"},
		{two, `null`, "the vector is null", "the vector is null", "the vector is null"},
		{two, `{"indices": null, "values": null}`, "the vector is null", "the vector is null", "the vector is null"},
		{two, `{"indices": [1, 2], "values": [1]}`, "the vector has 2 indices and 1 values; write as many values as indices", "2 indices and 1 values", "2 indices and 1"},
		{two, `{"indices": [1], "values": [1, 2]}`, "the vector has 1 indices and 2 values", "1 indices and 2 values", "1 indices and 2"},
		{two, `{"indices": null, "values": []}`, "the vector has 0 indices and 0 values", "0 indices and 0 values", "0 indices"},
		{two, `{"indices": [], "values": null}`, "the vector has 0 indices and 0 values", "0 indices and 0 values", "0 indices"},
		{two, `{"indices": [1], "values": [null]}`, "element 1 of the vector is null", "element 1 of the vector is null", ok},
		{sized, `{"indices": [1], "values": [1], "size": 6}`, "the vector has 6 elements, more than 5", "the vector has 6 elements, 5 are expected; every vector", "more than 5"},
		{sized, `{"indices": [1], "values": [1], "size": 4}`, ok, "the vector has 4 elements, 5 are expected", ok},
		{sized, `{"indices": [4], "values": [1], "size": 4}`, "index 4 of the vector is beyond its 4 elements", "the vector has 4 elements, 5 are expected", "beyond its 4"},
		{sized, `{"indices": [4], "values": [1], "size": null}`, ok, ok, ok},
		{sized, `{"indices": [4], "values": [1], "size": 0}`, ok, ok, ok},
		{sized, `{"indices": [4], "values": [1], "size": -1}`, "the vector's size is -1", "the vector's size is -1", "size is -1"},
		{sized, `{"indices": [4], "values": [1], "size": 2147483648}`, "the vector's size is 2147483648", "the vector's size is 2147483648", "size is 2147483648"},
		{sized, `{"indices": [4], "values": [1], "size": 2147483647}`, "the vector has 2147483647 elements, more than 5", "2147483647 elements, 5 are expected", "more than 5"},
		{sized, `{"indices": [9223372036854775808], "values": [1], "size": null}`, "index 9223372036854775808 of the vector is too large", "index 9223372036854775808 of the vector is beyond its 5", "too large"},
		{spark, `{"type": 1, "size": null, "indices": null, "values": [1, 2, 3, 4, 5]}`, ok, ok, ok},
		{spark, `{"type": 1, "size": null, "indices": null, "values": [1, 2, 3, 4, 5, 6]}`, "the vector has 6 elements, more than 5", "the vector has 6 elements, 5 are expected", "more than 5"},
		{spark, `{"type": 2, "size": 5, "indices": [1], "values": [1]}`, "the vector is of type 2, not 0 (sparse) or 1 (in full)", "of type 2", "of type 2"},
		{spark, `{"type": null, "size": 5, "indices": [1], "values": [1]}`, ok, ok, ok},
		{spark, `{"type": 1, "size": null, "indices": null, "values": [1, 2, null, 4, 5]}`, "element 2 of the vector is null", "element 2 of the vector is null", ok},
	} {
		column := column(t, c.dt, "["+good[c.dt]+", "+c.row+"]")
		for _, try := range []struct {
			what    string
			missing bool
			read    func(r *table.SparseRows) error
			want    string
		}{
			{"at most 5", false, func(r *table.SparseRows) error { return r.Read(1, 5) }, c.want},
			{"5", false, func(r *table.SparseRows) error { return r.ReadOf(1, 5) }, c.of},
			{"at most 5, some missing", true, func(r *table.SparseRows) error { return r.Read(1, 5) }, c.asMissing},
		} {
			r := table.NewSparseRows(column, here, try.missing)
			if err := r.Read(0, 5); err != nil {
				t.Errorf("%s %s: row 0: %v", c.dt, c.row, err)
			}
			err := try.read(r)
			if try.want == ok && err != nil || try.want != ok && (err == nil || !strings.Contains(err.Error(), `x.csv: row 12, column "c": `) || !strings.Contains(err.Error(), try.want)) {
				t.Errorf("%s %s, %s: error %v, expected %q", c.dt, c.row, try.what, err, try.want)
			}
			null := c.row == "null" || strings.Contains(c.row, `"indices": null, "values": null`)
			if r.IsNull(1) != null || r.IsNull(0) || r.Lacks(0) || r.Lacks(1) != (null || strings.Contains(c.row, `"value": null`) || strings.Contains(c.row, `null]`) || strings.Contains(c.row, "2, null, 4")) {
				t.Errorf("%s %s: null %v, a value is missing %v", c.dt, c.row, r.IsNull(1), r.Lacks(1))
			}
		}
		err := table.CopyVectors(make([]float32, 10), 5, column, here, false)
		if (err == nil) != (c.of == ok) || err != nil && !strings.Contains(err.Error(), c.of) {
			t.Errorf("%s %s, filled: error %v, expected %q", c.dt, c.row, err, c.of)
		}
	}
}

// NaN and null are missing values, and stay NaN where they are allowed.
func TestSparseHoles(t *testing.T) {
	c := column(t, arrow.ListOf(entries(i64, f64)), `[[{"index": 2, "value": null}, {"index": 0, "value": 7}]]`)
	r := table.NewSparseRows(c, here, true)
	if err := r.Read(0, 3); err != nil || !slices.Equal(r.Index, []int32{0, 2}) || r.Value[0] != 7 || !math.IsNaN(r.Value[1]) || !r.Lacks(0) || r.Width() != 3 {
		t.Errorf("%v %v, %v", r.Index, r.Value, err)
	}
	values := table.Float64Column("", []float64{1, math.NaN(), math.Inf(1)})
	from := func(i int) table.Column { // two vectors of one value each
		list := func(c table.Column) arrow.Array { return table.FixedList(2, 1, c.Array()) }
		return table.NewColumn("c", structOf(t, []string{"indices", "values"}, list(table.Int64Column("", []int64{0, 3})), list(values.Slice(i, i+2))))
	}
	// The indices are stored apart from their values.
	offsets := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v)) }
	apart := func(values table.Column, at ...int32) arrow.Array {
		return array.MakeFromData(array.NewData(arrow.ListOf(values.Array().DataType()), 2, []*memory.Buffer{nil, offsets(at...)}, []arrow.ArrayData{values.Array().Data()}, 0, 0))
	}
	r = table.NewSparseRows(table.NewColumn("c", structOf(t, []string{"indices", "values"},
		apart(table.Int64Column("", []int64{9, 9, 1, 2, 0}), 2, 4, 5), apart(table.Float64Column("", []float64{5, 6, 7}), 0, 2, 3))), here, false)
	if err := r.Read(0, 3); err != nil || !slices.Equal(r.Index, []int32{1, 2}) || !slices.Equal(r.Value, []float64{5, 6}) {
		t.Errorf("%v %v, %v", r.Index, r.Value, err)
	}
	if err := r.Read(1, 3); err != nil || !slices.Equal(r.Index, []int32{0}) || !slices.Equal(r.Value, []float64{7}) {
		t.Errorf("%v %v, %v", r.Index, r.Value, err)
	}
	r = table.NewSparseRows(from(0), here, true)
	if r.Width() != 0 {
		t.Errorf("before a row was read the width is %d", r.Width())
	}
	if err := r.Read(1, 4); err != nil || !math.IsNaN(r.Value[0]) || !r.Lacks(1) || r.Lacks(0) {
		t.Errorf("%v %v, %v", r.Index, r.Value, err)
	}
	wantError(t, table.NewSparseRows(from(0), here, false).Read(1, 4), "element 3 of the vector is NaN")
	wantError(t, table.NewSparseRows(from(1), here, true).Read(1, 4), "element 3 of the vector is +Inf")
}
