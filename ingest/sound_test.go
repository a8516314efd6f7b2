package ingest_test

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"pgregory.net/rapid"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/offsets"
	"unfold/internal/vec"
)

//go:embed testdata/sound.py
var judgeStreams string

// judged checks with pyarrow that streams are valid and have the expected contents.
func judged(t *testing.T, pairs []string) {
	t.Helper()
	var n int
	if err := json.Unmarshal(foreign.Run(t, judgeStreams, pairs...), &n); err != nil || 2*n != len(pairs) || n == 0 {
		t.Errorf("%d of %d streams were judged, %v", n, len(pairs)/2, err)
	}
}

// nestedTypes contain dictionaries and text inside other types.
var nestedTypes = []arrow.DataType{
	arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}, arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int16, Nullable: true}),
	arrow.ListOf(arrow.StructOf(arrow.Field{Name: "s", Type: arrow.BinaryTypes.LargeString, Nullable: true})),
	arrow.FixedSizeListOf(3, arrow.BinaryTypes.String), arrow.FixedSizeListOf(3, arrow.FixedWidthTypes.Boolean),
	arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.ListOf(arrow.BinaryTypes.String)),
	arrow.ListOf(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}),
	arrow.StructOf(arrow.Field{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.PrimitiveTypes.Float64}, Nullable: true}),
}

// For any slice of a column of any type, pyarrow accepts the written message and file and finds the
// same values.
func TestSoundSlices(t *testing.T) {
	dir := t.TempDir()
	// Views and runs are converted to plain types before they are passed on: see plainType.
	types := slices.DeleteFunc(append(slices.Clone(ingesttest.Types), nestedTypes...), func(dt arrow.DataType) bool {
		return strings.Contains(dt.String(), "view") || strings.Contains(dt.String(), "run_end")
	})
	var pairs []string
	one := func(r *rapid.T) {
		dt := rapid.SampledFrom(types).Draw(r, "type")
		n := rapid.IntRange(1, 40).Draw(r, "rows")
		from := rapid.IntRange(0, n).Draw(r, "from")
		to := rapid.IntRange(from, n).Draw(r, "to")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 9))
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: dt, Nullable: true}}, nil)
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for range n {
			ingesttest.Append(b.Field(0), rng, true)
		}
		rec := b.NewRecord()
		a := rec.Column(0)
		if rapid.Bool().Draw(r, "shifted") {
			a = shifted(a)
		}
		c, err := table.SoundColumn(table.NewColumn("c", a).Slice(from, to), ingesttest.Here(), false)
		if err != nil {
			r.Fatal(err)
		}
		ingesttest.EqualColumns(t, dt.String(), c, table.NewColumn("c", rec.Column(0)).Slice(from, to))
		o := &emit.Output{Embedding: vec.New[float32](to-from, 2), Kept: []table.Column{c}}
		message, err := emit.EncodeMessage(o)
		if err != nil {
			r.Fatal(err)
		}
		name := filepath.Join(dir, fmt.Sprint(len(pairs)))
		for path, data := range map[string][]byte{name + ".whole": ingesttest.Encode(schema, []arrow.Record{rec}), name + ".out": message} {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				r.Fatal(err)
			}
		}
		pairs = append(pairs, name+".out", fmt.Sprintf("%s.whole:%d:%d", name, from, to))
	}
	rapid.Check(t, func(r *rapid.T) {
		for range 5 {
			one(r)
		}
	})
	judged(t, pairs)
}

// shifted returns a dictionary, or text, with the same values behind others. Other arrays are
// returned unchanged.
func shifted(a arrow.Array) arrow.Array {
	switch a := a.(type) {
	case *array.Dictionary:
		return array.NewDictionaryArray(a.DataType(), a.Indices(), shifted(a.Dictionary()))
	case *array.String:
		b := array.NewStringBuilder(memory.NewGoAllocator())
		b.Append("before")
		for i := range a.Len() {
			if a.IsNull(i) {
				b.AppendNull()
			} else {
				b.Append(a.Value(i))
			}
		}
		whole := b.NewArray().Data()
		if whole.NullN() > 0 {
			return array.NewSlice(array.MakeFromData(whole), 1, int64(whole.Len()))
		}
		// Slices of other programs have offsets that begin with the second.
		offsets := memory.NewBufferBytes(whole.Buffers()[1].Bytes()[4:])
		return array.MakeFromData(array.NewData(whole.DataType(), a.Len(), []*memory.Buffer{nil, offsets, whole.Buffers()[2]}, nil, 0, 0))
	}
	return a
}

// Slices that pyarrow writes, and considers valid, are passed on as valid.
func TestForeignSlicesGoOutValid(t *testing.T) {
	dir := t.TempDir()
	foreign.Run(t, `
import sys, pyarrow as pa, pyarrow.ipc
words = pa.array(["none", "zero", "un", "deux", "trois"])
index = pa.array([0, 2, None, 1], pa.int8())
columns = {
    "dictionary": pa.DictionaryArray.from_arrays(index, words.slice(2)),
    "list": pa.ListArray.from_arrays(pa.array([1, 2, 2, 4]).cast(pa.int32()), words).slice(1),
    "dictionary_in_struct": pa.StructArray.from_arrays([pa.DictionaryArray.from_arrays(index, words.slice(2))], ["d"]).slice(1),
    "dictionary_in_list": pa.ListArray.from_arrays(pa.array([0, 1, 1, 4], pa.int32()), pa.DictionaryArray.from_arrays(index, words.slice(2))).slice(1),
}
for name, c in columns.items():
    c.validate(full=True)
    table = pa.table({"v": pa.FixedSizeListArray.from_arrays(pa.array(range(2 * len(c)), pa.float32()), 2), "c": c})
    with pa.ipc.new_stream(sys.argv[1] + "/" + name, table.schema) as w:
        w.write_table(table)
`, dir)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	var pairs []string
	for _, f := range files {
		value, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b, err := encode(value, false)
		if err != nil {
			t.Fatal(err)
		}
		out, err := (&emit.MessageWriter{}).Encode(&emit.Output{Embedding: b.X, Kept: b.Kept})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f+".out", out, 0o644); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, f+".out", fmt.Sprintf("%s:0:%d", f, b.Len()))
	}
	judged(t, pairs)
}

