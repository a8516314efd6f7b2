package kafka

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"pgregory.net/rapid"

	"unfold/stream"
)

// A batch encoded by this package is decoded by the library, including its checksum.
func TestEncodeBatch(t *testing.T) {
	maybe := func(r *rapid.T, what string) []byte {
		b := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(r, what)
		if rapid.Bool().Draw(r, what+" is null") {
			return nil
		}
		return append([]byte{}, b...)
	}
	rapid.Check(t, func(r *rapid.T) {
		var messages []*stream.Message
		for range rapid.IntRange(1, 20).Draw(r, "messages") {
			if rapid.IntRange(0, 9).Draw(r, "large") == 0 {
				large := bytes.Repeat([]byte{byte(len(messages))}, direct+rapid.IntRange(-1, 1).Draw(r, "beyond"))
				messages = append(messages, &stream.Message{Value: large, Time: time.UnixMilli(1).UTC()})
			}
			m := &stream.Message{Key: maybe(r, "key"), Value: maybe(r, "value"), Time: time.UnixMilli(rapid.Int64Range(1, 1<<42).Draw(r, "time")).UTC()}
			for range rapid.IntRange(0, 3).Draw(r, "headers") {
				m.Headers = append(m.Headers, stream.Header{Key: rapid.StringN(0, 10, 40).Draw(r, "header"), Value: maybe(r, "header's value")})
			}
			messages = append(messages, m)
		}
		session := kafka.ProducerSession{ProducerID: 1 << 40, ProducerEpoch: 7}
		f := format{transactional: rapid.Bool().Draw(r, "transactional"), compression: kafka.Compression(rapid.IntRange(0, 4).Draw(r, "compression"))}
		encoded, err := f.encode(messages, session, 12345)
		if err != nil {
			r.Fatal(err)
		}
		size := 4 + batchHeader
		for _, m := range messages {
			size += recordSize(m)
		}
		if len(encoded) > size {
			r.Fatalf("%d bytes, more than the bound %d", len(encoded), size)
		}
		// Data that compression does not make smaller are stored uncompressed.
		plain, err := format{transactional: f.transactional}.encode(messages, session, 12345)
		if err != nil {
			r.Fatal(err)
		}
		compression := f.compression
		if bytes.Equal(encoded, plain) {
			compression = 0
		} else if len(encoded) >= len(plain) {
			r.Fatalf("%d bytes compressed, %d as they are", len(encoded), len(plain))
		}
		var set protocol.RecordSet
		if _, err := set.ReadFrom(bytes.NewReader(encoded)); err != nil {
			r.Fatal(err)
		}
		read, err := readAll(encoded[4:])
		if err != nil || len(read) != len(messages) {
			r.Fatalf("%d messages are read here, %v", len(read), err)
		}
		batch, ok := set.Records.(*protocol.RecordStream).Records[0].(*protocol.RecordBatch)
		if !ok || batch.ProducerID != 1<<40 || batch.ProducerEpoch != 7 || batch.BaseSequence != 12345 ||
			batch.Attributes.Transactional() != f.transactional || batch.Attributes.Compression() != compression {
			r.Fatalf("the batch reads as %+v", batch)
		}
		for i, got := range append(library(r, batch), read...) {
			i %= len(messages)
			want := messages[i]
			if got.Offset != int64(i) || !alike(got.Key, want.Key) || !alike(got.Value, want.Value) || !got.Time.Equal(want.Time) || len(got.Headers) != len(want.Headers) {
				r.Fatalf("message %d reads as %+v, it was %+v", i, got, want)
			}
			for k, h := range got.Headers {
				if h.Key != want.Headers[k].Key || !bytes.Equal(h.Value, want.Headers[k].Value) {
					r.Fatalf("header %+v, it was %+v", h, want.Headers[k])
				}
			}
		}
		if _, err := batch.ReadRecord(); !errors.Is(err, io.EOF) {
			r.Fatalf("more than was written: %v", err)
		}
	})
}

// library returns the messages of a batch that the library has decoded.
func library(r *rapid.T, batch protocol.RecordReader) (all []stream.Message) {
	for {
		rec, err := batch.ReadRecord()
		if errors.Is(err, io.EOF) {
			return all
		}
		m := stream.Message{Time: rec.Time.UTC()}
		if err == nil {
			m.Offset = rec.Offset
			m.Key, err = protocol.ReadAll(rec.Key)
		}
		if err == nil {
			m.Value, err = protocol.ReadAll(rec.Value)
		}
		if err != nil {
			r.Fatal(err)
		}
		for _, h := range rec.Headers {
			m.Headers = append(m.Headers, stream.Header(h))
		}
		all = append(all, m)
	}
}

// readAll decodes batches from their beginning.
func readAll(batches []byte) (all []stream.Message, err error) { return readFrom(batches, 0) }

// cursorOver returns a cursor at an offset with batches from an answer.
func cursorOver(batches []byte, next int64) *cursor {
	c := newCursor(&link{}, stream.TopicPartition{}, next, 0, 0)
	c.rest, c.begun, c.aborted, c.brokers = batches, next, map[int64]bool{}, away{}
	return c
}

// away are brokers that do not answer.
type away struct{}

func (away) RoundTrip(context.Context, net.Addr, kafka.Request) (kafka.Response, error) {
	return nil, errors.New("there are no brokers")
}

// readFrom reads batches as a cursor at an offset does.
func readFrom(batches []byte, next int64) (all []stream.Message, err error) {
	c := cursorOver(batches, next)
	if err := c.whole(); err != nil {
		return nil, err
	}
	for c.batch != nil || len(c.rest) > 0 {
		run, err := c.read(context.Background(), nil)
		if err != nil {
			return all, err
		}
		all = append(all, run.Messages...)
	}
	return all, nil
}

// Sequence numbers start again after the largest 32-bit number, as Kafka's do.
func TestFollowingSequence(t *testing.T) {
	for _, c := range []struct {
		sequence int32
		records  int
		want     int32
	}{{0, 3, 3}, {math.MaxInt32 - 1, 1, math.MaxInt32}, {math.MaxInt32, 1, 0}, {math.MaxInt32 - 2, 5, 2}} {
		if got := following(c.sequence, c.records); got != c.want {
			t.Errorf("%d records from %d on: %d, want %d", c.records, c.sequence, got, c.want)
		}
	}
}

func alike(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
