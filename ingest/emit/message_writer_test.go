package emit_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// A MessageWriter writes the same bytes as EncodeMessage, for columns of every type, sliced or not,
// and for every set of columns.
func TestMessageWriterAgreesWithEncodeMessage(t *testing.T) {
	w := &emit.MessageWriter{}
	rng := rand.New(rand.NewPCG(7, 5))
	agree := func(name string, o *emit.Output) {
		t.Helper()
		want, err1 := emit.EncodeMessage(o)
		for range 2 { // the second time the kind is known
			got, err2 := w.Encode(o)
			if !bytes.Equal(got, want) || fmt.Sprint(err1) != fmt.Sprint(err2) {
				t.Fatalf("%s: %d bytes (%v), want %d (%v), which begin to differ at %d", name, len(got), err2, len(want), err1, differ(got, want))
			}
		}
	}
	var passing []table.Column
	for _, s := range ingesttest.Streams() {
		records, err := arrowfmt.DecodeMessage(s.Bytes, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		passing = append(passing, records.Columns()...)
	}
	for i, c := range passing {
		for k := range 4 {
			from, to := 0, c.Len()
			if k > 1 && to > 0 {
				from = rng.IntN(to)
				to = from + rng.IntN(to-from+1)
			}
			o := someOutput(rng, to-from)
			c := c.Slice(from, to)
			o.Kept = []table.Column{c, c.Renamed("again")}
			agree(fmt.Sprintf("column %d of type %s kept, %d to %d", i, c.DataType(), from, to), o)
			o.Kept, o.ID = nil, c
			agree(fmt.Sprintf("column %d of type %s as id, %d to %d", i, c.DataType(), from, to), o)
		}
	}
	for n := range 70 {
		agree(fmt.Sprint(n, " events"), someOutput(rng, n))
	}
	truths := array.NewBooleanBuilder(memory.NewGoAllocator())
	for range 70 {
		if rng.IntN(5) == 0 {
			truths.AppendNull()
		} else {
			truths.Append(rng.IntN(2) == 0)
		}
	}
	all := table.NewColumn("truth", truths.NewArray())
	for n := range 70 {
		o := someOutput(rng, n)
		o.Kept = []table.Column{all.Slice(0, n)}
		agree(fmt.Sprint(n, " truth values"), o)
	}
	placed := ingesttest.Placed(3, 20)
	agree("placed", placed)
	agree("a slice", placed.Slice(5, 9))
	for _, bad := range []func(*emit.Output){
		func(o *emit.Output) { o.Sigma = o.Sigma[1:] },
		func(o *emit.Output) { o.Class = make([]string, 3) },
		func(o *emit.Output) { o.Kept = []table.Column{table.Int64Column("sigma", make([]int64, o.Len()))} },
		func(o *emit.Output) { o.Kept = []table.Column{table.Int64Column("x", make([]int64, o.Len()+1))} },
		func(o *emit.Output) { o.ID = table.Int64Column("x", nil) },
	} {
		o := ingesttest.Placed(0, 12)
		bad(o)
		if _, err := emit.EncodeMessage(o); err == nil {
			t.Fatal("a bad output is written")
		}
		agree("a bad output", o)
	}
}

func differ(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// someOutput returns n events with some of the columns.
func someOutput(rng *rand.Rand, n int) *emit.Output {
	o := &emit.Output{Embedding: vec.New[float32](n, 1+rng.IntN(3)), Epoch: rng.Uint32(), Version: rng.Uint64N(3) << 40, FirstRow: 7}
	some := func() []float32 {
		if rng.IntN(4) == 0 {
			return nil
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = rng.Float32()
		}
		return v
	}
	for i := range o.Embedding.Data {
		o.Embedding.Data[i] = rng.Float32()
	}
	o.Sigma, o.NoveltyLocal, o.NoveltyGlobal = some(), some(), some()
	if rng.IntN(2) == 0 {
		o.Probability = slices.Repeat([]float32{.5}, n)
		o.Class = make([]string, n)
		for i := range o.Class {
			o.Class[i] = []string{"", "a", "löng class"}[rng.IntN(3)]
		}
	}
	if rng.IntN(2) == 0 {
		o.Reasons, o.Neighbors = make([][]emit.Reason, n), make([][]emit.Neighbor, n)
		for i := range n {
			if rng.IntN(3) == 0 {
				continue // not explained
			}
			o.Reasons[i] = []emit.Reason{}
			for range rng.IntN(3) {
				nan := math.NaN()
				o.Reasons[i] = append(o.Reasons[i], []emit.Reason{
					{Column: "bytes", Share: rng.Float64(), Direction: emit.Above, Value: 1, Low: 2, High: rng.Float64()},
					{Column: "wörd", Share: 1, Direction: emit.Other, Value: nan, Low: nan, High: nan, Text: true, Category: "", Expected: "b"},
				}[rng.IntN(2)])
			}
			o.Neighbors[i] = slices.Repeat([]emit.Neighbor{{ID: "7", Distance: 3}}, rng.IntN(4))
		}
	}
	return o
}

// BenchmarkMessageWriterTruth writes an event with a kept boolean column.
func BenchmarkMessageWriterTruth(b *testing.B) {
	truths := array.NewBooleanBuilder(memory.NewGoAllocator())
	truths.Append(true)
	w, o := &emit.MessageWriter{}, ingesttest.Placed(0, 1)
	o.Kept = []table.Column{table.NewColumn("truth", truths.NewArray())}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Encode(o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMessageWriter(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		w, o := &emit.MessageWriter{}, ingesttest.Placed(0, n)
		o.Kept = o.Kept[:2]
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Encode(o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A message of one event of a known kind takes few allocations.
func TestMessageWriterAllocatesLittle(t *testing.T) {
	w, o := &emit.MessageWriter{}, ingesttest.Placed(0, 1)
	o.Kept = o.Kept[:2]
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := w.Encode(o); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 8 {
		t.Errorf("%v allocations", allocs)
	}
}
