package table_test

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/table"
)

// texts returns a column of texts; "null" is a null.
func texts(values ...string) table.Column {
	b := array.NewStringBuilder(table.Heap)
	for _, v := range values {
		if v == "null" {
			b.AppendNull()
		} else {
			b.Append(v)
		}
	}
	return table.NewColumn("c", b.NewArray())
}

// raw returns a column of bytes; nil is a null.
func raw(values ...[]byte) table.Column {
	return bytesColumn(array.NewBinaryBuilder(table.Heap, arrow.BinaryTypes.Binary), values)
}

// fixedBytes returns a column of bytes of one length; nil is a null.
func fixedBytes(width int, values ...[]byte) table.Column {
	return bytesColumn(array.NewFixedSizeBinaryBuilder(table.Heap, &arrow.FixedSizeBinaryType{ByteWidth: width}), values)
}

// bytesColumn returns the column that a builder makes of bytes; nil is a null.
func bytesColumn(b interface {
	array.Builder
	Append([]byte)
}, values [][]byte) table.Column {
	for _, v := range values {
		if v == nil {
			b.AppendNull()
		} else {
			b.Append(v)
		}
	}
	return table.NewColumn("c", b.NewArray())
}

// singles and doubles are the little-endian bytes of numbers.
func singles(values ...float32) (out []byte) {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func doubles(values ...float64) (out []byte) {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// Texts are vectors if the first 64 that are not null are in brackets. The first of them must
// contain at least two numbers, or be shortened.
func TestDisguiseOfTexts(t *testing.T) {
	many := func(n int, last string) []string { return append(slices.Repeat([]string{"[1, 2]"}, n), last) }
	for _, c := range []struct {
		values []string
		form   string
	}{
		{[]string{"[1, 2]", "[3, 4]"}, "text"},
		{[]string{"null", " ", "", " [1 2] "}, "text"},
		{[]string{"[1 2 ... 8 9]"}, "text"},
		{[]string{"[1, 2]", "[x]", "[1]"}, "text"}, // only the first is parsed
		{many(64, "none"), "text"},
		{append([]string{"null"}, many(64, "none")...), "text"},
		{many(63, "none"), ""},
		{[]string{"plain", "text"}, ""},
		{[]string{"[1]"}, ""},
		{[]string{"[x, y]"}, ""},
		{[]string{"[]"}, ""},
		{[]string{"[1, 2"}, ""},
		{[]string{"1, 2]"}, ""},
		{[]string{"[1, 2]", "1, 2"}, ""},
		{[]string{"[1, 2]", "[]"}, ""},
		{[]string{"null", ""}, ""},
		{[]string{"(1.5, 2.25, 3)", "(4.5, 5, 6.5)"}, "text"},
		{[]string{"{1.5,2.5,3}"}, "text"},
		{[]string{"(255, 0, 0)", "(0, 128, 255)"}, ""}, // colours
		{[]string{"{1,2,3}", "{7}"}, ""},               // sets
		{[]string{"(1.5, 2.5)"}, ""},                   // a pair
		{[]string{"{\"a\": 1, \"b\": 2, \"c\": 3}"}, ""},
		{[]string{"array([1.5, 2.5], dtype=float32)", "array([1., 2.])"}, "text"},
		{[]string{"tensor([[0.5, 1.5]], device='cuda:0')"}, "text"},
		{[]string{"0.5;1.5;2;3.5", "", "1.5;2.5;0.25;1"}, "text"},
		{[]string{"0.5 1.5 2 3.5", "1.5 2.5 0.25 1"}, "text"},
		{[]string{"0.5 1.5 2 3.5", "1.5 2.5 0.25"}, ""},
		{[]string{"030 123 456 78", "040 987 654 32"}, ""},
		{[]string{"1 sentence. of. words."}, ""},
		{[]string{base64.StdEncoding.EncodeToString(singles(1.5, -2.5, 0.25, 3, 1.25, 7)), base64.StdEncoding.EncodeToString(singles(0.5, 1.25, -0.125, 2, -9, 1.75))}, "base64 of float32"},
		{[]string{"c2hvcnQgdGV4dHMgaW4gYmFzZTY0IGFyZSBubyB2ZWN0b3Jz"}, ""},
		{[]string{"d41d8cd98f00b204e9800998ecf8427e", "9e107d9d372bb6826bd81d3542a419d6"}, ""}, // hashes
		{nil, ""},
	} {
		if got := table.DisguiseOf(texts(c.values...)); got.Form != c.form {
			t.Errorf("%d texts %.40q: %q, want %q", len(c.values), c.values, got.Form, c.form)
		}
	}
	words := fromJSON(t, text, `["[1, 2]", "[3, 4]"]`)
	for name, c := range map[string]struct {
		a    arrow.Array
		form string
	}{
		"large text":         {fromJSON(t, arrow.BinaryTypes.LargeString, `["[1, 2]"]`), "text"},
		"dictionary":         {coded(t, words, `[1, 0, null]`), "text"},
		"extension":          {foreign(foreign(words)), "text"},
		"numbers":            {fromJSON(t, i64, `[1, 2]`), ""},
		"dictionary numbers": {coded(t, fromJSON(t, i64, `[1, 2]`), `[1, 0]`), ""},
	} {
		if got := table.DisguiseOf(table.NewColumn("c", c.a)); got.Form != c.form {
			t.Errorf("%s: %q, want %q", name, got.Form, c.form)
		}
	}
}

// Bytes of one length are the numbers whose exponents vary least. Text, hashes, other lengths and
// too few bytes are no numbers.
func TestDisguiseOfBytes(t *testing.T) {
	const half = 0x3c00 // 1 as float16
	halves := func(v ...uint16) (out []byte) {
		for _, x := range v {
			out = binary.LittleEndian.AppendUint16(out, x)
		}
		return out
	}
	six := func(b []byte) [][]byte { return slices.Repeat([][]byte{b}, 6) }
	nan, single := float32(math.NaN()), singles(1.2345, 2.3456)
	for name, c := range map[string]struct {
		rows [][]byte
		form string
	}{
		"float32":                      {[][]byte{singles(1.2345, -2.3456, .7), nil, singles(3.21, 1.11, -.99)}, "float32"},
		"float64":                      {[][]byte{doubles(1.2345, -2.3456, .7), doubles(3.21, 1.11, -.99)}, "float64"},
		"float16":                      {[][]byte{halves(half, half+77, half-123, half+9, half-3, half+1), halves(half, half+77, half-123, half+9, half-3, half+1)}, "float16"},
		"as well float16":              {slices.Repeat([][]byte{halves(0x4400, 0x4400, 0x4400, 0x4400)}, 4), "float32"},
		"4 bytes are enough":           {six(halves(half, half+300)), "float16"},
		"3 bytes":                      {slices.Repeat([][]byte{{1, 2, 3}}, 9), ""},
		"23 bytes":                     {[][]byte{append(singles(1.1, 1.2, 1.3, 1.4, 1.5), 1, 2, 3)}, ""},
		"24 bytes":                     {[][]byte{single, single, single}, "float32"},
		"two lengths":                  {[][]byte{singles(1.1, 1.2, 1.3, 1.4, 1.5, 1.6), single}, ""},
		"another length in row 65":     {append(slices.Repeat([][]byte{single}, 64), []byte{1}), "float32"},
		"another length in row 64":     {append(slices.Repeat([][]byte{single}, 63), []byte{1}), ""},
		"printed":                      {six([]byte("~ @@ @@@")), ""},
		"printed and more":             {six([]byte("\x7f @@@ @@")), "float32"},
		"printed and less":             {six([]byte("\x1f @@@ @@")), "float32"},
		"hashes":                       {[][]byte{{0x8f, 0x1c, 0xe3, 0x02, 0x5a, 0x93, 0x7d, 0x6e, 0xb1, 0x24, 0xf8, 0x3d}, {0x01, 0xca, 0x33, 0x52, 0x6a, 0x17, 0x3d, 0xfe, 0x44, 0x94, 0x08, 0x9d}}, ""},
		"not a number":                 {six(append(single, singles(nan, nan)...)), ""},
		"zeros":                        {six(make([]byte, 8)), ""},
		"none":                         {[][]byte{nil, nil}, ""},
		"a quarter of low halves 0":    {[][]byte{singles(0, 1.5, 1.25, 1.75, 0, 1.5, 1.25, 1.75)}, "float64"},
		"fewer low halves 0":           {[][]byte{singles(0, 1.5111, 1.2511, 1.7511, 1.1311, 1.5211, 1.2711, 1.7911)}, "float32"},
		"zeros at three of four evens": {[][]byte{singles(0, 0, 0, 0, 0, 0, 0, 1.1111, 1.2111, 1.3111)}, "float32"},
		"zeros at two of four evens":   {[][]byte{singles(0, 0, 0, 0, 0, 1.4111, 0, 1.1111, 1.2111, 1.3111)}, "float64"},
	} {
		if got := table.DisguiseOf(raw(c.rows...)); got.Form != c.form {
			t.Errorf("%s: %q, want %q", name, got.Form, c.form)
		}
	}
	large := array.NewBinaryBuilder(table.Heap, arrow.BinaryTypes.LargeBinary)
	for range 6 {
		large.Append(single)
	}
	for _, c := range []table.Column{fixedBytes(8, six(single)...), table.NewColumn("c", large.NewArray())} {
		if got := table.DisguiseOf(c); got.Form != "float32" {
			t.Errorf("%s: %q", c.DataType(), got.Form)
		}
	}
}

// Lists of exactly one list of numbers are vectors, and so are matrices of one shape.
func TestDisguiseOfLists(t *testing.T) {
	nested := arrow.ListOf(arrow.ListOf(f32))
	const one = "[[1, 2]]"
	for _, c := range []struct {
		dt     arrow.DataType
		values string
		form   string
	}{
		{nested, `[[[1, 2]], null, [[3, 4]]]`, "list of one list"},
		{nested, `[` + strings.Repeat(one+", ", 64) + `[[1], [2]]]`, "list of one list"},
		{nested, `[` + strings.Repeat(one+", ", 63) + `[[1], [2]]]`, ""},
		{nested, `[[[1, 2]], [[1], [2]]]`, ""},
		{nested, `[[[1, 2], [3, 4]], null, [[5, 6], [7, 8]]]`, "list of 2 lists"},
		{nested, `[[[1, 2], [3, 4]], [[5], [7]]]`, ""},
		{nested, `[[[1, 2]], []]`, ""},
		{nested, `[[null]]`, ""},
		{nested, `[null]`, ""},
		{arrow.ListOf(arrow.ListOf(text)), `[[["a"]]]`, ""},
		{arrow.ListOf(f32), `[[1, 2]]`, ""},
	} {
		if got := table.DisguiseOf(column(t, c.dt, c.values)); got.Form != c.form {
			t.Errorf("%s %.40s: %q, want %q", c.dt, c.values, got.Form, c.form)
		}
	}
}

func TestParseVector(t *testing.T) {
	nan := math.NaN()
	for in, want := range map[string][]float64{
		"array([1, 2], dtype=float32)": {7, 1, 2}, "tensor([1.5,\n 2.])": {7, 1.5, 2}, "{1,2}": {7, 1, 2}, "(1; 2)": {7, 1, 2}, "1;2": {7, 1, 2},
		"[1, 2.5, -3e2]": {7, 1, 2.5, -300}, " [[1 2\n 3]] ": {7, 1, 2, 3}, "1 2": {7, 1, 2}, "1,2": {7, 1, 2}, "[1\t2\r\n3]": {7, 1, 2, 3},
		"[null, None, NaN, 4]": {7, nan, nan, nan, 4}, "[]": {7}, "": {7}, "[ ]": {7}, "[[]]": {7}, "[5]": {7, 5}, "[ 1 , 2 ]": {7, 1, 2},
	} {
		got, err := table.ParseVector([]float64{7}, in)
		if err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Errorf("%q: %v, %v, want %v", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"[1 2 ... 3]": "has been shortened", "[1, …, 3]": "has been shortened", "[1, ...3]": "has been shortened",
		"[1, x]": `"x" in the list is not a number`, "[1,,2]": `"" in the list is not a number`, "[[[1]]]": `"[1]" in the list`, "[1, nil]": `"nil"`,
	} {
		if got, err := table.ParseVector(nil, in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", in, got, err, want)
		}
	}
}

func disguise(form string) table.Disguise {
	return table.Disguise{Form: form, Lists: map[string]int{"list of one list": 1, "list of 2 lists": 2}[form]}
}

// Disguised vectors are returned value by value. Empty texts and nulls are missing vectors, and
// errors name the row.
func TestDisguisedVectors(t *testing.T) {
	nested := arrow.ListOf(arrow.ListOf(f32))
	for name, c := range map[string]struct {
		form string
		c    table.Column
		want string // as JSON
	}{
		"text":    {"text", texts("[1, 2.5]", "null", "", "[3 null]"), `[[1,2.5],null,null,[3,"NaN"]]`},
		"float16": {"float16", raw([]byte{0, 0x3c, 0, 0x40}), `[[1,2]]`},
		"float32": {"float32", raw(singles(1, -2.5), nil, singles(3, 4)), `[[1,-2.5],null,[3,4]]`},
		"float64": {"float64", raw(doubles(1, -2.1)), `[[1,-2.1]]`},
		"base64":  {"base64 of float32", texts(base64.StdEncoding.EncodeToString(singles(1, -2.5)), "", base64.StdEncoding.EncodeToString(singles(3, 4))), `[[1,-2.5],null,[3,4]]`},
		"fixed":   {"float32", fixedBytes(8, singles(1, -2.5), nil), `[[1,-2.5],null]`},
		"lists":   {"list of one list", column(t, nested, `[[[1, 2]], null, [], [[3, null]], [[]]]`), `[[1,2],null,null,[3,"NaN"],[]]`},
		"matrix":  {"list of 2 lists", column(t, nested, `[[[1, 2], [3, 4]], null, [[5, null], [7, 8]]]`), `[[1,2,3,4],null,[5,"NaN",7,8]]`},
		"foreign": {"list of one list", table.NewColumn("c", foreign(fromJSON(t, nested, `[[[9, 9]], [[1, 2]]]`))).Slice(1, 2), `[[1,2]]`},
	} {
		got, err := disguise(c.form).Vectors(c.c, here)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Name() != "c" || got.Kind() != table.Vector || jsonOf(got) != c.want {
			t.Errorf("%s: %s %s of kind %v, want %s", name, got.Name(), jsonOf(got), got.Kind(), c.want)
		}
	}
	for name, c := range map[string]struct {
		form string
		c    table.Column
		want string
	}{
		"text":    {"text", texts("[1, 2]", "[3, x]"), `row 12, column "c": "x" in the list is not a number`},
		"bytes":   {"float32", raw(singles(1), []byte{1, 2, 3}), `row 12, column "c": 3 bytes are no whole number of float32`},
		"lists":   {"list of one list", column(t, nested, `[[[1]], null, [[1], [2]]]`), `row 13, column "c": 2 lists are there`},
		"no list": {"list of one list", column(t, arrow.ListOf(f32), `[[1]]`), `column "c": its lists hold no lists`},
	} {
		_, err := disguise(c.form).Vectors(c.c, here)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		wantError(t, err, c.want)
	}
}

// jsonOf returns the lists of a column as JSON, with NaN as a text.
func jsonOf(c table.Column) string {
	out := make([]string, c.Len())
	each := table.VectorRows(c)
	for i := range out {
		out[i] = "null"
		if c.IsNull(i) {
			continue
		}
		var values []string
		for _, v := range each(i) {
			values = append(values, numberText(v))
		}
		out[i] = "[" + strings.Join(values, ",") + "]"
	}
	return "[" + strings.Join(out, ",") + "]"
}

func numberText(v float64) string {
	if v != v {
		return `"NaN"`
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Swap replaces one column and keeps the others, their order and the table it was called on.
func TestSwap(t *testing.T) {
	old, err := table.NewTable(here, texts("a", "b"), table.Int64Column("n", []int64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	swapped := old.Swap(0, table.StringColumn("d", []string{"x", "y"}))
	d, is := swapped.Column("d")
	n, kept := swapped.Column("n")
	if !is || !kept || rows(d) != "x|y" || rows(n) != "1|2" || !slices.Equal(swapped.Names(), []string{"d", "n"}) || swapped.Len() != 2 {
		t.Errorf("columns %v", swapped.Names())
	}
	if c, is := old.Column("c"); !is || rows(c) != "a|b" {
		t.Errorf("the table itself has %v", old.Names())
	}
}
