package table_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// code is the type of dictionary-encoded text.
var code = arrow.DataType(&arrow.DictionaryType{IndexType: i8, ValueType: text})

// nested lists types that contain text, lists and dictionaries.
var nested = []arrow.DataType{
	arrow.StructOf(field("l", arrow.ListOf(text)), field("n", arrow.PrimitiveTypes.Int16)),
	arrow.ListOf(arrow.StructOf(field("s", arrow.BinaryTypes.LargeString))),
	arrow.LargeListOf(text), arrow.FixedSizeListOf(3, text), arrow.FixedSizeListOf(3, arrow.FixedWidthTypes.Boolean),
	arrow.MapOf(i32, arrow.ListOf(text)), arrow.ListOf(code), arrow.StructOf(field("d", code)), arrow.ListViewOf(text),
	arrow.ListOf(arrow.LargeListOf(arrow.BinaryTypes.LargeBinary)),
}

// Columns of every type, sliced anywhere, keep their values. Their buffers start at the first row
// and their counts of nulls are correct.
func TestSoundColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for _, dt := range slices.Concat(ingesttest.Types, nested) {
		b := array.NewBuilder(table.Heap, dt)
		for range 11 {
			ingesttest.Append(b, rng, true)
		}
		a := b.NewArray()
		forms := []arrow.Array{a, shifted(t, a), recut(shifted(t, a)), miscounted(a, a.Len()), miscounted(a, 0)}
		if dt.ID() != arrow.NULL && dt.ID() != arrow.DICTIONARY { // Arrow has no nested types of these
			forms = append(forms, foreign(a))
		}
		for _, a := range forms {
			for from := range a.Len() + 1 {
				for _, to := range []int{from, from + 1, a.Len()} {
					if to > a.Len() {
						continue
					}
					want := table.NewColumn("c", a).Slice(from, to)
					got, err := table.SoundColumn(want, here, false)
					if err != nil {
						t.Fatalf("%s: %v", a.DataType(), err)
					}
					if g, w := plainly(got.Array()), plainly(want.Array()); g != w {
						t.Errorf("%s, rows %d to %d: %s, want %s", a.DataType(), from, to, g, w)
					}
					if problem := unsound(got.Array()); problem != "" {
						t.Errorf("%s, rows %d to %d: %s", a.DataType(), from, to, problem)
					}
					if missing := got.Array().NullN() > 0; missing && !got.ArrowField().Nullable {
						t.Errorf("%s, rows %d to %d: its field is not nullable", a.DataType(), from, to)
					}
				}
			}
		}
	}
	if c, err := table.SoundColumn(table.Column{}, here, false); err != nil || c.Valid() {
		t.Errorf("no column became %v, %v", c, err)
	}
	// Valid columns are not copied.
	for _, dt := range []arrow.DataType{arrow.Null, f64, text, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.ListOf(text), arrow.StructOf(field("s", text)), code} {
		b := array.NewBuilder(table.Heap, dt)
		for range 5 {
			ingesttest.Append(b, rng, false)
		}
		forms := []arrow.Array{b.NewArray()}
		if dt != code && dt != arrow.Null {
			forms = append(forms, foreign(forms[0]))
		}
		for _, a := range forms {
			if c, err := table.SoundColumn(table.NewColumn("c", a), here, true); err != nil || c.Array() != a {
				t.Errorf("%s: it was copied, %v", a.DataType(), err)
			}
		}
	}
}

// shifted returns the same values, with lists and text stored between other values.
func shifted(t *testing.T, a arrow.Array) arrow.Array {
	t.Helper()
	if d, ok := a.(*array.Dictionary); ok {
		return array.NewDictionaryArray(a.DataType(), d.Indices(), shifted(t, d.Dictionary()))
	}
	more := array.NewBuilder(table.Heap, a.DataType())
	for range 3 {
		ingesttest.Append(more, rand.New(rand.NewPCG(3, 0)), false)
	}
	around := more.NewArray()
	whole, err := array.Concatenate([]arrow.Array{around, a, around}, table.Heap)
	if err != nil {
		return a // of types that Arrow cannot join
	}
	return array.NewSlice(whole, 3, int64(3+a.Len()))
}

