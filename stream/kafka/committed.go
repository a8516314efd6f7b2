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

// stableOffsets returns the group's committed offsets. It waits until no open transaction would
// change them (KIP-447). A partition without an offset has -1.
//
// There is no timeout. Aborting a transaction that seems to hang would be wrong: its outputs may be
// committed (see hanging.go) and would be written twice.
func (g *generation) stableOffsets(ctx context.Context, partitions []int) (map[int]int64, error) {
	var r *offsetFetchResponse
	err := g.source.retry("committed offsets").until(ctx, func() (err error) {
		if r, err = g.askOffsets(ctx, partitions); err == nil && r.unstable {
			err = kafka.UnstableOffsetCommit
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for the offsets of group %s: %w", g.source.settings.Group, err)
	}
	return r.of(partitions), nil
}

// askOffsets requests the offsets once.
func (g *generation) askOffsets(ctx context.Context, partitions []int) (*offsetFetchResponse, error) {
	r, err := g.source.link.transport.RoundTrip(ctx, g.source.link.addr,
		&offsetFetchRequest{client: g.source.link.cluster.ClientID, group: g.source.settings.Group, topic: g.source.settings.Topic, partitions: partitions})
	if err != nil {
		return nil, err
	}
	positions := r.(*offsetFetchResponse)
	return positions, positions.err
}

// offsetFetchRequest is OffsetFetch in version 7, the first that supports stable offsets; kafka-go
// supports up to version 5. It writes itself to the connection, as kafka-go allows, and names its
// coordinator's group.
type offsetFetchRequest struct {
	client, group, topic string
	partitions           []int
}

const offsetFetchVersion = 7

// ApiKey implements protocol.Message.
func (r *offsetFetchRequest) ApiKey() protocol.ApiKey { return protocol.OffsetFetch }

// Group implements protocol.GroupMessage.
func (r *offsetFetchRequest) Group() string { return r.group }

// Required implements protocol.RawExchanger.
func (r *offsetFetchRequest) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange implements protocol.RawExchanger.
func (r *offsetFetchRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	answer, err := exchange(rw, r.encode(), int64(1024+64*len(r.partitions)+4*len(r.topic)))
	if err != nil {
		return nil, err
	}
	return decodeOffsetFetch(answerOf(answer))
}

func (r *offsetFetchRequest) encode() []byte {
	b := appendText(flexibleRequest(protocol.OffsetFetch, offsetFetchVersion, r.client), r.group)
	b = binary.AppendUvarint(b, 2) // one topic
	b = appendText(b, r.topic)
	b = binary.AppendUvarint(b, uint64(len(r.partitions)+1))
	for _, p := range r.partitions {
		b = binary.BigEndian.AppendUint32(b, uint32(p))
	}
	b = append(b, 0) // no tagged fields of the topic
	b = append(b, 1) // require stable offsets
	return sealed(append(b, 0))
}

// offsetFetchResponse is the answer to an offsetFetchRequest.
type offsetFetchResponse struct {
	offsets map[int]int64
	// unstable is true if some offsets are part of an open transaction.
	unstable bool
	err      error
}

// ApiKey implements protocol.Message.
func (r *offsetFetchResponse) ApiKey() protocol.ApiKey { return protocol.OffsetFetch }

// of returns the offsets of partitions.
func (r *offsetFetchResponse) of(partitions []int) map[int]int64 {
	out := make(map[int]int64, len(partitions))
	for _, p := range partitions {
		out[p] = -1
		if offset, ok := r.offsets[p]; ok {
			out[p] = offset
		}
	}
	return out
}

// note records an error code.
func (r *offsetFetchResponse) note(code kafka.Error) {
	switch code {
	case 0:
	case kafka.UnstableOffsetCommit:
		r.unstable = true
	default:
		r.err = code
	}
}

var errShortAnswer = errors.New("kafka: truncated answer about offsets")

// decodeOffsetFetch decodes an answer.
func decodeOffsetFetch(d *flexible) (*offsetFetchResponse, error) {
	r := &offsetFetchResponse{offsets: map[int]int64{}}
	for range d.length() {
		d.next(d.length()) // topic
		for range d.length() {
			p, offset := int(int32(d.uint(4))), int64(d.uint(8))
			d.next(4)          // leader epoch
			d.next(d.length()) // metadata
			r.note(kafka.Error(int16(d.uint(2))))
			d.tags()
			r.offsets[p] = offset
		}
		d.tags()
	}
	// A group without commits is not an error.
	if code := kafka.Error(int16(d.uint(2))); code != kafka.GroupIdNotFound {
		r.note(code)
	}
	d.tags()
	if d.short {
		return nil, errShortAnswer
	}
	return r, nil
}
