package ingest_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// Vectors written as text, bytes, lists in lists and lines of lists are read as vectors.
func TestVectorsInDisguise(t *testing.T) {
	want := [][]float32{{0, 1.5, -2, 3}, {7.25, 8, 5, 6}, {1, 2, 3, 4.5}}
	lines := func(format func(v []float32) string) []byte {
		b := "id,e\n"
		for i, v := range want {
			b += fmt.Sprintf("%d,\"%s\"\n", i, format(v))
		}
		return []byte(b)
	}
	commas := func(v []float32) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }
	json := ""
	for _, v := range want {
		json += commas(v) + "\n"
	}
	for name, content := range map[string][]byte{
		"commas.csv":    lines(commas),
		"numpy.csv":     lines(func(v []float32) string { return strings.ReplaceAll(fmt.Sprint(v), " ", "  ") }),
		"breaks.csv":    lines(func(v []float32) string { return strings.ReplaceAll(fmt.Sprint(v), " ", "\n ") }),
		"nested.csv":    lines(func(v []float32) string { return "[" + commas(v) + "]" }),
		"lists.jsonl":   []byte(json),
		"list.json":     []byte("[" + strings.ReplaceAll(strings.TrimSpace(json), "\n", ",\n ") + "]"),
		"text.jsonl":    []byte(strings.ReplaceAll(strings.ReplaceAll(json, "[", `{"e":"[`), "]", `]"}`)),
		"numpy.jsonl":   []byte(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(json, ", ", " "), "[", `{"e":"[`), "]", `]"}`)),
		"text.arrow":    arrowOf(t, want, "text"),
		"float16.arrow": arrowOf(t, want, "float16"),
		"float32.arrow": arrowOf(t, want, "float32"),
		"float64.arrow": arrowOf(t, want, "float64"),
		"fixed.arrow":   arrowOf(t, want, "fixed"),
		"lists.arrow":   arrowOf(t, want, "list"),
	} {
		path := tempFile(t, name, content)
		d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.X.Rows != len(want) || d.X.Cols != 4 {
			t.Errorf("%s: %d x %d", name, d.X.Rows, d.X.Cols)
			continue
		}
		for i, v := range want {
			if got := d.X.Row(i); fmt.Sprint(got) != fmt.Sprint(v) {
				t.Errorf("%s: row %d is %v, want %v", name, i, got, v)
			}
		}
	}
}

// arrowOf returns an Arrow stream with vectors in a column e, in the given form.
func arrowOf(t *testing.T, vectors [][]float32, form string) []byte {
	t.Helper()
	var b array.Builder
	switch form {
	case "text":
		b = array.NewStringBuilder(table.Heap)
	case "fixed":
		b = array.NewFixedSizeBinaryBuilder(table.Heap, &arrow.FixedSizeBinaryType{ByteWidth: 16})
	case "list":
		b = array.NewListBuilder(table.Heap, arrow.ListOf(arrow.PrimitiveTypes.Float32))
	default:
		b = array.NewBinaryBuilder(table.Heap, arrow.BinaryTypes.Binary)
	}
	for _, v := range vectors {
		var raw []byte
		for _, x := range v {
			switch form {
			case "float16":
				raw = binary.LittleEndian.AppendUint16(raw, float16.New(x).Uint16())
			case "float32", "fixed":
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
			case "float64":
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(float64(x)))
			}
		}
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(fmt.Sprint(v))
		case *array.ListBuilder:
			b.Append(true)
			inner := b.ValueBuilder().(*array.ListBuilder)
			inner.Append(true)
			inner.ValueBuilder().(*array.Float32Builder).AppendValues(v, nil)
		case *array.BinaryBuilder:
			b.Append(raw)
		case *array.FixedSizeBinaryBuilder:
			b.Append(raw)
		}
	}
	return arrowStream(t, table.NewColumn("e", b.NewArray()))
}

// Text that only resembles vectors stays text. A truncated vector is an error.
func TestNoVectorsInDisguise(t *testing.T) {
	for content, want := range map[string]string{
		"id,e\n0,[tag]\n1,[other]\n":                       "id int64, e string",
		"id,e\n0,\"[1, 2]\"\n1,none\n":                     "id int64, e string",
		"id,e\n0,[1]\n1,[2]\n":                             "id int64, e string",
		"id,e\n0,\"[1, 2]\"\n1,\"[3, 4]\"\n":               "id int64, e list<double>",
		"id,e\n0,\"[1 2 ... 3 4]\"\n1,\"[1 2 ... 3 4]\"\n": "id int64, e list<double>",
	} {
		path := tempFile(t, "x.csv", []byte(content))
		r, err := ingest.Open(t.Context(), path, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if got := strings.ReplaceAll(r.Schema().String(), "list<float64>", "list<double>"); got != want {
			t.Errorf("%q: %s, want %s", content, got, want)
		}
		_, err = ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{})
		if strings.Contains(content, "...") && (err == nil || !strings.Contains(err.Error(), `row 1 (line 2), column "e": the vector has been shortened (...)`)) {
			t.Errorf("%q: error %v", content, err)
		}
	}
}

