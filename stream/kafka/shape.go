package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"

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

// shape asks a broker for a topic's present shape.
func (l *link) shape(ctx context.Context, topic string) (shape, error) {
	t, err := l.askTopic(ctx, topic, topicIDs)
	if errors.Is(err, kafka.UnsupportedVersion) {
		t, err = l.askTopic(ctx, topic, topicOperations)
	}
	if err != nil {
		return shape{}, err
	}
	return shapeOf(t)
}

func shapeOf(t kmsg.MetadataResponseTopic) (shape, error) {
	switch err := coded(t.ErrorCode); {
	case errors.Is(err, kafka.UnknownTopicOrPartition):
		return shape{}, nil
	case err != nil && len(t.Partitions) == 0:
		return shape{}, err
	}
	// Other errors mean that a partition has no leader, which is temporary.
	return shape{t.TopicID, len(t.Partitions)}, nil
}

// Versions of Metadata: the first with permissions, of Kafka 2.3, and the first with topic ids, of 2.8.
// kafka-go supports up to version 8.
const (
	topicOperations = 8
	topicIDs        = 10
)

// askTopic asks a broker about a topic and the client's permissions on it. It creates none. The
// transport would answer from its cache.
func (l *link) askTopic(ctx context.Context, topic string, version int16) (t kmsg.MetadataResponseTopic, err error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Version, req.AllowAutoTopicCreation, req.IncludeTopicAuthorizedOperations = version, false, true
	req.Topics = []kmsg.MetadataRequestTopic{{Topic: &topic}}
	r := l.newer(req, protocol.Metadata, version)
	if version == topicIDs {
		r.shown, r.least = describeProducers, 0 // of 2.8, too
	}
	a, err := ask[*kmsg.MetadataResponse](ctx, l, r)
	if err != nil {
		return t, err
	}
	for _, t := range a.Topics {
		if t.Topic != nil && *t.Topic == topic {
			return t, nil
		}
	}
	return t, fmt.Errorf("kafka: an answer without topic %s", topic)
}

// goneError returns the error of a topic that no longer exists.
func (l *link) goneError(topic string) error {
	return fmt.Errorf("kafka: topic %s on %s: %w: it was deleted; it is read again once it has been created again",
		topic, strings.Join(l.cluster.Brokers, ","), stream.ErrUnknownTopic)
}
