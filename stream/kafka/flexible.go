package kafka

import (
	"encoding/binary"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// Requests that kafka-go does not support write themselves to the connection, as it allows, in the
// "flexible" encoding. Lengths are varints plus one, and every structure ends with its tagged
// fields.

// flexibleRequest begins a request, which sealed ends.
func flexibleRequest(key protocol.ApiKey, version uint16, client string) []byte {
	return append(requestHeader(key, version, client), 0)
}

// appendText appends a text.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s)+1)), s...)
}

// sealed sets a request's length.
func sealed(b []byte) []byte {
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// recent is the common part of requests that old brokers may not support.
type recent struct {
	key         protocol.ApiKey
	client      string
	unsupported bool
}

// ApiKey implements protocol.Message.
func (r *recent) ApiKey() protocol.ApiKey { return r.key }

// Required implements protocol.RawExchanger.
func (r *recent) Required(versions map[protocol.ApiKey]int16) bool {
	_, known := versions[r.key]
	r.unsupported = !known
	return true
}

// mostRecent bounds the answer to such a request in bytes. It may contain many partitions or
// producers.
const mostRecent = 1 << 24

// converse sends such a request and decodes the answer. without is the result for a broker that
// does not support the request.
func converse[T protocol.Message](r *recent, rw io.ReadWriter, request []byte, without T, decode func(*flexible) (T, error)) (protocol.Message, error) {
	if r.unsupported {
		return without, nil
	}
	answer, err := exchange(rw, request, mostRecent)
	if err != nil {
		return nil, err
	}
	m, err := decode(answerOf(answer))
	if err != nil {
		return nil, err
	}
	return m, nil
}

// answerOf returns a decoder of an answer, without its length, that has skipped the header and the
// throttle time.
func answerOf(answer []byte) *flexible {
	d := &flexible{rest: answer}
	d.next(4) // correlation id
	d.tags()
	d.next(4) // throttle time
	return d
}

// code decodes an error code, nil if it is 0.
func (d *flexible) code() error {
	if code := kafka.Error(int16(d.uint(2))); code != 0 {
		return code
	}
	return nil
}

// flexible decodes the fields of an answer. After a premature end, all values are zero and short is
// true.
type flexible struct {
	rest  []byte
	short bool
}

func (d *flexible) next(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.rest, d.short = nil, true
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

// uint decodes a big-endian number of n bytes.
func (d *flexible) uint(n int) (v uint64) {
	for _, c := range d.next(n) {
		v = v<<8 | uint64(c)
	}
	return v
}

func (d *flexible) varint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.rest, d.short = nil, true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// length decodes the number of following elements or bytes, 0 for null. It never exceeds the number
// of remaining bytes.
func (d *flexible) length() int {
	v := d.varint()
	if v == 0 {
		return 0
	}
	if v-1 > uint64(len(d.rest)) {
		d.rest, d.short = nil, true
		return 0
	}
	return int(v - 1)
}

// tags skips tagged fields.
func (d *flexible) tags() {
	for range d.varint() {
		if d.short {
			return
		}
		d.varint()
		n := d.varint()
		if n > uint64(len(d.rest)) {
			d.rest, d.short = nil, true
			return
		}
		d.next(int(n))
	}
}