// recut returns a slice as other programs write it: its first offset is not 0, and its buffers
// begin with it.
func recut(a arrow.Array) arrow.Array {
	data, width := a.Data(), 4
	switch a := a.(type) {
	case *array.Dictionary:
		return array.NewDictionaryArray(a.DataType(), a.Indices(), recut(a.Dictionary()))
	case *array.LargeString, *array.LargeBinary, *array.LargeList:
		width = 8
	case *array.String, *array.Binary, *array.List, *array.Map:
	default:
		return a
	}
	buffers := append(table.ValidityOf(data), memory.NewBufferBytes(data.Buffers()[1].Bytes()[width*data.Offset():]))
	return array.MakeFromData(array.NewData(a.DataType(), a.Len(), append(buffers, data.Buffers()[2:]...), data.Children(), a.NullN(), 0))
}

// miscounted returns an array with a wrong count of nulls, where its type allows one.
func miscounted(a arrow.Array, nulls int) arrow.Array {
	data := a.Data()
	if data.Buffers()[0] == nil || a.DataType().ID() == arrow.NULL {
		return a
	}
	if d, ok := a.(*array.Dictionary); ok {
		return array.NewDictionaryData(array.NewDataWithDictionary(a.DataType(), a.Len(), data.Buffers(), nulls, data.Offset(), d.Dictionary().Data().(*array.Data)))
	}
	return array.MakeFromData(array.NewData(a.DataType(), a.Len(), data.Buffers(), data.Children(), nulls, data.Offset()))
}

// plainly returns the rows of an array, read by Arrow's accessors alone.
func plainly(a arrow.Array) string {
	var b strings.Builder
	for i := range a.Len() {
		b.WriteString(plain(a, i) + "|")
	}
	return b.String()
}

