package arrowfmt_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
)

// sizes are numbers of events per message.
var sizes = []int{1, 100, 1000}

func BenchmarkDecodeMessage(b *testing.B) {
	for _, n := range sizes {
		m, err := emit.EncodeTable(ingesttest.Events(0, n, 50))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(m)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := arrowfmt.DecodeMessage(m, ingesttest.Here(), arrowfmt.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint(n, "/known"), func(b *testing.B) {
			d := &arrowfmt.Decoder{}
			b.SetBytes(int64(len(m)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Decode(m, ingesttest.Here()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint(n, "/arrow"), func(b *testing.B) {
			b.SetBytes(int64(len(m)))
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := ingesttest.ArrowDecode(m); err != nil || rows != int64(n) {
					b.Fatal(rows, err)
				}
			}
		})
	}
}

// BenchmarkDecodeText decodes messages with plain texts and with text views; polars writes views by
// default.
func BenchmarkDecodeText(b *testing.B) {
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.StringView} {
		for _, n := range sizes {
			texts := array.NewBuilder(memory.NewGoAllocator(), dt)
			for i := range n {
				if err := texts.AppendValueFromString(fmt.Sprint("event number ", i)); err != nil {
					b.Fatal(err)
				}
			}
			m := ingesttest.StreamOf(texts.NewArray())
			d := &arrowfmt.Decoder{}
			b.Run(fmt.Sprint(n, "/", dt), func(b *testing.B) {
				b.SetBytes(int64(len(m)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := d.Decode(m, ingesttest.Here()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkWeigh weighs messages with an unknown and with a known schema.
func BenchmarkWeigh(b *testing.B) {
	for _, n := range sizes {
		m, err := emit.EncodeTable(ingesttest.Events(0, n, 50))
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"new", "known"} {
			d := &arrowfmt.Decoder{}
			if name == "known" {
				if _, err := d.Decode(m, ingesttest.Here()); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(fmt.Sprint(n, "/", name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if d.Weigh(m) == 0 {
						b.Fatal("a message without weight")
					}
				}
			})
		}
	}
}
