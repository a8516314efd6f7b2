package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/metadata"

	"unfold/stream"
)

// shape tells topics of one name apart, and says how many partitions one has.
type shape struct {
	// id is zero where brokers have none: before 2.8.
	id [16]byte
	// partitions is 0 if there is no such topic.
	partitions int
}

// another reports whether a topic was created again.
func (s shape) another(than shape) bool {
	none := [16]byte{}
	return s.id != than.id && s.id != none && than.id != none
}

// shape asks a broker what a topic is now, where the transport would answer from what it keeps.
func (l *link) shape(ctx context.Context, topic string) (shape, error) {
	r, err := l.transport.RoundTrip(ctx, l.addr, &shapeRequest{client: l.cluster.ClientID, topic: topic})
	if err != nil {
		return shape{}, err
	}
	answer := r.(*shapeResponse)
	if errors.Is(answer.err, kafka.UnsupportedVersion) {
		return l.oldShape(ctx, topic)
	}
	return answer.shape, answer.err
}

// oldShape is shape for brokers without ids of topics.
func (l *link) oldShape(ctx context.Context, topic string) (shape, error) {
	r, err := l.transport.RoundTrip(ctx, l.addr, &aclRequest{client: l.cluster.ClientID, Request: metadata.Request{TopicNames: []string{topic}}})
	if err != nil {
		return shape{}, err
	}
	for _, t := range r.(*aclResponse).Topics {
		if err := kafka.Error(t.ErrorCode); err != 0 && err != kafka.UnknownTopicOrPartition && len(t.Partitions) == 0 {
			return shape{}, err
		}
		if t.Name == topic {
			return shape{partitions: len(t.Partitions)}, nil
		}
	}
	return shape{}, nil
}

// goneError says that a topic is there no more.
func (l *link) goneError(topic string) error {
	return fmt.Errorf("kafka: topic %s on %s: %w: it was deleted; it is read again once it has been created again",
		topic, strings.Join(l.cluster.Brokers, ","), stream.ErrUnknownTopic)
}

// shapeRequest is Metadata in version 10, the first with the ids of topics, for one topic; the
// library knows it up to version 8. It creates no topic.
type shapeRequest struct {
	client, topic string
	unsupported   bool
}

const shapeVersion = 10

// ApiKey implements protocol.Message.
func (r *shapeRequest) ApiKey() protocol.ApiKey { return protocol.Metadata }

// Required implements protocol.RawExchanger. The library keeps no version beyond those that
// it knows; brokers that know DescribeProducers know this one, too, both since 2.8.
func (r *shapeRequest) Required(versions map[protocol.ApiKey]int16) bool {
	_, known := versions[describeProducers]
	r.unsupported = !known
	return true
}

// RawExchange implements protocol.RawExchanger.
func (r *shapeRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	same := &recent{unsupported: r.unsupported}
	return converse(same, rw, r.encode(), &shapeResponse{err: kafka.UnsupportedVersion}, decodeShape)
}

func (r *shapeRequest) encode() []byte {
	b := binary.AppendUvarint(flexibleRequest(protocol.Metadata, shapeVersion, r.client), 2) // one topic
	b = append(b, make([]byte, 16)...)                                                       // by its name, not its id
	b = appendText(b, r.topic)
	// No tagged fields of the topic, no creation, no permissions of the cluster, none of the
	// topic, no tagged fields.
	return sealed(append(b, 0, 0, 0, 0, 0))
}

// shapeResponse answers a shapeRequest.
type shapeResponse struct {
	shape
	err error
}

// ApiKey implements protocol.Message.
func (r *shapeResponse) ApiKey() protocol.ApiKey { return protocol.Metadata }

var errShortShape = errors.New("kafka: an answer about a topic that ends too early")

// decodeShape reads an answer, about one topic.
func decodeShape(d *flexible) (*shapeResponse, error) {
	for range d.length() { // brokers
		d.next(4)          // id
		d.next(d.length()) // host
		d.next(4)          // port
		d.next(d.length()) // rack
		d.tags()
	}
	d.next(d.length()) // cluster
	d.next(4)          // controller
	r := &shapeResponse{}
	if d.length() == 0 {
		return nil, errShortShape
	}
	err := d.code()
	d.next(d.length()) // name
	copy(r.id[:], d.next(len(r.id)))
	d.next(1) // internal
	r.partitions = d.length()
	if d.short {
		return nil, errShortShape
	}
	switch {
	case errors.Is(err, kafka.UnknownTopicOrPartition):
		r.shape = shape{}
	case r.partitions == 0:
		r.err = err // else some partition may be without a leader: that passes
	}
	return r, nil
}