func plain(a arrow.Array, i int) string {
	if e, ok := a.(array.ExtensionArray); ok {
		return plain(e.Storage(), i)
	}
	if bits := a.NullBitmapBytes(); len(bits) > 0 && bits[(a.Data().Offset()+i)/8]>>((a.Data().Offset()+i)%8)&1 == 0 {
		return "null"
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return plain(a.Dictionary(), a.GetValueIndex(i))
	case *array.Struct:
		var parts []string
		for k := range a.NumField() {
			parts = append(parts, plain(a.Field(k), i))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case array.ListLike:
		var parts []string
		from, to := a.ValueOffsets(i)
		for k := from; k < to; k++ {
			parts = append(parts, plain(a.ListValues(), int(k)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case *array.Null:
		return "null"
	}
	return a.ValueStr(i)
}

// unsound describes why other readers would refuse an array; "" if they would not.
func unsound(a arrow.Array) string {
	data, n := a.Data(), a.Len()
	nulls := 0
	if bits := a.NullBitmapBytes(); len(bits) > 0 {
		for i := range n {
			if k := data.Offset() + i; bits[k/8]>>(k%8)&1 == 0 {
				nulls++
			}
		}
		if nulls != a.NullN() {
			return fmt.Sprintf("%s has %d nulls, not %d", a.DataType(), nulls, a.NullN())
		}
	}
	first, last, values := int64(0), int64(-1), arrow.Array(nil)
	switch a := a.(type) {
	case array.ExtensionArray:
		return unsound(a.Storage())
	case *array.Dictionary:
		if a.Dictionary().Data().Offset() != 0 {
			return "a dictionary begins behind the beginning"
		}
		return unsound(a.Dictionary())
	case *array.Struct:
		if data.Offset() != 0 {
			return "structs begin behind the beginning"
		}
		for k := range a.NumField() {
			if f := a.Field(k); f.Len() != n {
				return "a field has other rows"
			} else if problem := unsound(f); problem != "" {
				return problem
			}
		}
		return ""
	case *array.String:
		if n > 0 {
			first = int64(a.ValueOffset(0))
		}
	case *array.LargeString:
		if n > 0 {
			first = a.ValueOffset(0)
		}
	case *array.Binary:
		if n > 0 {
			first = a.ValueOffset64(0)
		}
	case *array.LargeBinary:
		if n > 0 {
			first = a.ValueOffset64(0)
		}
	case array.ListLike:
		values = a.ListValues()
		if n > 0 {
			first, _ = a.ValueOffsets(0)
			_, last = a.ValueOffsets(n - 1)
		}
		if id := a.DataType().ID(); id == arrow.LIST_VIEW || id == arrow.LARGE_LIST_VIEW {
			return unsound(values)
		}
		if n > 0 && last != int64(values.Len()) {
			return fmt.Sprintf("%s has %d elements, rows have %d", a.DataType(), values.Len(), last)
		}
	default:
		return ""
	}
	if first != 0 || n > 0 && data.Offset() != 0 {
		return fmt.Sprintf("%s begins at %d with %d", a.DataType(), data.Offset(), first)
	}
	if values != nil {
		return unsound(values)
	}
	return ""
}

// Text that is not UTF-8, also within other types, is refused with its row or replaced. Other
// values outside their type are refused only, since they cannot be replaced.
func TestUnsoundValues(t *testing.T) {
	raw := func(dt arrow.DataType, b ...byte) arrow.Array {
		return array.MakeFromData(array.NewData(dt, 2, []*memory.Buffer{nil, memory.NewBufferBytes(b)}, nil, 0, 0))
	}
	words := func(values ...string) arrow.Array { return table.StringColumn("", values).Array() }
	large := func(values ...string) arrow.Array {
		b := array.NewLargeStringBuilder(table.Heap)
		b.AppendValues(values, nil)
		return b.NewArray()
	}
	list := func(values arrow.Array, offsets ...int32) arrow.Array {
		return array.MakeFromData(array.NewData(arrow.ListOf(values.DataType()), len(offsets)-1,
			[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}, []arrow.ArrayData{values.Data()}, 0, 0))
	}
	halves := words("é", "x").Data() // each half of a rune is a row
	half := array.MakeFromData(array.NewData(text, 2, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 2})), halves.Buffers()[2]}, nil, 0, 0))
	hidden := array.NewData(text, 3, append([]*memory.Buffer{memory.NewBufferBytes([]byte{0b101})}, words("a", "\xff", "b").Data().Buffers()[1:]...), nil, 1, 0)
	decimal := func(low byte) arrow.Array {
		return raw(&arrow.Decimal128Type{Precision: 2}, append(make([]byte, 16), low, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)...)
	}
	decimal256 := func(low byte) arrow.Array {
		return raw(&arrow.Decimal256Type{Precision: 2}, append(append(make([]byte, 32), low), make([]byte, 31)...)...)
	}
	seconds := func(v int32) arrow.Array {
		return raw(arrow.FixedWidthTypes.Time32s, arrow.Int32Traits.CastToBytes([]int32{0, v})...)
	}
	millis := func(v int32) arrow.Array {
		return raw(arrow.FixedWidthTypes.Time32ms, arrow.Int32Traits.CastToBytes([]int32{0, v})...)
	}
	micros := func(v int64) arrow.Array {
		return raw(arrow.FixedWidthTypes.Time64us, arrow.Int64Traits.CastToBytes([]int64{0, v})...)
	}
	nanos := func(v int64) arrow.Array {
		return raw(arrow.FixedWidthTypes.Time64ns, arrow.Int64Traits.CastToBytes([]int64{0, v})...)
	}
	date := func(v int64) arrow.Array {
		return raw(arrow.FixedWidthTypes.Date64, arrow.Int64Traits.CastToBytes([]int64{v, 0})...)
	}
	key := fromJSON(t, text, `["a", null]`).Data() // it claims to have no null
	key = array.NewData(text, 2, key.Buffers(), nil, 0, 0)
	keys := structOf(t, []string{"key", "value"}, array.MakeFromData(key), fromJSON(t, i64, `[1, 2]`))
	nullKey := array.MakeFromData(array.NewData(arrow.MapOf(text, i64), 1, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 2}))}, []arrow.ArrayData{keys.Data()}, 0, 0))
	const day = 24 * 60 * 60
	const fine = -2
	for name, c := range map[string]struct {
		a       arrow.Array
		row     int64 // -1: of the whole column
		problem string
		becomes string // with invalid text replaced; "" if that is an error too
	}{
		"text":                       {words("a", "b\xff\xfec", "d"), 11, "the text is not UTF-8", "a|b\uFFFDc|d"},
		"the first":                  {words("\xff", "b"), 10, "not UTF-8", "\uFFFD|b"},
		"large text":                 {large("a", "\xff"), 11, "not UTF-8", "a|\uFFFD"},
		"large text beside nulls":    {concat(t, fromJSON(t, arrow.BinaryTypes.LargeString, `[null, "x"]`), large("\xff")), 12, "not UTF-8", "null|x|\uFFFD"},
		"half a rune":                {half, 10, "not UTF-8", "\uFFFD|\uFFFD"},
		"beside nulls":               {concat(t, fromJSON(t, text, `["a", null]`), words("\xff")), 12, "not UTF-8", "a|null|\uFFFD"},
		"under a null":               {array.MakeFromData(hidden), fine, "", "a|null|b"},
		"a rune at the end":          {words("a", "é", ""), fine, "", "a|é|"},
		"text without bytes":         {array.MakeFromData(array.NewData(text, 2, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 12)), nil}, nil, 0, 0)), fine, "", "|"},
		"text without rows":          {array.MakeFromData(array.NewData(text, 0, []*memory.Buffer{nil, nil, memory.NewBufferBytes([]byte("x"))}, nil, 0, 0)), fine, "", ""},
		"in a list behind none":      {list(words("\xff"), 0, 0, 1), 11, "not UTF-8", "[]|[\uFFFD]"},
		"a null in a list":           {list(structOf(t, []string{"a"}, fromJSON(t, i64, `[null, 1]`)), 0, 2), fine, "", "[{a:null} {a:1}]"},
		"only empty text":            {words("", ""), fine, "", "|"},
		"a dictionary's value":       {coded(t, words("a", "\xc3"), `[0, 0, 1]`), 12, "not UTF-8", "a|a|\uFFFD"},
		"beside a dictionary's null": {coded(t, words("a", "\xc3"), `[null, 0, 1]`), 12, "not UTF-8", "null|a|\uFFFD"},
		"a value that no row has":    {coded(t, words("a", "\xc3"), `[0, 0]`), -1, "not UTF-8", "a|a"},
		"in a list":                  {list(words("a", "b", "\xc3", "d"), 0, 2, 2, 4), 12, "not UTF-8", "[a b]|[]|[\uFFFD d]"},
		"at the end of a list":       {list(words("a", "\xc3", "c"), 0, 2, 3), 10, "not UTF-8", "[a \uFFFD]|[c]"},
		"at the beginning of one":    {list(words("a", "b", "\xc3"), 0, 2, 3), 11, "not UTF-8", "[a b]|[\uFFFD]"},
		"in a list behind others":    {list(words("x", "a", "\xc3", "c"), 1, 2, 4), 11, "not UTF-8", "[a]|[\uFFFD c]"},
		"in an element of no row":    {list(words("\xff", "a", "b", "\xff"), 1, 2, 3), fine, "", "[a]|[b]"},
		"in a list of lists":         {list(list(words("a", "b", "\xc3"), 0, 1, 2, 3), 0, 1, 3), 11, "not UTF-8", "[[a]]|[[b] [\uFFFD]]"},
		"in a list of dictionaries":  {list(coded(t, words("a", "\xc3"), `[0, 0, 1]`), 0, 2, 3), 11, "not UTF-8", "[a a]|[\uFFFD]"},
		"in a struct":                {structOf(t, []string{"n", "s"}, fromJSON(t, i64, `[1, 2]`), words("a", "\xff")), 11, "not UTF-8", "{n:1 s:a}|{n:2 s:\uFFFD}"},
		"in a foreign type":          {foreign(words("a", "\xff")), 11, "not UTF-8", "a|\uFFFD"},
		"a key that is null":         {nullKey, -1, "a key of a map is null", ""},
		"a second too late":          {seconds(day), 11, "the time lies outside of a day", ""},
		"a second before midnight":   {seconds(-1), 11, "the time lies outside of a day", ""},
		"the last second":            {seconds(day - 1), fine, "", "00:00:00|23:59:59"},
		"midnight":                   {seconds(0), fine, "", "00:00:00|00:00:00"},
		"milliseconds":               {millis(day * 1e3), 11, "the time lies outside of a day", ""},
		"the last millisecond":       {millis(day*1e3 - 1), fine, "", "00:00:00.000|23:59:59.999"},
		"microseconds":               {micros(day * 1e6), 11, "the time lies outside of a day", ""},
		"microseconds below 0":       {micros(-1), 11, "the time lies outside of a day", ""},
		"the last microsecond":       {micros(day*1e6 - 1), fine, "", "00:00:00.000000|23:59:59.999999"},
		"nanoseconds":                {nanos(day * 1e9), 11, "the time lies outside of a day", ""},
		"the last nanosecond":        {nanos(day*1e9 - 1), fine, "", "00:00:00.000000000|23:59:59.999999999"},
		"part of a day":              {date(1), 10, "the date is not a whole number of days", ""},
		"a day":                      {date(day * 1000), fine, "", "1970-01-02|1970-01-01"},
		"three digits of two":        {decimal(100), 11, "the number has more than 2 digits", ""},
		"two digits":                 {decimal(99), fine, "", "0|99"},
		"three digits of two, long":  {decimal256(100), 11, "the number has more than 2 digits", ""},
		"two digits, long":           {decimal256(99), fine, "", "0|99"},
		"39 digits":                  {raw(&arrow.Decimal128Type{Precision: 39}, make([]byte, 32)...), -1, "decimal has 1 to 38 digits, not 39", ""},
		"38 digits":                  {raw(&arrow.Decimal128Type{Precision: 38}, make([]byte, 32)...), fine, "", "0|0"},
		"no digits":                  {raw(&arrow.Decimal128Type{Precision: 0}, make([]byte, 32)...), -1, "decimal has 1 to 38 digits, not 0", ""},
		"one digit":                  {raw(&arrow.Decimal128Type{Precision: 1}, make([]byte, 32)...), fine, "", "0|0"},
		"77 digits":                  {raw(&arrow.Decimal256Type{Precision: 77}, make([]byte, 64)...), -1, "decimal256 has 1 to 76 digits, not 77", ""},
		"76 digits":                  {raw(&arrow.Decimal256Type{Precision: 76}, make([]byte, 64)...), fine, "", "0|0"},
	} {
		got, err := table.SoundColumn(table.NewColumn("c", c.a), here, false)
		var e *table.Error
		if bad := errors.As(err, &e); bad == (c.row == fine) || bad && (e.Row != c.row || e.Column != "c" || e.Problem != c.problem && !strings.HasSuffix(e.Problem, c.problem) || e.Hint == "") {
			t.Errorf("%s: error %v", name, err)
		} else if !bad && rows(got) != c.becomes {
			t.Errorf("%s: it is %q, want %q", name, rows(got), c.becomes)
		}
		got, err = table.SoundColumn(table.NewColumn("c", c.a), here, true)
		if (err != nil) != (c.becomes == "" && c.a.Len() > 0) {
			t.Errorf("%s: replaced: %v", name, err)
		}
		if err == nil && (rows(got) != c.becomes || unsound(got.Array()) != "") {
			t.Errorf("%s: it becomes %q, want %q; %s", name, rows(got), c.becomes, unsound(got.Array()))
		}
	}
	if c, err := table.SoundColumn(column(t, i64, `[1]`).Nullable(), here, false); err != nil || !c.ArrowField().Nullable {
		t.Errorf("a column whose values may be missing is not nullable any more: %v", err)
	}
	// A null may hide any bytes.
	late := array.NewData(arrow.FixedWidthTypes.Time32s, 2, []*memory.Buffer{memory.NewBufferBytes([]byte{0b01}), seconds(day).Data().Buffers()[1]}, nil, 1, 0)
	if c, err := table.SoundColumn(table.NewColumn("c", array.MakeFromData(late)), here, false); err != nil || rows(c) != "00:00:00|null" {
		t.Errorf("a time under a null: %s, %v", rows(c), err)
	}
}

