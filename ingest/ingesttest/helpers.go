package ingesttest

import (
	"runtime/metrics"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/offsets"
	"unfold/internal/vec"
)

// Here returns the origin of a message.
func Here() table.Origin { return table.Origin{Position: offsets.At("events", 3, 41)} }

// Touch reads every value of a table, as text and as a number.
func Touch(t *table.Table) int {
	n := 0
	for _, c := range t.Columns() {
		for _, s := range c.Strings() {
			n += len(s)
		}
		c.Floats()
	}
	return n
}

// Allocated returns the bytes that this process has allocated so far.
func Allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// StreamOf returns an Arrow stream of one column, "v".
func StreamOf(a arrow.Array) []byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: a.DataType(), Nullable: true}}, nil)
	return Encode(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{a}, int64(a.Len()))})
}

// Output returns n placed events in d dimensions, with an id and kept columns.
func Output(n, d int) *emit.Output {
	o := &emit.Output{Embedding: vec.New[float32](n, d), Epoch: 3, Version: 1 << 40}
	ids, words, nums := make([]string, n), make([]string, n), make([]int64, n)
	for i := range n {
		ids[i], words[i], nums[i] = "e"+string(rune('a'+i%26)), strings.Repeat("x", i%5), int64(i)*1e12
		o.Sigma = append(o.Sigma, float32(i)/3)
		o.NoveltyLocal = append(o.NoveltyLocal, float32(i%7)/7)
		o.NoveltyGlobal = append(o.NoveltyGlobal, float32(i%11)/11)
	}
	for k := range o.Embedding.Data {
		o.Embedding.Data[k] = float32(k) / 7
	}
	o.ID = table.StringColumn("event", ids)
	o.Kept = []table.Column{table.StringColumn("word", words), table.Int64Column("num", nums)}
	return o
}
