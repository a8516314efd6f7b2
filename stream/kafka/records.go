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

// batch is a record batch in progress. It has format 2, or is a message of formats 0 and 1, which
// may contain compressed inner messages (oldset.go).
type batch struct {
	// raw is the encoded batch. last is its last offset.
	raw        []byte
	base, last int64
	codec      kafka.Compression
	format     byte
	// left is the number of remaining records, -1 if unknown.
	left int
	// first is the base of the records' times. If appended is true, all records have the time at,
	// when the broker appended the batch.
	first, at int64
	appended  bool
	// seen is the offset of the last decoded record.
	seen int64
	// relative is added to the offsets of inner messages of format 1.
	relative int64

	data frames
	// names are the header names of the previous message.
	names []string
	// refused is the reason why the rest of the batch cannot be read.
	refused error
}

// Attribute bits and fields of a batch of format 2.
const (
	transactionalBatch = 0x10
	controlBatch       = 0x20
	appendTime         = 0x08
	// lengthEnds is the end of the length field of a batch or message. The length counts from
	// there.
	lengthEnds = 12
	// leastBatch is the number of bytes needed to read the format.
	leastBatch = 17
)

// errChecksum is the error of a batch that was damaged, perhaps only in transit.
var errChecksum = errors.New("its checksum is wrong")

// whole removes an incomplete batch at the answer's end. If only offsets before the wanted one
// remain, the wanted offset moves on.
func (c *cursor) whole() error {
	n := 0
	for len(c.rest)-n >= lengthEnds {
		size := int64(int32(binary.BigEndian.Uint32(c.rest[n+8:]))) + lengthEnds
		if size < leastBatch {
			return fmt.Errorf("unreadable batch at offset %d: a length of %d bytes", c.next, size)
		}
		if size > int64(len(c.rest)-n) {
			break
		}
		n += int(size)
	}
	if n == 0 && len(c.rest) > 0 {
		return fmt.Errorf("unreadable batch at offset %d: the first %d bytes of it came", c.next, len(c.rest))
	}
	c.rest = c.rest[:n]
	if n == 0 {
		c.dismiss()
	}
	return nil
}

// open begins the next batch of the answer. It skips the batch if it contains no messages to
// return.
//
// A transaction's records lie between its first offset, which the broker lists if the transaction
// was aborted, and the marker that ends it. Records of other producers are interleaved. A producer
// has one open transaction at a time.
func (c *cursor) open(ctx context.Context) error {
	size := int(binary.BigEndian.Uint32(c.rest[8:])) + lengthEnds
	b := &batch{raw: c.rest[:size], format: c.rest[16], base: int64(binary.BigEndian.Uint64(c.rest)), seen: -1}
	var skip bool
	var err error
	switch b.format {
	case 0, 1:
		err = b.oldHead()
	case 2:
		skip, err = c.head(b)
	default:
		err = fmt.Errorf("message format %d is not supported", b.format)
	}
	// The checksum does not cover a batch's first offset. A wrong one would pass over messages.
	if err == nil && c.end > 0 && b.base >= c.end {
		err = fmt.Errorf("the partition ends at offset %d", c.end)
	}
	if err != nil {
		return fmt.Errorf("unreadable batch at offset %d: %w", b.base, err)
	}
	if skip || b.last < c.next {
		c.pass(b, size)
		return nil
	}
	if err := c.begin(ctx, b); err != nil {
		return err
	}
	c.batch = b
	c.rest = c.rest[size:]
	return nil
}

