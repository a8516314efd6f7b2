package ingest_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// lists returns a stream with a list column "v" whose rows have the given lengths; row null is
// null.
func lists(lengths []int, null int) []byte {
	b := array.NewListBuilder(memory.NewGoAllocator(), arrow.PrimitiveTypes.Float64)
	for i, n := range lengths {
		if i == null {
			b.AppendNull()
			continue
		}
		b.Append(true)
		for k := range n {
			b.ValueBuilder().(*array.Float64Builder).Append(float64(k))
		}
	}
	return ingesttest.StreamOf(b.NewArray())
}

// Vectors of every list type and every number type lead to the same floats.
func TestEveryKindOfVector(t *testing.T) {
	elements := []arrow.DataType{
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	}
	for _, e := range elements {
		for _, dt := range []arrow.DataType{
			arrow.FixedSizeListOf(3, e), arrow.ListOf(e), arrow.LargeListOf(e), arrow.ListViewOf(e), arrow.LargeListViewOf(e),
		} {
			b := array.NewBuilder(memory.NewGoAllocator(), dt)
			for i := range 4 {
				appendVector(b, i)
			}
			check(t, dt.String(), ingesttest.StreamOf(b.NewArray()))
			if strings.Contains(dt.Name(), "view") {
				continue // the library cannot write slices of views
			}
			// A slice that starts in the middle of the memory.
			c := array.NewBuilder(memory.NewGoAllocator(), dt)
			for i := -2; i < 6; i++ {
				appendVector(c, i)
			}
			check(t, dt.String()+", sliced", ingesttest.StreamOf(array.NewSlice(c.NewArray(), 2, 6)))
		}
	}
}

func check(t *testing.T, what string, stream []byte) {
	t.Helper()
	records, err := arrowfmt.DecodeMessage(stream, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, part := range []*table.Table{records, records.Slice(1, 3)} {
		f, err := ingest.NewFitter(ingest.Mapping{}, part.Schema())
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		if err := f.Add(part); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		e, err := f.Encoder()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		b, err := e.Encode(part)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		first := int(part.Origin.Row)
		for i := range b.Len() {
			for k, v := range b.X.Row(i) {
				if v != float32(10*(first+i)+k) {
					t.Errorf("%s: row %d is %v", what, i, b.X.Row(i))
					return
				}
			}
		}
	}
}

// appendVector appends (10i, 10i+1, 10i+2); a negative i counts as 0.
func appendVector(b array.Builder, i int) {
	i = max(i, 0)
	var values array.Builder
	switch b := b.(type) {
	case array.VarLenListLikeBuilder:
		b.AppendWithSize(true, 3)
		values = b.ValueBuilder()
	case *array.FixedSizeListBuilder:
		b.Append(true)
		values = b.ValueBuilder()
	}
	for k := range 3 {
		appendNumber(values, 10*i+k)
	}
}

func appendNumber(b array.Builder, v int) {
	switch b := b.(type) {
	case *array.Float16Builder:
		b.Append(float16.New(float32(v)))
	case *array.Float32Builder:
		b.Append(float32(v))
	case *array.Float64Builder:
		b.Append(float64(v))
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(int64(v))
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(uint64(v))
	}
}
