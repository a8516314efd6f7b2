package ingest_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
)

// With Missing, nulls and NaN become NaN in the vector, for a number, a word and an element of a
// list, and do not count in means. Otherwise, and after reading an encoder from a file, they are
// errors.
func TestMissingValues(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "word", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	rows := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	rows.Field(0).(*array.Float64Builder).AppendValues([]float64{1, math.NaN(), 3, 5}, nil)
	rows.Field(1).(*array.Int64Builder).AppendValues([]int64{0, 2, 4, 6}, []bool{false, true, true, true})
	rows.Field(2).(*array.StringBuilder).AppendValues([]string{"x", "y", "", "x"}, []bool{true, true, false, true})
	path := tempFile(t, "x.arrow", ingesttest.Encode(schema, []arrow.Record{rows.NewRecord()}))
	read := func(m ingest.Mapping, e *ingest.Encoder) (*ingest.Dataset, error) {
		return ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: m, Encoder: e})
	}
	m := ingest.Mapping{Columns: parse(t, "a:standardize,b,word")}
	if _, err := read(m, nil); err == nil || !strings.Contains(err.Error(), "row 1") && !strings.Contains(err.Error(), "row 2") {
		t.Errorf("missing values are taken: %v", err)
	}
	m.Missing = true
	d, err := read(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := float32(math.Sqrt(1.5))
	nan := float32(math.NaN())
	want := []float32{
		-s, nan, 1, 0, 0,
		nan, 2, 0, 1, 0,
		0, 4, nan, nan, nan,
		s, 6, 1, 0, 0,
	}
	if d.X.Rows != 4 || d.X.Cols != 5 {
		t.Fatalf("%d x %d", d.X.Rows, d.X.Cols)
	}
	for i, v := range d.X.Data {
		if w := want[i]; v != v != (w != w) || v == v && math.Abs(float64(v-w)) > 1e-6 {
			t.Errorf("element %d of row %d is %v, want %v", i%5, i/5, v, w)
		}
	}
	raw, err := json.Marshal(d.Encoder)
	if err != nil {
		t.Fatal(err)
	}
	again := &ingest.Encoder{}
	if err := json.Unmarshal(raw, again); err != nil {
		t.Fatal(err)
	}
	if _, err := read(ingest.Mapping{}, again); err == nil {
		t.Error("an encoder that was read takes missing values")
	}
	if back, err := read(ingest.Mapping{}, again.Lenient(true)); err != nil || !math.IsNaN(float64(back.X.Data[1])) {
		t.Errorf("a lenient one does not: %v", err)
	}
}

// Elements of a list may be missing, but never infinite.
func TestMissingElements(t *testing.T) {
	for name, c := range map[string]struct {
		data []float32
		ok   bool
	}{
		"nan": {[]float32{1, float32(math.NaN()), 3, 4}, true},
		"inf": {[]float32{1, float32(math.Inf(1)), 3, 4}, false},
	} {
		raw, err := binary.Append(nil, binary.LittleEndian, c.data)
		if err != nil {
			t.Fatal(err)
		}
		path := tempFile(t, name+".npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", raw))
		for _, missing := range []bool{true, false} {
			d, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Missing: missing}})
			if ok := c.ok && missing; (err == nil) != ok || ok && !math.IsNaN(float64(d.X.Data[1])) {
				t.Errorf("%s, missing %v: %v", name, missing, err)
			}
		}
	}
}
