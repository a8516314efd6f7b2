package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/internal/backoff"
	"unfold/stream"
)

// bounds are the first offset of a partition and the offset after its last message.
type bounds struct{ first, end int64 }

// begin determines the start offset of each assigned partition. An offset outside the log is a
// *stream.OffsetError.
func (g *generation) begin(ctx context.Context) error {
	ctx, cancel := g.within(ctx)
	defer cancel()
	topic := g.source.settings.Topic
	assigned := g.group.Assignments[topic]
	partitions := make([]int, len(assigned))
	for i, a := range assigned {
		partitions[i] = a.ID
	}
	again, err := g.meet(ctx, len(assigned))
	if err != nil {
		return err
	}
	g.group.Start(g.watch)
	if again {
		g.source.reportAgain()
	}
	positions, err := g.positions(ctx, assigned, partitions)
	if err != nil {
		return err
	}
	logs, err := g.bounds(ctx, partitions)
	if err != nil {
		return err
	}
	var fresh, unknown []stream.Position
	for _, a := range assigned {
		p := stream.Position{TopicPartition: stream.TopicPartition{Topic: topic, Partition: a.ID}, Offset: positions[a.ID]}
		log := logs[a.ID]
		committed := p.Offset
		if p.Offset = g.source.restart(p, again); p.Offset < 0 {
			at, known, err := g.lost(p.TopicPartition)
			if err != nil {
				return err
			}
			p.Offset = log.first
			latest := g.source.startOf(a.ID) == Latest
			if latest {
				p.Offset = log.end
			}
			switch {
			case committed >= 0: // the topic was created again
			case known && g.source.settings.Alone:
				p.Offset = at
			case known: // others have read on since this member recorded it
				p.Offset = max(at, log.first)
			case !again && log.end > 0 && a.ID < g.source.first():
				unknown = append(unknown, p)
			}
			if latest || known || committed >= 0 {
				fresh = append(fresh, p)
			}
		}
		gap, err := g.gap(ctx, p, log)
		if err != nil {
			return err
		}
		if gap != nil {
			if p.Offset, err = g.source.leap(gap); err != nil {
				return err
			}
			fresh = append(fresh, p)
		}
		g.assigned = append(g.assigned, p)
		c := newCursor(g.source.link, p.TopicPartition, p.Offset, g.source.settings.FetchBytes, g.source.settings.FetchWait)
		c.id, g.cursors[a.ID] = g.topic.id, c
	}
	if len(unknown) > 0 && g.source.settings.NoOffsets != nil {
		g.source.settings.NoOffsets(unknown)
	}
	g.source.own(g)
	// The start offsets are committed. "Latest" means the present end, not that at a restart before
	// the first commit, which would skip the messages between. And a gap is reported only once.
	return g.source.retry("offsets").until(ctx, func() error { return g.Commit(ctx, fresh) })
}

// first returns the number of partitions in the first generation. Further ones are new.
func (s *Source) first() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// startOf returns the start of a partition without an offset. A partition that did not exist in the
// first generation is new, or the topic was created again. All its messages are then new, even for
// a group that began with the latest.
func (s *Source) startOf(partition int) Start {
	s.mu.Lock()
	defer s.mu.Unlock()
	if partition >= s.known {
		return Earliest
	}
	return s.settings.Start
}

const (
	// truncationPatience is the time for which a log must seem too short before it counts as
	// truncated. A new leader may briefly not know the acknowledged end.
	truncationPatience = 2 * time.Second
	truncationPause    = 250 * time.Millisecond
)

// gap returns an error if an offset is outside the log, else nil. log are the last known bounds.
func (g *generation) gap(ctx context.Context, p stream.Position, log bounds) (*stream.OffsetError, error) {
	for until := time.Now().Add(truncationPatience); ; {
		outside := &stream.OffsetError{TopicPartition: p.TopicPartition, Offset: p.Offset, First: log.first, End: log.end}
		switch {
		case p.Offset < log.first:
			return outside, nil
		case p.Offset <= log.end:
			return nil, nil
		case time.Now().After(until):
			return outside, nil
		case g.another(ctx):
			return nil, fmt.Errorf("kafka: topic %s was deleted or created again: %w", p.Topic, stream.ErrRevoked)
		}
		if err := backoff.Wait(ctx, truncationPause); err != nil {
			return nil, err
		}
		logs, err := g.bounds(ctx, []int{p.Partition})
		if err != nil {
			return nil, err
		}
		log = logs[p.Partition]
	}
}

// leap reports a gap and returns the offset to continue at, or an error.
func (s *Source) leap(gap *stream.OffsetError) (int64, error) {
	if s.settings.Gap != nil {
		s.settings.Gap(gap)
	}
	if s.settings.OnGap == Fail {
		return 0, gap
	}
	return gap.First, nil
}

// positions returns the group's offsets. Those in the assignment may precede a transaction of the
// former owner that is still being committed. With transactions, that one is ended first, and the
// offsets are requested again.
func (g *generation) positions(ctx context.Context, assigned []kafka.PartitionAssignment, partitions []int) (map[int]int64, error) {
	out := map[int]int64{}
	for _, a := range assigned {
		out[a.ID] = a.Offset
	}
	if g.source.settings.Transactions == nil || len(partitions) == 0 {
		return out, nil
	}
	if err := g.beginTransactions(ctx, partitions); err != nil {
		return nil, err
	}
	return g.stableOffsets(ctx, partitions)
}

// bounds requests the bounds of partitions until all are known.
func (g *generation) bounds(ctx context.Context, partitions []int) (map[int]bounds, error) {
	out := make(map[int]bounds, len(partitions))
	if len(partitions) == 0 {
		return out, nil
	}
	topic := g.source.settings.Topic
	var ask []kafka.OffsetRequest
	for _, p := range partitions {
		ask = append(ask, kafka.FirstOffsetOf(p), kafka.LastOffsetOf(p))
	}
	err := g.source.retry("offsets").until(ctx, func() error {
		r, err := g.source.link.client(connectTimeout).ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: ask}})
		if err != nil {
			return err
		}
		clear(out)
		for _, p := range r.Topics[topic] {
			if p.Error != nil {
				return p.Error
			}
			out[p.Partition] = bounds{p.FirstOffset, p.LastOffset}
		}
		if len(out) < len(partitions) {
			return kafka.UnknownTopicOrPartition
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for the offsets of topic %s: %w", topic, err)
	}
	return out, nil
}
