package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// TopicSettings are the settings of a TopicReader. Brokers and Topic are required.
type TopicSettings struct {
	Cluster
	Topic string
	// Group, if not empty, has the offsets at which reading begins. Commit moves them. It must have
	// no members. Without a group, reading begins at the beginning.
	Group string
}

// TopicReader reads a topic up to its end at the time of opening, one partition after the other.
// Messages of open and aborted transactions are skipped. It is used by one goroutine.
type TopicReader struct {
	settings TopicSettings
	link     *link
	// next and end are offsets by partition. at is the partition of cursor.
	next, end []int64
	at        int
	cursor    *cursor
}

// OpenTopic connects to the cluster and finds the beginning and the end of the topic.
func OpenTopic(ctx context.Context, s TopicSettings) (*TopicReader, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	l, err := connect(ctx, s.Cluster, s.Topic)
	if err != nil {
		return nil, err
	}
	r := &TopicReader{settings: s, link: l}
	retry := &retry{what: "offsets"}
	if err := retry.until(ctx, func() error { return r.find(ctx) }); err != nil {
		l.close()
		return nil, fmt.Errorf("kafka: topic %s: %w", s.Topic, err)
	}
	return r, nil
}

// find requests the bounds and, if there is a group, its offsets.
func (r *TopicReader) find(ctx context.Context) error {
	topic := r.settings.Topic
	partitions, err := r.link.all(ctx, topic)
	if err != nil {
		return err
	}
	r.next, r.end = make([]int64, len(partitions)), make([]int64, len(partitions))
	var ask []kafka.OffsetRequest
	for _, p := range partitions {
		ask = append(ask, kafka.FirstOffsetOf(p), kafka.LastOffsetOf(p))
	}
	client := r.link.client(connectTimeout)
	bounds, err := client.ListOffsets(ctx, &kafka.ListOffsetsRequest{IsolationLevel: kafka.ReadCommitted, Topics: map[string][]kafka.OffsetRequest{topic: ask}})
	if err != nil {
		return err
	}
	for _, p := range bounds.Topics[topic] {
		if p.Error != nil {
			return p.Error
		}
		r.next[p.Partition], r.end[p.Partition] = p.FirstOffset, p.LastOffset
	}
	if r.settings.Group == "" {
		return nil
	}
	positions, err := client.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: r.settings.Group, Topics: map[string][]int{topic: partitions}})
	if err != nil {
		return err
	}
	if positions.Error != nil && !errors.Is(positions.Error, kafka.GroupIdNotFound) {
		return positions.Error
	}
	for _, p := range positions.Topics[topic] {
		if p.Error != nil {
			return p.Error
		}
		r.next[p.Partition] = max(r.next[p.Partition], p.CommittedOffset)
	}
	return nil
}

// Next returns the next messages, at least one, or io.EOF.
func (r *TopicReader) Next(ctx context.Context) ([]stream.Message, error) {
	retry := &retry{what: "fetch"}
	for ; r.at < len(r.next); r.at++ {
		tp := stream.TopicPartition{Topic: r.settings.Topic, Partition: r.at}
		if r.cursor == nil || r.cursor.tp != tp {
			r.cursor = newCursor(r.link, tp, r.next[r.at], defaultFetchBytes, defaultFetchWait)
		}
		for r.next[r.at] < r.end[r.at] {
			run, err := r.cursor.read(ctx, nil)
			if errors.Is(err, kafka.OffsetOutOfRange) {
				return nil, fmt.Errorf("kafka: %v: messages from offset %d on were deleted meanwhile", tp, r.next[r.at])
			}
			if err != nil {
				if err := retry.again(ctx, err); err != nil {
					return nil, fmt.Errorf("kafka: reading topic %s, partition %d: %w", tp.Topic, tp.Partition, lacking(err, "Read"))
				}
				continue
			}
			r.next[r.at] = r.cursor.next
			for i, m := range run.Messages {
				if m.Offset >= r.end[r.at] {
					run.Messages = run.Messages[:i]
					r.next[r.at] = r.end[r.at]
					break
				}
			}
			if len(run.Messages) > 0 {
				return run.Messages, nil
			}
		}
	}
	return nil, io.EOF
}

// ErrGone is the error of a message that its topic no longer contains.
var ErrGone = errors.New("the message is there no more")

// At returns the message at an offset, independent of Next. It fails with ErrGone if the topic does
// not contain it.
func (r *TopicReader) At(ctx context.Context, partition int, offset int64) (stream.Message, error) {
	tp := stream.TopicPartition{Topic: r.settings.Topic, Partition: partition}
	gone := func(why string, args ...any) (stream.Message, error) {
		return stream.Message{}, fmt.Errorf("kafka: topic %s, partition %d, offset %d: %w (%s)", tp.Topic, partition, offset, ErrGone, fmt.Sprintf(why, args...))
	}
	if partition < 0 || partition >= len(r.end) {
		return gone("the topic has %d partitions", len(r.end))
	}
	if offset < 0 || offset >= r.end[partition] {
		return gone("the partition ends at offset %d", r.end[partition])
	}
	c := newCursor(r.link, tp, offset, 1, defaultFetchWait)
	retry := &retry{what: "fetch"}
	for c.next <= offset {
		run, err := c.read(ctx, nil)
		if errors.Is(err, kafka.OffsetOutOfRange) {
			return gone("what lay there was deleted")
		}
		if err != nil {
			if err := retry.again(ctx, err); err != nil {
				return stream.Message{}, fmt.Errorf("kafka: topic %s, partition %d, offset %d: %w", tp.Topic, partition, offset, lacking(err, "Read"))
			}
			continue
		}
		if len(run.Messages) > 0 {
			if m := run.Messages[0]; m.Offset == offset {
				return m, nil
			}
			break
		}
	}
	return gone("compaction has taken it, or its transaction was aborted")
}

// Commit commits the offsets up to which the reader has read.
func (r *TopicReader) Commit(ctx context.Context) error {
	topic := r.settings.Topic
	var offsets []kafka.OffsetCommit
	for p, next := range r.next {
		offsets = append(offsets, kafka.OffsetCommit{Partition: p, Offset: next})
	}
	retry := &retry{what: "commit"}
	err := retry.until(ctx, func() error {
		a, err := r.link.client(connectTimeout).OffsetCommit(ctx, &kafka.OffsetCommitRequest{GroupID: r.settings.Group, GenerationID: -1,
			Topics: map[string][]kafka.OffsetCommit{topic: offsets}})
		if err != nil {
			return err
		}
		for _, p := range a.Topics[topic] {
			if p.Error != nil {
				return p.Error
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("kafka: committing for group %s: %w", r.settings.Group, lacking(err, "Read"))
	}
	return nil
}

// Close closes all connections.
func (r *TopicReader) Close() error {
	r.link.close()
	return nil
}
