package kafka

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
)

// BenchmarkCompression packs outputs and dead letters with each compression. x is the compression
// ratio, MB/s the rate per core.
func BenchmarkCompression(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, what := range []struct {
		name     string
		messages []*stream.Message
	}{
		{"outputs of 1 row", outputs(b, rng, 500, 1)}, {"outputs of 20 rows", outputs(b, rng, 200, 20)}, {"outputs of 20000 rows", outputs(b, rng, 1, 20_000)},
		{"letters of JSON", letters(rng, 500)},
	} {
		plain, err := format{}.pack(what.messages)
		if err != nil {
			b.Fatal(err)
		}
		for c := range kafka.Compression(5) {
			b.Run(fmt.Sprintf("%s/%v", what.name, c), func(b *testing.B) {
				b.SetBytes(int64(len(plain)))
				size := 0
				for b.Loop() {
					packed, err := format{compression: c}.pack(what.messages)
					if err != nil {
						b.Fatal(err)
					}
					size = len(packed)
				}
				b.ReportMetric(float64(len(plain))/float64(size), "x")
			})
		}
	}
}

// outputs returns messages as a stage writes them.
func outputs(b *testing.B, rng *rand.Rand, n, rows int) []*stream.Message {
	var all []*stream.Message
	w := &emit.MessageWriter{}
	for i := range n {
		o := &emit.Output{Embedding: vec.New[float32](rows, 2), Epoch: 3, Version: 41}
		ids := make([]string, rows)
		for r := range rows {
			ids[r] = fmt.Sprintf("event-%d-%08x", i*rows+r, rng.Uint32())
			for d := range 2 {
				o.Embedding.Row(r)[d] = float32(10 * rng.NormFloat64())
			}
			o.Sigma = append(o.Sigma, rng.Float32())
			o.NoveltyLocal, o.NoveltyGlobal = append(o.NoveltyLocal, rng.Float32()), append(o.NoveltyGlobal, rng.Float32())
		}
		o.ID = table.StringColumn("event", ids)
		value, err := w.Encode(o)
		if err != nil {
			b.Fatal(err)
		}
		m := &stream.Message{Key: fmt.Append(nil, "key ", i%5), Value: value, Time: time.UnixMilli(int64(1_700_000_000_000 + i))}
		for _, h := range []string{stream.HeaderContentType, stream.ContentType, stream.HeaderSourceTopic, "events", stream.HeaderSourcePartition, "3",
			stream.HeaderSourceOffset, fmt.Sprint(i), stream.HeaderModelVersion, "41"} {
			if k := len(m.Headers); k > 0 && m.Headers[k-1].Value == nil {
				m.Headers[k-1].Value = []byte(h)
			} else {
				m.Headers = append(m.Headers, stream.Header{Key: h})
			}
		}
		all = append(all, m)
	}
	return all
}

// letters returns dead letters of messages from other programs.
func letters(rng *rand.Rand, n int) []*stream.Message {
	d := &stream.DeadLetter{}
	var all []*stream.Message
	for i := range n {
		var fields []string
		for f := range 30 {
			fields = append(fields, fmt.Sprintf(`"field_%d": %.6g`, f, rng.NormFloat64()))
		}
		m := stream.Message{TopicPartition: stream.TopicPartition{Topic: "events"}, Offset: int64(i), Value: []byte("{" + strings.Join(fields, ", ") + "}")}
		letter := d.Message(m, stream.StageDecode, fmt.Errorf("%s: the Arrow data is broken", m.Where()))
		all = append(all, &letter)
	}
	return all
}
