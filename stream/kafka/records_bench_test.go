package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/stream"
)

// BenchmarkBatches decodes the messages of an answer of 1 MB and more, by this package and by the
// library, with the copies that its pages need.
func BenchmarkBatches(b *testing.B) {
	l := &link{} // keeps decoders
	for _, size := range []int{100, 10_000} {
		var values [][]byte
		for i := range 2_000_000 / size {
			values = append(values, bytes.Repeat(fmt.Appendf(nil, "%9d ", i), size/10))
		}
		for codec := kafka.Compression(0); codec <= kafka.Zstd; codec++ {
			answer := encoded(b, codec, 0, values...)
			sized := append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...)
			for who, read := range map[string]func() int{
				"library": func() int { return len(throughLibrary(b, sized)) },
				"here": func() int {
					room := stream.NewQueue(1<<30, 1)[0]
					c := cursorOver(answer, 0)
					c.link = l
					n := 0
					for c.batch != nil || len(c.rest) > 0 {
						run, err := c.read(b.Context(), room)
						if err != nil {
							b.Fatal(err)
						}
						n += len(run.Messages)
						room.Give(run.Bytes)
					}
					return n
				},
			} {
				b.Run(fmt.Sprintf("bytes=%d/%v/%s", size, codec, who), func(b *testing.B) {
					b.SetBytes(int64(size * len(values)))
					b.ReportAllocs()
					for b.Loop() {
						if n := read(); n != len(values) {
							b.Fatalf("%d messages", n)
						}
					}
				})
			}
		}
	}
}

// throughLibrary reads batches, after their length, with the library.
func throughLibrary(b *testing.B, sized []byte) (all []stream.Message) {
	var set protocol.RecordSet
	if _, err := set.ReadFrom(bytes.NewReader(sized)); err != nil {
		b.Fatal(err)
	}
	for {
		rec, err := set.Records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return all
		}
		var m stream.Message
		if err == nil {
			m.Offset, m.Time = rec.Offset, rec.Time.In(time.UTC)
			m.Value, err = protocol.ReadAll(rec.Value)
		}
		if err == nil {
			err = rec.Value.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, m)
	}
}