// encode encodes a message with the vector v and the kept column c.
func encode(value []byte, replace bool) (*ingest.Batch, error) {
	records, err := arrowfmt.DecodeMessage(value, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		return nil, err
	}
	f, err := ingest.NewFitter(ingest.Mapping{Vector: "v", Selection: ingest.Selection{Keep: []string{"c"}, ReplaceText: replace}}, records.Schema())
	if err != nil {
		return nil, err
	}
	if err := f.Add(records); err != nil {
		return nil, err
	}
	e, err := f.Encoder()
	if err != nil {
		return nil, err
	}
	return e.Encode(records)
}

// Text that is not UTF-8, also inside other types, is an error with its row, or replaced. Other
// invalid values are errors and cannot be replaced.
func TestUnsoundColumns(t *testing.T) {
	text := func(words ...string) arrow.Array {
		b := array.NewStringBuilder(memory.NewGoAllocator())
		b.AppendValues(words, nil)
		return b.NewArray()
	}
	indices := func(v ...int8) arrow.Array {
		b := array.NewInt8Builder(memory.NewGoAllocator())
		b.AppendValues(v, nil)
		return b.NewArray()
	}
	list := func(values arrow.Array, offsets ...int32) arrow.Array {
		return array.MakeFromData(array.NewData(arrow.ListOf(values.DataType()), len(offsets)-1,
			[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}, []arrow.ArrayData{values.Data()}, 0, 0))
	}
	raw := func(dt arrow.DataType, b ...byte) arrow.Array {
		return array.MakeFromData(array.NewData(dt, 2, []*memory.Buffer{nil, memory.NewBufferBytes(b)}, nil, 0, 0))
	}
	split := text("é", "x").Data() // a rune with each half in another row
	split = array.NewData(split.DataType(), 2, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 2})), split.Buffers()[2]}, nil, 0, 0)
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	dir := t.TempDir()
	var pairs []string
	for _, c := range []struct {
		name    string
		a       arrow.Array
		row     int64
		problem string
		becomes string // with invalid text replaced; "" if it is still an error
	}{
		{"text", text("a", "b\xff\xfec", "d"), 1, "not UTF-8", "a|b\uFFFDc|d"},
		{"half a rune", array.MakeFromData(split), 0, "not UTF-8", "\uFFFD|\uFFFD"},
		{"a dictionary's value", array.NewDictionaryArray(dictionary, indices(0, 0, 1), text("a", "\xc3")), 2, "not UTF-8", "a|a|\uFFFD"},
		{"a value that no row has", array.NewDictionaryArray(dictionary, indices(0, 0), text("a", "\xc3")), -1, "not UTF-8", "a|a"},
		{"in a list", list(text("a", "b", "\xc3", "d"), 0, 2, 2, 4), 2, "not UTF-8", "[a b]|[]|[\uFFFD d]"},
		{"a time", raw(arrow.FixedWidthTypes.Time32s, 0, 0, 0, 0, 255, 255, 255, 127), 1, "outside of a day", ""},
		{"a date", raw(arrow.FixedWidthTypes.Date64, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0, "whole number of days", ""},
		{"a decimal", raw(&arrow.Decimal128Type{Precision: 2}, append(make([]byte, 16), 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)...), 1, "more than 2 digits", ""},
	} {
		_, err := table.SoundColumn(table.NewColumn("c", c.a), table.Origin{Position: offsets.At("events", 0, 7)}, false)
		var e *table.Error
		if !errors.As(err, &e) || e.Row != c.row || e.Column != "c" || !strings.Contains(e.Problem, c.problem) || e.Hint == "" {
			t.Errorf("%s: error %v", c.name, err)
		}
		got, err := table.SoundColumn(table.NewColumn("c", c.a), ingesttest.Here(), true)
		if (err != nil) != (c.becomes == "") {
			t.Errorf("%s: replaced: %v", c.name, err)
		}
		if err != nil {
			continue
		}
		if text := strings.Join(got.Strings(), "|"); text != c.becomes {
			t.Errorf("%s: it becomes %q, want %q", c.name, text, c.becomes)
		}
		out, err := emit.EncodeMessage(&emit.Output{Embedding: vec.New[float32](got.Len(), 1), Kept: []table.Column{got}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprint(len(pairs)))
		if err := os.WriteFile(path, out, 0o644); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, path, "")
	}
	wrong := text("a", "b", "c").Data()
	counted, err := table.SoundColumn(table.NewColumn("c", array.MakeFromData(array.NewData(wrong.DataType(), 3, append([]*memory.Buffer{memory.NewBufferBytes([]byte{5})}, wrong.Buffers()[1:]...), nil, 3, 0))), ingesttest.Here(), false)
	if err != nil || counted.IsNull(0) || !counted.IsNull(1) {
		t.Errorf("a wrong count of nulls: %v, %v", counted.Strings(), err)
	}
	out, err := (&emit.MessageWriter{}).Encode(&emit.Output{Embedding: vec.New[float32](3, 1), Kept: []table.Column{counted}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "nulls")
	if err := os.WriteFile(path, out, 0o644); err != nil {
		t.Fatal(err)
	}
	judged(t, append(pairs, path, ""))
}