// head decodes the header of a batch of format 2. skip is true for markers and batches of aborted
// transactions.
func (c *cursor) head(b *batch) (skip bool, err error) {
	if len(b.raw) < batchHeader {
		return false, fmt.Errorf("%d bytes are no header", len(b.raw))
	}
	be, h := binary.BigEndian, b.raw
	if crc32.Checksum(h[21:], castagnoli) != be.Uint32(h[17:]) {
		return false, errChecksum
	}
	attributes := be.Uint16(h[21:])
	b.codec, b.appended = kafka.Compression(attributes&7), attributes&appendTime != 0
	b.last = b.base + int64(int32(be.Uint32(h[23:])))
	b.first, b.at = int64(be.Uint64(h[27:])), int64(be.Uint64(h[35:]))
	b.left = int(int32(be.Uint32(h[57:])))
	if b.left < 0 {
		b.refused = fmt.Errorf("%w: %d records", errMalformed, b.left)
	}
	b.data.rest = h[batchHeader:]
	producer := int64(be.Uint64(h[43:]))
	// This also applies before a marker: an answer may begin with the marker of a transaction that
	// the broker lists.
	rest := c.pending[:0:0]
	for _, t := range c.pending {
		if t.first <= b.base {
			c.aborted[t.producer] = true
		} else {
			rest = append(rest, t)
		}
	}
	c.pending = rest
	if attributes&controlBatch != 0 {
		delete(c.aborted, producer)
		return true, nil
	}
	return attributes&transactionalBatch != 0 && c.aborted[producer], nil
}

// begin reserves the memory for reading a batch, without its records.
func (c *cursor) begin(ctx context.Context, b *batch) error {
	if b.last < b.base {
		b.refused = fmt.Errorf("%w: its last offset is %d", errMalformed, b.last)
	}
	if b.refused != nil {
		return nil
	}
	f := &b.data
	if b.codec == kafka.Compression(0) {
		// Its messages refer to the answer.
		n := int64(len(f.rest))
		paid := min(n, c.surplus)
		if err := c.reserve(ctx, n-paid); err != nil {
			return err
		}
		c.surplus -= paid
		f.chunk = n
	} else if err := c.inflate(ctx, b); err != nil {
		return err
	}
	if b.format == 1 && f.source != nil {
		return c.relate(ctx, b)
	}
	return nil
}

// inflate opens the decompressor of a batch.
func (c *cursor) inflate(ctx context.Context, b *batch) error {
	f := &b.data
	cost, hint, err := c.link.codecs.cost(b.codec, f.rest)
	if err != nil {
		b.refused = err
		return nil
	}
	if err := c.reserve(ctx, cost); err != nil {
		return err
	}
	f.cost, f.packed = cost, f.rest
	f.source, err = c.link.codecs.open(b.codec, f.packed, cost)
	if err != nil {
		b.refused = err
	}
	f.rest = nil
	f.size = int(min(max(hint, leastChunk), mostChunk))
	if hint == 0 {
		f.size = min(max(usualRatio*len(f.packed), leastChunk), mostChunk)
	}
	return nil
}

// pass continues after a batch of the answer.
func (c *cursor) pass(b *batch, size int) {
	c.rest = c.rest[size:]
	c.next = max(c.next, b.last+1)
	c.past()
}

// past releases the answer if it has no more batches.
func (c *cursor) past() {
	if len(c.rest) > 0 {
		return
	}
	if c.next == c.begun {
		// The broker's batches reach the wanted offset but contain nothing from there on:
		// compaction has removed it.
		c.next++
	}
	c.dismiss()
}

// closeBatch releases the batch in progress.
func (c *cursor) closeBatch() {
	f := &c.batch.data
	if f.source != nil {
		_ = f.source.Close() // it has been read already
	}
	c.handing += f.chunk
	c.room.Return(f.cost)
	c.batch = nil
}

// records returns messages of the batch in progress, to its end or until the run is full. The
// unreadable rest of a batch becomes one message for the dead letters.
func (c *cursor) records(ctx context.Context) error {
	b := c.batch
	for b.refused == nil && b.left != 0 {
		if c.handing >= pieceBytes || len(c.run.Messages) >= pieceMessages {
			return nil
		}
		err := c.record(ctx, b)
		switch {
		case errors.Is(err, errNoRoom), err != nil && ctx.Err() != nil:
			return err
		case errors.Is(err, io.EOF) && b.left < 0:
			b.left = 0
		case err != nil:
			b.refused = err
		}
	}
	if b.refused != nil {
		return c.refuse(ctx, b)
	}
	c.closeBatch()
	c.next = max(c.next, b.last+1)
	c.past()
	return nil
}