// concat joins arrays of one type.
func concat(t *testing.T, parts ...arrow.Array) arrow.Array {
	t.Helper()
	a, err := array.Concatenate(parts, table.Heap)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Input that the Arrow library cannot read is refused with the library's error.
func TestUnreadableColumn(t *testing.T) {
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 1 << 30}))
	broken := array.MakeFromData(array.NewData(arrow.ListOf(i64), 2, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{fromJSON(t, i64, `[1]`).Data()}, 0, 0))
	_, err := table.SoundColumn(table.NewColumn("c", broken), here, true)
	wantError(t, err, `column "c": it cannot be passed on: it is beyond the Arrow library: `)
}

// The bitmap of an array has one bit for each of its own rows, starting with the first.
func TestValidity(t *testing.T) {
	a := fromJSON(t, i64, `[null, 1, null, 2, 3, null, null, 4, null, 5, 6, null]`)
	for from := range a.Len() {
		for to := from; to <= a.Len(); to++ {
			s := array.NewSlice(a, int64(from), int64(to))
			bits := table.ValidityOf(s.Data())
			if len(bits) != 1 {
				t.Fatalf("%d buffers", len(bits))
			}
			for i := range s.Len() {
				if valid := bits[0] == nil || bits[0].Bytes()[i/8]>>(i%8)&1 == 1; valid == s.IsNull(i) {
					t.Errorf("rows %d to %d: row %d is valid: %v", from, to, i, valid)
				}
			}
		}
	}
}

