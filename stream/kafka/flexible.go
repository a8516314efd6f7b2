package kafka

import (
	"encoding/binary"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// Requests that the library does not know write themselves to the connection, as it
// allows, in the "flexible" form: lengths are varints, one more than they say, and every
// structure ends with its count of tagged fields.

// flexibleRequest begins one; sealed ends it.
func flexibleRequest(key protocol.ApiKey, version uint16, client string) []byte {
	return append(requestHeader(key, version, client), 0)
}

// appendText appends a text.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s)+1)), s...)
}

// sealed puts a request's length before it.
func sealed(b []byte) []byte {
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// recent is what requests have in common that brokers may not know, either.
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

// mostRecent bounds the answer to such a request, which may name many partitions or
// producers.
const mostRecent = 1 << 24

// converse sends such a request and reads the answer; without is the answer for a broker
// that does not know the request.
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

// answerOf reads an answer, without its length, from behind its header and throttle time.
func answerOf(answer []byte) *flexible {
	d := &flexible{rest: answer}
	d.next(4) // correlation id
	d.tags()
	d.next(4) // throttle time
	return d
}

// code is an error's, nil if it is none.
func (d *flexible) code() error {
	if code := kafka.Error(int16(d.uint(2))); code != 0 {
		return code
	}
	return nil
}

// flexible reads the parts of an answer. Once it has come to the end too early all
// it reads is empty.
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

// uint reads a big-endian number of n bytes.
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

// length reads how many elements or bytes follow; 0 for null. There are never more
// than bytes left.
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
