package kafka

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batchHeader is the length of a record batch before its records.
const batchHeader = 61

// format is how batches are encoded.
type format struct {
	transactional bool
	compression   kafka.Compression
}

// encode encodes messages as one record batch of format 2, with its length before it as
// produce requests have it; without a producer's id the sequence means nothing:
//
//	length int32
//	base offset int64 | batch length int32 | leader epoch int32 | magic int8 | crc uint32
//	attributes int16 | last offset delta int32 | first and last time int64
//	producer id int64 | producer epoch int16 | base sequence int32 | records int32
//	records
//
// Numbers are big-endian; the checksum covers all from the attributes on. Kafka's
// protocol guide, "Record Batch". kafka-go encodes no batches with a producer's id.
func (f format) encode(messages []*stream.Message, session kafka.ProducerSession, sequence int32) ([]byte, error) {
	const transactional = 0x10
	size := 4 + batchHeader
	for _, m := range messages {
		size += recordSize(m)
	}
	b := make([]byte, 4+batchHeader, size)
	first := millis(messages[0].Time)
	last := first
	var record []byte
	for i, m := range messages {
		at := millis(m.Time)
		last = max(last, at)
		record = appendRecord(record[:0], m, at-first, int64(i))
		b = append(binary.AppendVarint(b, int64(len(record))), record...)
	}
	attributes := uint16(f.compression)
	if f.transactional {
		attributes |= transactional
	}
	if codec := f.compression.Codec(); codec != nil {
		packed := bytes.NewBuffer(make([]byte, 4+batchHeader, len(b)/2+256))
		w := codec.NewWriter(packed)
		_, err := w.Write(b[4+batchHeader:])
		if err := cmp.Or(err, w.Close()); err != nil {
			return nil, err
		}
		b = packed.Bytes()
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
	be.PutUint64(h[43:], uint64(session.ProducerID))
	be.PutUint16(h[51:], uint16(session.ProducerEpoch))
	be.PutUint32(h[53:], uint32(sequence))
	be.PutUint32(h[57:], uint32(len(messages)))
	be.PutUint32(h[17:], crc32.Checksum(h[21:], castagnoli))
	return b, nil
}

// following is the sequence that comes so many records later: it begins anew behind the
// largest number.
func following(sequence int32, records int) int32 {
	return int32((uint32(sequence) + uint32(records)) & math.MaxInt32)
}

func appendRecord(b []byte, m *stream.Message, since, delta int64) []byte {
	b = append(b, 0) // attributes
	b = binary.AppendVarint(b, since)
	b = binary.AppendVarint(b, delta)
	b = appendNullable(b, m.Key)
	b = appendNullable(b, m.Value)
	b = binary.AppendVarint(b, int64(len(m.Headers)))
	for _, h := range m.Headers {
		b = binary.AppendVarint(b, int64(len(h.Key)))
		b = append(b, h.Key...)
		b = appendNullable(b, h.Value)
	}
	return b
}

// appendNullable appends bytes with their length, -1 for null.
func appendNullable(b, v []byte) []byte {
	if v == nil {
		return binary.AppendVarint(b, -1)
	}
	return append(binary.AppendVarint(b, int64(len(v))), v...)
}

// millis is a record's time; one that has none gets the present.
func millis(t time.Time) int64 {
	if t.IsZero() {
		t = time.Now()
	}
	return t.UnixMilli()
}