// refuse returns the encoded rest of a batch, in a run of its own.
func (c *cursor) refuse(ctx context.Context, b *batch) error {
	if len(c.run.Messages) > 0 {
		return errNoRoom
	}
	n := int64(len(b.raw))
	paid := min(n, c.surplus)
	if err := c.reserve(ctx, n-paid); err != nil {
		return err
	}
	c.surplus -= paid
	c.handing += n
	at := b.at
	if b.format < 2 {
		at = b.first
	}
	why := b.refused
	var large *inflateError
	if !errors.As(why, &large) {
		why = fmt.Errorf("a batch cannot be read: %w", why)
	}
	c.run.Messages = []stream.Message{{
		TopicPartition: c.tp, Offset: b.last, Value: b.raw, Time: time.UnixMilli(at).UTC(),
		Unreadable: fmt.Errorf("offsets %d to %d: %w", min(max(b.base, c.next), b.last), b.last, why),
	}}
	c.closeBatch()
	c.next = b.last + 1
	c.past()
	return errNoRoom
}

// record decodes one record. It skips records before the wanted offset, because brokers return
// whole batches.
func (c *cursor) record(ctx context.Context, b *batch) error {
	if b.format < 2 {
		return c.oldRecord(ctx, b)
	}
	body, size, err := c.frame(ctx, b)
	if err != nil {
		return err
	}
	m := stream.Message{TopicPartition: c.tp}
	keys, err := parseRecord(body, b, &m)
	if err != nil {
		return err
	}
	return c.appendMessage(ctx, b, &m, size, keys)
}

// frame finds the next record. It returns the record's bytes, and their number including the length
// field.
func (c *cursor) frame(ctx context.Context, b *batch) (body []byte, size int, err error) {
	f := &b.data
	n, k := binary.Varint(f.rest)
	for k == 0 {
		if len(f.rest) > binary.MaxVarintLen64 {
			return nil, 0, errMalformed
		}
		if err := c.want(ctx, f, len(f.rest)+1); err != nil {
			return nil, 0, missing(err)
		}
		n, k = binary.Varint(f.rest)
	}
	if k < 0 || n < 0 {
		return nil, 0, fmt.Errorf("%w: a record of %d bytes", errMalformed, n)
	}
	if n > recordLimit {
		return nil, 0, &inflateError{b.codec.String(), n}
	}
	size = k + int(n)
	if err := c.want(ctx, f, size); err != nil {
		return nil, 0, missing(err)
	}
	return f.rest[k:size:size], size, nil
}

// missing returns the error of a batch that ends too early.
func missing(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", errMalformed)
	}
	return err
}

// appendMessage appends a message to the run. size is its size in the frames.
func (c *cursor) appendMessage(ctx context.Context, b *batch, m *stream.Message, size int, keys int64) error {
	if m.Offset > b.last || m.Offset < b.base || m.Offset <= b.seen {
		return fmt.Errorf("%w: offset %d", errMalformed, m.Offset)
	}
	if m.Offset >= c.next {
		cost := m.Overhead() + keys
		if c.credit < cost {
			n := cost + creditMessages*m.Overhead()
			if err := c.reserve(ctx, n); err != nil {
				return err
			}
			c.credit += n
		}
		c.credit -= cost
		c.handing += cost
		if c.run.Messages == nil {
			c.run.Messages = make([]stream.Message, 0, min(max(b.left, 1), pieceMessages, 1+len(b.raw)))
		}
		c.run.Messages = append(c.run.Messages, *m)
		c.next = m.Offset + 1
	}
	b.data.rest, b.seen = b.data.rest[size:], m.Offset
	if b.left > 0 {
		b.left--
	}
	return nil
}
