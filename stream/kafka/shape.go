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

// shape distinguishes topics of the same name and contains the number of partitions.
type shape struct {
	// id is zero for brokers before 2.8, which have none.
	id [16]byte
	// partitions is 0 if the topic does not exist.
	partitions int
}

// another reports whether a topic was created again.
func (s shape) another(than shape) bool {
	none := [16]byte{}
	return s.id != than.id && s.id != none && than.id != none
}

// shape asks a broker for a topic's present shape. The transport would answer from its cache.
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

// oldShape is shape for brokers without topic ids.
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

// goneError returns the error of a topic that no longer exists.
func (l *link) goneError(topic string) error {
	return fmt.Errorf("kafka: topic %s on %s: %w: it was deleted; it is read again once it has been created again",
		topic, strings.Join(l.cluster.Brokers, ","), stream.ErrUnknownTopic)
}

// shapeRequest is Metadata in version 10, the first with topic ids, for one topic. kafka-go
// supports up to version 8. It creates no topic.
type shapeRequest struct {
	client, topic string
	unsupported   bool
}

const shapeVersion = 10

// ApiKey implements protocol.Message.
func (r *shapeRequest) ApiKey() protocol.ApiKey { return protocol.Metadata }

// Required implements protocol.RawExchanger. kafka-go does not keep versions beyond those that it
// supports. Brokers that support DescribeProducers support this version, too; both exist since 2.8.
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

// shapeResponse is the answer to a shapeRequest.
type shapeResponse struct {
	shape
	err error
}

// ApiKey implements protocol.Message.
func (r *shapeResponse) ApiKey() protocol.ApiKey { return protocol.Metadata }

var errShortShape = errors.New("kafka: truncated answer about a topic")

// decodeShape decodes an answer about one topic.
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
		r.err = err // other errors mean that a partition has no leader, which is temporary
	}
	return r, nil
}
