package arrowfmt_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/ingesttest"
)

// A message's weight is the size of its decompressed columns, however few bytes the message has.
func TestWeigh(t *testing.T) {
	const rows = 100_000
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	builder.Field(0).(*array.Float64Builder).AppendValues(make([]float64, rows), nil)
	for name, options := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
		builder.Field(0).(*array.Float64Builder).AppendValues(make([]float64, rows), nil)
		var b bytes.Buffer
		w := ipc.NewWriter(&b, append(options, ipc.WithSchema(schema))...)
		record := builder.NewRecord()
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		want := 8 * record.NumRows()
		if got := (&arrowfmt.Decoder{}).Weigh(b.Bytes()); got < want || got > want+want/10 {
			t.Errorf("%s: %d bytes weigh %d, the columns have %d", name, b.Len(), got, want)
		}
	}
	if got := (&arrowfmt.Decoder{}).Weigh([]byte("no Arrow stream")); got != 0 {
		t.Errorf("junk weighs %d", got)
	}
}

// The weight is the same for known and unknown schemas, and 0 for a bad message.
func TestWeighOfKnownSchemas(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	limits := arrowfmt.Limits{Memory: 16 << 20, Rows: 1 << 16}
	fresh := &arrowfmt.Decoder{Limits: limits} // decodes nothing, so it never knows a schema
	weighed := 0
	for _, s := range ingesttest.Streams() {
		known := &arrowfmt.Decoder{Limits: limits}
		if _, err := known.Decode(s.Bytes, ingesttest.Here()); err != nil {
			t.Fatal(s.Name, err)
		}
		for i := range 100 {
			b := s.Bytes
			if i > 0 {
				b = ingesttest.Mutate(b, rng)
			}
			got, want := known.Weigh(b), fresh.Weigh(b)
			if got != want {
				t.Errorf("%s: %d bytes weigh %d, and %d where the schema is known", s.Name, len(b), want, got)
			}
			if got > 0 {
				weighed++
			}
		}
	}
	if weighed == 0 {
		t.Error("no message has a weight")
	}
}