// Without nulls there is no bitmap.
func TestNoValidity(t *testing.T) {
	if bits := table.ValidityOf(fromJSON(t, i64, `[1, 2]`).Data()); len(bits) != 1 || bits[0] != nil {
		t.Errorf("%v", bits)
	}
}

// Tight returns the rows of a slice and nothing else.
func TestTight(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for _, dt := range slices.Concat(ingesttest.Types, nested) {
		b := array.NewBuilder(table.Heap, dt)
		for range 9 {
			ingesttest.Append(b, rng, true)
		}
		slice := array.NewSlice(b.NewArray(), 3, 7)
		if slice.DataType().ID() == arrow.NULL {
			continue
		}
		got, err := table.Tight(slice)
		if strings.Contains(dt.String(), "view") {
			continue // written columns have no views
		}
		if err != nil || plainly(got) != plainly(slice) || unsound(got) != "" {
			t.Errorf("%s: %s, want %s; %v %s", dt, plainly(got), plainly(slice), err, unsound(got))
		}
		if _, isStruct := got.(*array.Struct); !isStruct && got.Data().Offset() != 0 {
			t.Errorf("%s: it begins at %d", dt, got.Data().Offset())
		}
	}
	values := array.NewSlice(fromJSON(t, text, `["x", "a", "b"]`), 1, 3)
	got, err := table.Tight(array.NewSlice(coded(t, values, `[0, 1, null]`), 1, 3))
	if err != nil || plainly(got) != "b|null|" || unsound(got) != "" || got.(*array.Dictionary).Indices().Data().Offset() != 0 || got.(*array.Dictionary).Dictionary().Data().Offset() != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
