package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/internal/backoff"
	"unfold/stream"
)

// bounds are the first offset of a partition and the one behind its last message.
type bounds struct{ first, end int64 }

// begin finds out where to read each assigned partition. An offset outside of
// the log is an *stream.OffsetError.
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
			case committed >= 0: // of a topic that was created again
			case known && g.source.settings.Alone:
				p.Offset = at
			case known: // others have read on since this member noted it
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
	// "Latest" means now, not the time of a restart before the first commit: what
	// comes between would be skipped. And a gap is reported once.
	return g.source.retry("offsets").until(ctx, func() error { return g.Commit(ctx, fresh) })
}

// first is how many partitions the topic had in the first generation: those that came since are new.
func (s *Source) first() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// startOf says where a partition without an offset begins. One that the topic did not have in
// the first generation has just been added, or the topic was created again: all that it holds
// is new, also to a group that began with the latest.
func (s *Source) startOf(partition int) Start {
	s.mu.Lock()
	defer s.mu.Unlock()
	if partition >= s.known {
		return Earliest
	}
	return s.settings.Start
}

const (
	// truncationPatience is how long a log must seem too short before it is believed:
	// a new leader may for a moment not know how far it was acknowledged.
	truncationPatience = 2 * time.Second
	truncationPause    = 250 * time.Millisecond
)

// gap returns how an offset lies outside of the log, nil if it does not. The log is as the brokers said last.
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

// leap reports a gap and returns where to go on, or that there is no way.
func (s *Source) leap(gap *stream.OffsetError) (int64, error) {
	if s.settings.Gap != nil {
		s.settings.Gap(gap)
	}
	if s.settings.OnGap == Fail {
		return 0, gap
	}
	return gap.First, nil
}

// offsets are the group's. Those that came with the assignment may be older than
// a transaction of the former owner that is still being committed: so with
// transactions that one is ended first, and then they are asked for again.
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

// bounds asks for the bounds of partitions until there is an answer for all.
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
