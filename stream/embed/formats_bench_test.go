package embed

import (
	"fmt"
	"testing"

	"unfold/stream"
	"unfold/stream/format/formattest"
	"unfold/stream/streamtest/formats"
)

// BenchmarkOneEventAMessage decodes and places 512 messages of one event each.
func BenchmarkOneEventAMessage(b *testing.B) {
	s := learnt(b)
	const n = 512
	for _, name := range formattest.Formats() {
		own := formats.Known(b, name)
		m, err := Open(s, Settings{Writer: own.Encoder})
		if err != nil {
			b.Fatal(err)
		}
		d, messages := DecoderOf(own.Decoder, own.Decoder.Limits()), make([]stream.Message, n)
		for i := range messages {
			if messages[i].Value, err = formattest.Message(name, formats.Schema, formats.Event(i)); err != nil {
				b.Fatal(err)
			}
		}
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
