package embed

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/format"
)

// BenchmarkOneEventAMessage decodes and places 512 messages of one event each.
func BenchmarkOneEventAMessage(b *testing.B) {
	s := learnt(b)
	m, err := Open(s, Settings{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	const n = 512
	arrow, object := make([]stream.Message, n), make([]stream.Message, n)
	for i := range n {
		records := sample(b, rng, 1)
		value, err := emit.EncodeTable(records)
		if err != nil {
			b.Fatal(err)
		}
		arrow[i].Value = value
		v, _ := records.Column("v")
		class, _ := records.Column("class")
		x := table.VectorRows(v)(0)
		if object[i].Value, err = json.Marshal(map[string]any{"event": i, "class": class.Text(0), "v": x}); err != nil {
			b.Fatal(err)
		}
	}
	auto, err := format.NewDecoder(format.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	d := DecoderOf(auto, auto.Limits())
	for name, messages := range map[string][]stream.Message{"arrow": arrow, "json": object} {
		decodeAll := func(b *testing.B) []stream.Events {
			in := make([]stream.Events, n)
			for i := range messages {
				var err error
				if in[i], err = d.Decode(messages[i]); err != nil {
					b.Fatal(err)
				}
			}
			return in
		}
		b.Run(fmt.Sprintf("%s/decode", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decodeAll(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
		})
		b.Run(fmt.Sprintf("%s/place", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				in := decodeAll(b)
				b.StartTimer()
				out, err := m.Place(b.Context(), in)
				if err != nil || out[n-1].Err != nil {
					b.Fatal(err, out[n-1].Err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
		})
	}
}
