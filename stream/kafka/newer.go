package kafka

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// newer is a request that kafka-go does not support in this version, or answers from its cache.
// Package kmsg encodes and decodes it. It writes itself to a connection of kafka-go, as that allows.
// Any broker may answer; the types below choose one.
type newer struct {
	kmsg.Request
	client string
	// shown is a request that brokers support from version least on only if they also support this
	// one. kafka-go keeps no versions beyond those that it supports.
	shown       protocol.ApiKey
	least       int16
	unsupported bool
}

// newer returns a request that brokers support if they support version least of shown.
func (l *link) newer(r kmsg.Request, shown protocol.ApiKey, least int16) *newer {
	return &newer{Request: r, client: l.cluster.ClientID, shown: shown, least: least}
}

// ApiKey implements protocol.Message.
func (r *newer) ApiKey() protocol.ApiKey { return protocol.ApiKey(r.Key()) }

// Required implements protocol.RawExchanger.
func (r *newer) Required(versions map[protocol.ApiKey]int16) bool {
	version, known := versions[r.shown]
	r.unsupported = !known || version < r.least
	return true
}

// RawExchange implements protocol.RawExchanger.
func (r *newer) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	if r.unsupported {
		return &newerAnswer{err: kafka.UnsupportedVersion}, nil
	}
	a, err := converse(rw, r.Request, r.client, atMost(mostRecent))
	if err != nil {
		return nil, err
	}
	return &newerAnswer{Response: a}, nil
}

// toGroup is a request to the coordinator of a group, toOwner to that of a transactional id,
// toLeader to the leader of a partition.
type (
	toGroup struct {
		*newer
		group string
	}
	toOwner struct {
		*newer
		id string
	}
	toLeader struct {
		*newer
		tp stream.TopicPartition
	}
)

// Group implements protocol.GroupMessage.
func (r toGroup) Group() string { return r.group }

// Transaction implements protocol.TransactionalMessage.
func (r toOwner) Transaction() string { return r.id }

// Broker implements protocol.BrokerMessage.
func (r toLeader) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	return (&rawFetch{tp: r.tp, follower: leader}).Broker(cluster)
}

// newerAnswer is the answer to such a request. It has an error instead if the broker is too old.
type newerAnswer struct {
	kmsg.Response
	err error
}

// ApiKey implements protocol.Message.
func (a *newerAnswer) ApiKey() protocol.ApiKey { return protocol.ApiKey(a.Key()) }

// ask sends such a request.
func ask[T kmsg.Response](ctx context.Context, l *link, r protocol.Message) (answer T, err error) {
	m, err := l.transport.RoundTrip(ctx, l.addr, r)
	if err != nil {
		return answer, err
	}
	a := m.(*newerAnswer)
	if a.err != nil {
		return answer, a.err
	}
	return a.Response.(T), nil
}

// coded returns the error of a code, nil if it is 0.
func coded(code int16) error {
	if code == 0 {
		return nil
	}
	return kafka.Error(code)
}

// mostRecent bounds the answer to such a request in bytes. It may contain many partitions or
// producers.
const mostRecent = 1 << 24

// atMost admits answers of up to most bytes.
func atMost(most int64) func(n int64) error {
	return func(n int64) error {
		if n > most {
			return fmt.Errorf("kafka: an answer of %d bytes, more than %d", n, most)
		}
		return nil
	}
}

// converse writes a request and decodes the answer, whose length in bytes must be admitted.
func converse(rw io.ReadWriter, request kmsg.Request, client string, admit func(n int64) error) (kmsg.Response, error) {
	b := kmsg.NewRequestFormatter(kmsg.FormatterClientID(client)).AppendRequest(nil, request, ownRequest)
	if _, err := rw.Write(b); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(rw, size[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if err := admit(n); err != nil {
		return nil, err
	}
	b = make([]byte, n)
	if _, err := io.ReadFull(rw, b); err != nil {
		return nil, err
	}
	answer := request.ResponseKind()
	return answer, decodeAnswer(answer, b)
}

// decodeAnswer decodes an answer without its length. Its header is the correlation id and, for newer
// versions, tagged fields.
func decodeAnswer(into kmsg.Response, b []byte) error {
	if body, whole := behindHeader(into, b); !whole || into.ReadFrom(body) != nil {
		return fmt.Errorf("kafka: a truncated answer to %s", kmsg.NameForKey(into.Key()))
	}
	return nil
}

// behindHeader returns the body of such an answer. whole is false if the answer ends in its header.
func behindHeader(of kmsg.Response, b []byte) (body []byte, whole bool) {
	d := &fields{rest: b}
	d.next(4)
	if of.IsFlexible() && protocol.ApiKey(of.Key()) != protocol.ApiVersions { // whose header any client can read
		d.tags()
	}
	return d.rest, !d.short
}

// tags skips tagged fields.
func (d *fields) tags() {
	for n := d.uvarint(); n > 0 && !d.short; n-- {
		d.uvarint()
		d.next(int64(d.uvarint()))
	}
}

// uvarint decodes a number without a sign.
func (d *fields) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		n = -1 // too short, or too large
	}
	d.next(int64(n))
	return v
}
