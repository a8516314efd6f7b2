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
	return decodePositions(answerOf(answer))
}

func (r *positionsRequest) encode() []byte {
	b := appendText(flexibleRequest(protocol.OffsetFetch, positionsVersion, r.client), r.group)
	b = binary.AppendUvarint(b, 2) // one topic
	b = appendText(b, r.topic)
	b = binary.AppendUvarint(b, uint64(len(r.partitions)+1))
	for _, p := range r.partitions {
		b = binary.BigEndian.AppendUint32(b, uint32(p))
	}
	b = append(b, 0) // of the topic
	b = append(b, 1) // stable positions only
	return sealed(append(b, 0))
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

// decodePositions reads an answer.
func decodePositions(d *flexible) (*positionsResponse, error) {
	r := &positionsResponse{offsets: map[int]int64{}}
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
