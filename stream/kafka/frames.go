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

// frames are the bytes of a batch's records, decompressed as far as they have been asked
// for. Messages lie in them.
type frames struct {
	// source decompresses packed; without one rest is all there is.
	source io.ReadCloser
	packed []byte
	// rest are bytes that have not been taken yet; they lie in a chunk, for which so much
	// of the room is held. size is that of the next chunk.
	rest  []byte
	chunk int64
	size  int
	// cost is held for the source, failed what it ended with.
	cost   int64
	failed error
}

const (
	leastChunk = 1 << 10
	mostChunk  = 256 << 10
	// mostHeaders bounds a record's; of the first usualHeaders names are remembered.
	mostHeaders  = 1 << 16
	usualHeaders = 32
	// usualRatio is what data that do not say so are expected to be decompressed to at first.
	usualRatio = 4
)

// errMalformed says that a batch is not as Kafka's protocol has it.
var errMalformed = errors.New("it is malformed")

// want makes at least n bytes of the rest be there. It takes the room for them first. At the
// end io.EOF if there are none at all, else io.ErrUnexpectedEOF.
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
	c.handing += f.chunk // the messages in it are out
	f.rest, f.chunk, f.size = chunk[:had+got], int64(size), min(2*size, mostChunk)
	if len(f.rest) < n {
		return f.end()
	}
	return nil
}

// end says how the frames end.
func (f *frames) end() error {
	switch {
	case f.failed != nil && !errors.Is(f.failed, io.EOF) && !errors.Is(f.failed, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", errCodec, f.failed)
	case len(f.rest) == 0:
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

// parseRecord reads a record of format 2, without its length. Key, value and headers' values
// lie in it; keys is what the headers' names take.
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

// name returns a header's name as a string: that of the message before, if it is the same.
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

// fields takes a record apart. Once it has come to the end too early all is empty.
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

// nullable reads bytes after their length, nil if that is -1.
func (d *fields) nullable() []byte {
	n := d.varint()
	if n == -1 {
		return nil
	}
	return d.next(n)
}
