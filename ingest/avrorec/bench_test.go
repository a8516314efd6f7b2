package avrorec_test

import (
	"testing"

	"github.com/twmb/avro"

	"unfold/ingest/avrorec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

const flat = `{"type":"record","name":"E","fields":[{"name":"id","type":"string"},{"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},
 {"name":"bytes","type":"long"},{"name":"label","type":["null","string"]},{"name":"score","type":"double"},{"name":"embedding","type":{"type":"array","items":"float"}}]}`

// event50 is an event of 50 numbers and 5 fields.
type event50 struct {
	ID        string    `avro:"id"`
	TS        int64     `avro:"ts"`
	Bytes     int64     `avro:"bytes"`
	Label     *string   `avro:"label"`
	Score     float64   `avro:"score"`
	Embedding []float32 `avro:"embedding"`
}

func newEvent50() *event50 {
	label := "fast"
	e := &event50{"event-0001", 1_700_000_000_000, 12345, &label, 0.25, make([]float32, 50)}
	for i := range e.Embedding {
		e.Embedding[i] = float32(i) / 7
	}
	return e
}

// BenchmarkDecode decodes one event of 50 numbers and 5 fields in three ways: to a table; with the
// library into a hand-written struct; and from this struct to a table.
func BenchmarkDecode(b *testing.B) {
	value, err := avro.MustParse(flat).Encode(newEvent50())
	if err != nil {
		b.Fatal(err)
	}
	spec := record.Spec{Paths: []string{"embedding", "id", "ts", "bytes", "label", "score"}, Vector: "embedding"}
	d, err := avrorec.Compile(flat, nil, spec)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Decode(value, table.Origin{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("struct by the library", func(b *testing.B) {
		b.ReportAllocs()
		s := avro.MustParse(flat)
		for b.Loop() {
			var e event50
			if _, err := s.Decode(value, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("struct by the library, to a table", func(b *testing.B) {
		b.ReportAllocs()
		s, layout := avro.MustParse(flat), record.NewLayout(d.Spec())
		builder := layout.Builder()
		node := func(name string) *record.Node { return builder.Root().Child([]byte(name)) }
		embedding, id, ts, bytes, label, score := node("embedding"), node("id"), node("ts"), node("bytes"), node("label"), node("score")
		for b.Loop() {
			var e event50
			if _, err := s.Decode(value, &e); err != nil {
				b.Fatal(err)
			}
			builder.Vector32(embedding, e.Embedding)
			builder.Text(id, []byte(e.ID))
			builder.Time(ts, e.TS, record.Millis)
			builder.Int(bytes, e.Bytes)
			builder.Text(label, []byte(*e.Label))
			builder.Float(score, e.Score)
			builder.EndRow()
			if _, err := builder.Table(table.Origin{}); err != nil {
				b.Fatal(err)
			}
			builder.Reset()
		}
	})
}
