package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"unfold/stream"
)

// frames are the bytes of a batch's records, decompressed as far as they were needed. Messages
// refer to them.
type frames struct {
	// source decompresses packed. If it is nil, rest contains everything.
	source io.ReadCloser
	packed []byte
	// rest are the bytes that have not been decoded. They are in a chunk, and chunk is its reserved
	// memory. size is the size of the next chunk.
	rest  []byte
	chunk int64
	size  int
	// cost is the memory reserved for the source, failed its final error.
	cost   int64
	failed error
}

const (
	leastChunk = 1 << 10
	mostChunk  = 256 << 10
	// mostHeaders bounds the number of headers of a record. The names of the first usualHeaders are
	// cached.
	mostHeaders  = 1 << 16
	usualHeaders = 32
	// usualRatio is the assumed compression ratio of data that do not state their size.
	usualRatio = 4
)

// errMalformed is the error of a batch that violates Kafka's protocol.
var errMalformed = errors.New("it is malformed")

// want extends rest to at least n bytes, after it has reserved memory. At the end it returns io.EOF
// if there are none, else io.ErrUnexpectedEOF.
func (c *cursor) want(ctx context.Context, f *frames, n int) error {
	if len(f.rest) >= n {
		return nil
	}
	if f.source == nil || f.failed != nil {
		return f.end()
	}
	size := max(n, f.size)
	if err := c.reserve(ctx, int64(size)); err != nil {
		return err
	}
	chunk := make([]byte, size)
	had := copy(chunk, f.rest)
	got, err := io.ReadFull(f.source, chunk[had:])
	if err != nil {
		f.failed = err
	}
	c.handing += f.chunk // its messages have been returned
	f.rest, f.chunk, f.size = chunk[:had+got], int64(size), min(2*size, mostChunk)
	if len(f.rest) < n {
		return f.end()
	}
	return nil
}

// end returns the error at the end of the frames.
func (f *frames) end() error {
	switch {
	case f.failed != nil && !errors.Is(f.failed, io.EOF) && !errors.Is(f.failed, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", errCodec, f.failed)
	case len(f.rest) == 0:
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

// parseRecord decodes a record of format 2, without its length. Key, value and headers' values
// refer to body. keys is the memory of the headers' names.
func parseRecord(body []byte, b *batch, m *stream.Message) (keys int64, err error) {
	d := fields{rest: body}
	d.next(1) // attributes
	at := b.first + d.varint()
	if b.appended {
		at = b.at
	}
	m.Time = time.UnixMilli(at).UTC()
	m.Offset = b.base + d.varint()
	m.Key = d.nullable()
	m.Value = d.nullable()
	n := d.varint()
	if d.short || n < 0 || n > mostHeaders {
		return 0, fmt.Errorf("%w: a record of %d bytes, %d headers", errMalformed, len(body), n)
	}
	if n > 0 {
		m.Headers = make([]stream.Header, n)
	}
	for i := range m.Headers {
		m.Headers[i] = stream.Header{Key: b.name(i, d.next(d.varint())), Value: d.nullable()}
		keys += int64(len(m.Headers[i].Key))
	}
	if d.short || len(d.rest) > 0 {
		return 0, fmt.Errorf("%w: a record of %d bytes does not end with its last header", errMalformed, len(body))
	}
	return keys, nil
}

// name returns a header's name as a string. It reuses that of the previous message if it is the
// same.
func (b *batch) name(i int, name []byte) string {
	if i < len(b.names) && b.names[i] == string(name) {
		return b.names[i]
	}
	s := string(name)
	if i < usualHeaders {
		b.names = append(b.names[:i:i], s)
	}
	return s
}

// fields decodes fields one by one. After a premature end, all values are empty and short is true.
type fields struct {
	rest  []byte
	short bool
}

func (d *fields) next(n int64) []byte {
	if n < 0 || n > int64(len(d.rest)) {
		d.rest, d.short = nil, true
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *fields) varint() int64 {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.rest, d.short = nil, true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// uint decodes a big-endian number of n bytes.
func (d *fields) uint(n int64) (v uint64) {
	for _, c := range d.next(n) {
		v = v<<8 | uint64(c)
	}
	return v
}

// nullable decodes bytes with their length, nil if that is -1.
func (d *fields) nullable() []byte {
	n := d.varint()
	if n == -1 {
		return nil
	}
	return d.next(n)
}
