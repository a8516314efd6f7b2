package kafka

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batchHeader is the length of a record batch before its records.
const batchHeader = 61

// format is the encoding of batches.
type format struct {
	transactional bool
	compression   kafka.Compression
}

// encode encodes messages as one record batch of format 2, preceded by its length as in produce
// requests. Without a producer id the sequence has no meaning:
//
//	length int32
//	base offset int64 | batch length int32 | leader epoch int32 | magic int8 | crc uint32
//	attributes int16 | last offset delta int32 | first and last time int64
//	producer id int64 | producer epoch int16 | base sequence int32 | records int32
//	records
//
// Numbers are big-endian. The checksum covers everything from the attributes on. See "Record Batch"
// in Kafka's protocol guide. kafka-go cannot encode batches with a producer id.
func (f format) encode(messages []*stream.Message, session kafka.ProducerSession, sequence int32) ([]byte, error) {
	b, err := f.pack(messages)
	if err != nil {
		return nil, err
	}
	return seal(b, session, sequence), nil
}

// pack is encode without the producer, which seal adds. The records stay uncompressed if
// compression does not make them smaller.
func (f format) pack(messages []*stream.Message) ([]byte, error) {
	const transactional = 0x10
	first := millis(messages[0].Time)
	last, size := first, 4+batchHeader
	times := make([]int64, len(messages))
	for i, m := range messages {
		times[i] = millis(m.Time)
		last = max(last, times[i])
		size += recordSize(m)
	}
	records := func(r *records) {
		for i, m := range messages {
			r.appendRecord(m, times[i]-first, int64(i))
		}
	}
	attributes := uint16(f.compression)
	b, err := f.compress(records, size)
	if b == nil && err == nil {
		attributes = 0
		plain := recordsInto(make([]byte, 4+batchHeader, size), nil)
		records(plain)
		b = plain.b
	}
	if err != nil {
		return nil, err
	}
	if f.transactional {
		attributes |= transactional
	}
	be := binary.BigEndian
	be.PutUint32(b, uint32(len(b)-4))
	h := b[4:]
	be.PutUint32(h[8:], uint32(len(h)-12))
	be.PutUint32(h[12:], ^uint32(0))
	h[16] = 2
	be.PutUint16(h[21:], attributes)
	be.PutUint32(h[23:], uint32(len(messages)-1))
	be.PutUint64(h[27:], uint64(first))
	be.PutUint64(h[35:], uint64(last))
	be.PutUint32(h[57:], uint32(len(messages)))
	return b, nil
}

// compress returns a batch with compressed records and space for its header. It returns nil if
// there is no compression or it gains nothing.
func (f format) compress(write func(*records), size int) ([]byte, error) {
	codec := f.compression.Codec()
	if codec == nil {
		return nil, nil
	}
	packed := bytes.NewBuffer(make([]byte, 4+batchHeader, 4+batchHeader+min(size/2, 1<<20)+256))
	w := codec.NewWriter(packed)
	r := recordsInto(make([]byte, 0, min(size, 2*direct)), w)
	write(r)
	r.flush()
	if err := cmp.Or(r.err, w.Close()); err != nil {
		return nil, err
	}
	if packed.Len() >= 4+batchHeader+r.total {
		return nil, nil
	}
	return packed.Bytes(), nil
}

// seal sets the producer and the checksum of a packed batch.
func seal(b []byte, session kafka.ProducerSession, sequence int32) []byte {
	be, h := binary.BigEndian, b[4:]
	be.PutUint64(h[43:], uint64(session.ProducerID))
	be.PutUint16(h[51:], uint16(session.ProducerEpoch))
	be.PutUint32(h[53:], uint32(sequence))
	be.PutUint32(h[17:], crc32.Checksum(h[21:], castagnoli))
	return b
}

// following returns the sequence after the given number of records. It wraps around after the
// largest number.
func following(sequence int32, records int) int32 {
	return int32((uint32(sequence) + uint32(records)) & math.MaxInt32)
}

// direct is the size from which bytes are passed to the compressor without a copy.
const direct = 1 << 15

// records encodes records into b or, if w is not nil, through b into w.
type records struct {
	b     []byte
	w     io.Writer
	total int // bytes written to w
	err   error
}

func recordsInto(b []byte, w io.Writer) *records { return &records{b: b, w: w} }

// flush writes the buffered bytes to w.
func (r *records) flush() {
	if r.err == nil {
		_, r.err = r.w.Write(r.b)
	}
	r.total, r.b = r.total+len(r.b), r.b[:0]
}

// appendRecord encodes a record, preceded by its length.
func (r *records) appendRecord(m *stream.Message, since, delta int64) {
	size := 1 + varintLen(since) + varintLen(delta) + nullableLen(m.Key) + nullableLen(m.Value) + varintLen(int64(len(m.Headers)))
	for _, h := range m.Headers {
		size += varintLen(int64(len(h.Key))) + len(h.Key) + nullableLen(h.Value)
	}
	r.b = append(binary.AppendVarint(r.b, int64(size)), 0) // attributes
	r.b = binary.AppendVarint(r.b, since)
	r.b = binary.AppendVarint(r.b, delta)
	r.nullable(m.Key)
	r.nullable(m.Value)
	r.b = binary.AppendVarint(r.b, int64(len(m.Headers)))
	for _, h := range m.Headers {
		r.b = binary.AppendVarint(r.b, int64(len(h.Key)))
		r.b = append(r.b, h.Key...)
		r.nullable(h.Value)
	}
	if r.w != nil && len(r.b) >= direct {
		r.flush()
	}
}

// nullable encodes bytes with their length, -1 for null.
func (r *records) nullable(v []byte) {
	if v == nil {
		r.b = binary.AppendVarint(r.b, -1)
		return
	}
	r.b = binary.AppendVarint(r.b, int64(len(v)))
	if r.w == nil || len(v) < direct {
		r.b = append(r.b, v...)
		return
	}
	r.flush()
	if r.err == nil {
		_, r.err = r.w.Write(v)
	}
	r.total += len(v)
}

func nullableLen(v []byte) int {
	if v == nil {
		return 1
	}
	return varintLen(int64(len(v))) + len(v)
}

// varintLen returns the number of bytes that binary.AppendVarint appends.
func varintLen(v int64) int {
	return (bits.Len64(uint64(v<<1)^uint64(v>>63)|1) + 6) / 7
}

// millis returns a record's time in milliseconds, or the present time if it has none.
func millis(t time.Time) int64 {
	if t.IsZero() {
		t = time.Now()
	}
	return t.UnixMilli()
}
