package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// Messages of formats 0 and 1, which topics may contain from before Kafka 0.11:
//
//	offset int64 | size int32 | crc uint32 | format int8 | attributes int8
//	time int64 (format 1) | key | value, each preceded by its length, an int32
//
// The value of a compressed message is a set of inner messages, and its offset is that of the last
// one. In format 1, inner offsets are relative to the first.
const (
	oldHeader = 18
	oldFields = 4 + 4
)

// old is a decoded message of these formats.
type old struct {
	offset     int64
	format     byte
	codec      kafka.Compression
	time       int64
	key, value []byte
}

// parseOld decodes a message that starts at its offset.
func parseOld(raw []byte) (o old, err error) {
	be := binary.BigEndian
	if len(raw) < oldHeader+oldFields {
		return o, fmt.Errorf("%w: a message of %d bytes", errMalformed, len(raw))
	}
	if crc32.ChecksumIEEE(raw[16:]) != be.Uint32(raw[lengthEnds:]) {
		return o, errChecksum
	}
	d := &fields{rest: raw[oldHeader:]}
	o = old{offset: int64(be.Uint64(raw)), format: raw[16], codec: kafka.Compression(raw[17] & 7)}
	if o.format == 1 {
		o.time = int64(d.uint(8))
	}
	bytes := func() []byte {
		n := int64(int32(d.uint(4)))
		if n == -1 {
			return nil
		}
		return d.next(n)
	}
	o.key = bytes()
	o.value = bytes()
	if d.short || len(d.rest) > 0 || o.format > 1 {
		return o, fmt.Errorf("%w: a message of %d bytes, format %d", errMalformed, len(raw), o.format)
	}
	return o, nil
}

// oldHead decodes a batch of formats 0 and 1, which is one message.
func (b *batch) oldHead() error {
	o, err := parseOld(b.raw)
	if err != nil {
		return err
	}
	b.last, b.first, b.codec = o.offset, o.time, o.codec
	if o.codec == 0 {
		b.left, b.data.rest = 1, b.raw
		return nil
	}
	b.base, b.left, b.data.rest = 0, -1, o.value
	return nil
}

// relate finds the base of the relative offsets in a compressed set of format 1. For that the set
// must be decompressed to its end, and then again.
func (c *cursor) relate(ctx context.Context, b *batch) error {
	f := &b.data
	last, err := lastOffset(ctx, f.source, b.codec)
	if cause := context.Cause(ctx); cause != nil {
		_ = f.source.Close() // as if it had not been started
		c.room.Return(f.cost)
		return cause
	}
	if err == nil {
		_ = f.source.Close() // it has been read completely
		f.source, err = c.link.codecs.open(b.codec, f.packed, f.cost)
	}
	if err != nil {
		b.refused = err
		return nil
	}
	b.relative = b.last - last
	return nil
}

// lastOffset returns the offset of the last message of a set. Compressed data may expand
// enormously, so it stops when the context ends, or at an invalid message.
func lastOffset(ctx context.Context, r io.Reader, codec kafka.Compression) (last int64, err error) {
	var head [lengthEnds]byte
	for ctx.Err() == nil {
		_, err := io.ReadFull(r, head[:])
		if errors.Is(err, io.EOF) {
			return last, nil
		}
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errCodec, err)
		}
		last = int64(binary.BigEndian.Uint64(head[:]))
		n, err := oldLength(head[:], codec)
		if err != nil {
			return 0, err
		}
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			return 0, fmt.Errorf("%w: %w", errCodec, err)
		}
	}
	return 0, ctx.Err()
}

// oldLength returns the length of a message after its offset and length fields. It returns an error
// if the length is invalid.
func oldLength(head []byte, codec kafka.Compression) (int64, error) {
	n := int64(int32(binary.BigEndian.Uint32(head[8:])))
	if least := int64(oldHeader + oldFields - lengthEnds); n < least {
		return 0, fmt.Errorf("%w: a message of %d bytes", errMalformed, n)
	}
	if n > recordLimit {
		return 0, &inflateError{codec.String(), n}
	}
	return n, nil
}

// oldRecord decodes one message. It returns io.EOF if there are no more.
func (c *cursor) oldRecord(ctx context.Context, b *batch) error {
	f := &b.data
	if err := c.want(ctx, f, lengthEnds); err != nil {
		return err
	}
	n, err := oldLength(f.rest, b.codec)
	if err != nil {
		return err
	}
	size := lengthEnds + int(n)
	if err := c.want(ctx, f, size); err != nil {
		return missing(err)
	}
	o, err := parseOld(f.rest[:size:size])
	if err != nil {
		return err
	}
	offset := o.offset + b.relative
	if o.codec != 0 {
		return fmt.Errorf("%w: offset %d, codec %d within a message", errMalformed, offset, o.codec)
	}
	m := stream.Message{TopicPartition: c.tp, Offset: offset, Key: o.key, Value: o.value, Time: time.UnixMilli(o.time).UTC()}
	return c.appendMessage(ctx, b, &m, size, 0)
}
