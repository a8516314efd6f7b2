package traffic

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

const followBytes = 4 << 20

// Follow reads a topic from its beginning until ctx ends, and calls seen for each message on
// arrival; messages of a transaction arrive when it is committed. Messages have only their headers.
// seen is called by one goroutine per partition.
func (c Cluster) Follow(ctx context.Context, topic string, partitions int, seen func(p int, m *stream.Message)) error {
	return c.each(partitions, func(client *kafka.Client, p int) error {
		for next := int64(0); ; {
			r, err := client.Fetch(ctx, &kafka.FetchRequest{Topic: topic, Partition: p, Offset: next, MinBytes: 1, MaxBytes: followBytes,
				MaxWait: 200 * time.Millisecond, IsolationLevel: kafka.ReadCommitted})
			if err == nil {
				err = r.Error
			}
			before := next
			for err == nil {
				var rec *kafka.Record
				if rec, err = r.Records.ReadRecord(); err != nil || rec.Offset < next {
					continue
				}
				next = rec.Offset + 1
				var m stream.Message
				for _, h := range rec.Headers {
					m.Headers = append(m.Headers, stream.Header{Key: h.Key, Value: h.Value})
				}
				seen(p, &m)
				for _, b := range []kafka.Bytes{rec.Key, rec.Value} {
					if b != nil {
						err = errors.Join(err, b.Close())
					}
				}
			}
			if ctx.Err() != nil {
				return nil
			}
			if !errors.Is(err, io.EOF) {
				return err
			}
			if next == before && r.LastStableOffset > next {
				next++ // this offset is the end of a transaction, which kafka-go skips
			}
		}
	})
}