// In a Parquet file with vectors as text, unselected columns are not decoded.
func TestDisguisedColumnsAreNarrowed(t *testing.T) {
	e, other := array.NewStringBuilder(table.Heap), array.NewInt64Builder(table.Heap)
	for i := range 3 {
		e.Append(fmt.Sprintf("[%d.5, 2]", i))
		other.Append(int64(i))
	}
	arrs := []arrow.Array{e.NewArray(), other.NewArray()}
	schema := arrow.NewSchema([]arrow.Field{{Name: "e", Type: arrow.BinaryTypes.String}, {Name: "other", Type: arrow.PrimitiveTypes.Int64}}, nil)
	path := tempFile(t, "x.parquet", parquetOf(t, array.NewRecord(schema, arrs, 3), 10))
	r, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	table.Narrow(r, []string{"e"})
	rows, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, names := r.Schema().String(), len(rows.Columns()); got != "e list<float64>" || names != 1 {
		t.Errorf("schema %s, %d columns are decoded", got, names)
	}
	if v := table.VectorRows(rows.At(0))(2); !slices.Equal(v, []float64{2.5, 2}) {
		t.Errorf("row 2 is %v", v)
	}
}

// Bytes that are not numbers stay bytes: codes, hashes, ids, and columns with few values.
func TestBytesThatAreNoVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, row := range map[string]func(i int) []byte{
		"codes":  func(i int) []byte { return fmt.Appendf(nil, "AB%06d", 100*i) },
		"hashes": func(i int) []byte { h := sha256.Sum256([]byte{byte(i)}); return h[:] },
		"ids": func(int) []byte {
			return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, r.Uint64()), r.Uint64())
		},
		"one": func(i int) []byte { return []byte{0, 60, 0, 61} },
	} {
		b := array.NewBinaryBuilder(table.Heap, arrow.BinaryTypes.Binary)
		for i := range map[bool]int{true: 1, false: 50}[name == "one"] {
			b.Append(row(i))
		}
		path := tempFile(t, "x.arrows", arrowStream(t, table.NewColumn("e", b.NewArray())))
		f, err := ingest.Open(t.Context(), path, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if got := f.Schema().String(); strings.Contains(got, "list") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// NaN in Python's json is a missing value, and Infinity is an error.
func TestPythonsNumbersInJSON(t *testing.T) {
	path := tempFile(t, "x.jsonl", []byte(`{"a": NaN, "b": 1}`+"\n"+`{"a": 2, "b": 2, "c": [NaN, {"d": -Infinity}]}`+"\n"+`{"a": 4, "b": 3}`+"\n"))
	m := columnsOf(t, "a,b")
	m.Fill = true
	d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: m})
	if err != nil || fmt.Sprint(d.X.Data) != "[3 1 2 2 4 3]" {
		t.Errorf("%v, error %v", d, err)
	}
	path = tempFile(t, "y.jsonl", []byte(`{"a": -Infinity}`+"\n"+`{"a": 2}`+"\n"))
	if _, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: columnsOf(t, "a")}); err == nil || !strings.Contains(err.Error(), `column "a": the value is -Inf`) {
		t.Errorf("error %v", err)
	}
}

// TestVectorsInBytesOfAFixedType reads Arrow's type of bytes of a fixed length, which Arrow writes as
// text in base64.
func TestVectorsInBytesOfAFixedType(t *testing.T) {
	b := array.NewFixedSizeBinaryBuilder(memory.NewGoAllocator(), &arrow.FixedSizeBinaryType{ByteWidth: 24})
	var want []float32
	for i := range 30 {
		var row []byte
		for k := range 6 {
			v := float32(i-10) * .5 / float32(k+1)
			want = append(want, v)
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		}
		b.Append(row)
	}
	a := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: a.DataType()}}, nil)
	path := tempFile(t, "x.arrows", ingesttest.Encode(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{a}, 30)}))
	d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.X.Data, want) {
		t.Errorf("%d x %d values, or other ones", d.X.Rows, d.X.Cols)
	}
}
