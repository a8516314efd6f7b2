package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// stablePositions asks for the group's positions and waits until no transaction
// that would move them is open (KIP-447). A partition without one has -1.
//
// It waits as long as that takes. To abort what seems to hang is no way out: its
// outputs may be committed (see unfinished.go), and would come twice.
func (g *generation) stablePositions(ctx context.Context, partitions []int) (map[int]int64, error) {
	var r *positionsResponse
	err := g.source.retry("positions").until(ctx, func() (err error) {
		if r, err = g.askPositions(ctx, partitions); err == nil && r.unstable {
			err = kafka.UnstableOffsetCommit
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for the positions of group %s: %w", g.source.settings.Group, err)
	}
	return r.of(partitions), nil
}

// askPositions asks once.
func (g *generation) askPositions(ctx context.Context, partitions []int) (*positionsResponse, error) {
	r, err := g.source.link.transport.RoundTrip(ctx, g.source.link.addr,
		&positionsRequest{client: g.source.link.cluster.ClientID, group: g.source.settings.Group, topic: g.source.settings.Topic, partitions: partitions})
	if err != nil {
		return nil, err
	}
	positions := r.(*positionsResponse)
	return positions, positions.err
}

// positionsRequest is OffsetFetch in version 7, the first that can ask for stable
// positions; kafka-go knows it up to version 5. It writes itself to the connection,
// as the library allows, and says which coordinator it is for.
type positionsRequest struct {
	client, group, topic string
	partitions           []int
}

const positionsVersion = 7

// ApiKey implements protocol.Message.
func (r *positionsRequest) ApiKey() protocol.ApiKey { return protocol.OffsetFetch }

// Group implements protocol.GroupMessage.
func (r *positionsRequest) Group() string { return r.group }

// Required implements protocol.RawExchanger.
func (r *positionsRequest) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange implements protocol.RawExchanger.
func (r *positionsRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	answer, err := exchange(rw, r.encode(), int64(1024+64*len(r.partitions)+4*len(r.topic)))
	if err != nil {
		return nil, err
	}
	return decodePositions(answer)
}

// encode writes the request in the "flexible" form: lengths are varints, one more
// than they say, and every structure ends with its count of tagged fields.
func (r *positionsRequest) encode() []byte {
	be := binary.BigEndian
	b := append(requestHeader(protocol.OffsetFetch, positionsVersion, r.client), 0)
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)+1))
		b = append(b, s...)
	}
	text(r.group)
	b = binary.AppendUvarint(b, 2) // one topic
	text(r.topic)
	b = binary.AppendUvarint(b, uint64(len(r.partitions)+1))
	for _, p := range r.partitions {
		b = be.AppendUint32(b, uint32(p))
	}
	b = append(b, 0) // of the topic
	b = append(b, 1) // stable positions only
	b = append(b, 0)
	be.PutUint32(b, uint32(len(b)-4))
	return b
}

// positionsResponse answers a positionsRequest.
type positionsResponse struct {
	offsets map[int]int64
	// unstable: some are part of an open transaction.
	unstable bool
	err      error
}

// ApiKey implements protocol.Message.
func (r *positionsResponse) ApiKey() protocol.ApiKey { return protocol.OffsetFetch }

// of returns the positions of partitions.
func (r *positionsResponse) of(partitions []int) map[int]int64 {
	out := make(map[int]int64, len(partitions))
	for _, p := range partitions {
		out[p] = -1
		if offset, ok := r.offsets[p]; ok {
			out[p] = offset
		}
	}
	return out
}

// note takes an error's code down, if it is one.
func (r *positionsResponse) note(code kafka.Error) {
	switch code {
	case 0:
	case kafka.UnstableOffsetCommit:
		r.unstable = true
	default:
		r.err = code
	}
}

var errShortAnswer = errors.New("kafka: an answer about positions that ends too early")

// decodePositions reads an answer without its length.
func decodePositions(answer []byte) (*positionsResponse, error) {
	r := &positionsResponse{offsets: map[int]int64{}}
	d := &flexible{rest: answer}
	d.take(4) // correlation id
	d.tags()
	d.take(4) // throttle time
	for range d.length() {
		d.take(d.length()) // topic
		for range d.length() {
			p, offset := int(int32(d.uint(4))), int64(d.uint(8))
			d.take(4)          // leader epoch
			d.take(d.length()) // metadata
			r.note(kafka.Error(int16(d.uint(2))))
			d.tags()
			r.offsets[p] = offset
		}
		d.tags()
	}
	// A group that never committed anything is not an error.
	if code := kafka.Error(int16(d.uint(2))); code != kafka.GroupIdNotFound {
		r.note(code)
	}
	d.tags()
	if d.short {
		return nil, errShortAnswer
	}
	return r, nil
}

// flexible reads the parts of an answer. Once it has come to the end too early all
// it reads is empty.
type flexible struct {
	rest  []byte
	short bool
}

func (d *flexible) take(n int) []byte {
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
	for _, c := range d.take(n) {
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
		d.take(int(n))
	}
}
