package kafka

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/internal/backoff"
	"unfold/stream"
)

// The group's leader counts the topic's partitions once, before it assigns them. No member would
// read partitions that are added later, or a topic that is deleted and created again. So the topic
// is checked when a generation begins and periodically, and a change of what was assigned ends the
// generation. (kafka-go can watch partitions, too. But it starts with those that exist after
// joining, makes brokers create missing topics, and without a topic ends each generation at once.)

const (
	// defaultLookEvery is the default interval between two checks of the topic.
	defaultLookEvery = time.Second
	// looks is the number of consecutive checks that must show a change. A broker that has just
	// started may have old information.
	looks = 2
	// steady is the least duration of a generation of a healthy group.
	steady = 2 * time.Second
)

// counting is an assignor that records the number of partitions that it assigned.
type counting struct {
	kafka.GroupBalancer
	source *Source
}

// AssignGroups implements kafka.GroupBalancer. It is called only for the group's leader.
func (c counting) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	n := int64(0)
	for _, p := range partitions {
		if p.Topic == c.source.settings.Topic {
			n++
		}
	}
	c.source.counted.Store(n)
	return c.GroupBalancer.AssignGroups(members, partitions)
}

// notCounted means that this member has assigned no partitions.
const notCounted = -1

// meet checks the topic when a generation begins. again is true if the topic was created again
// since the previous generation.
func (g *generation) meet(ctx context.Context, assigned int) (again bool, err error) {
	s := g.source
	counted := s.counted.Swap(notCounted)
	if err := s.retry("topic").until(ctx, func() (err error) {
		g.topic, err = s.link.shape(ctx, s.settings.Topic)
		return err
	}); err != nil {
		return false, fmt.Errorf("kafka: asking about topic %s: %w", s.settings.Topic, lacking(err, "Describe"))
	}
	if g.topic.partitions == 0 {
		s.gone(1)
	}
	if g.topic.partitions == 0 && assigned > 0 || counted != notCounted && int(counted) != g.topic.partitions {
		return false, fmt.Errorf("kafka: topic %s now has %d partitions: %w", s.settings.Topic, g.topic.partitions, stream.ErrRevoked)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	again = g.topic.another(s.topic) ||
		g.topic.id == [16]byte{} && s.known != unmet && g.topic.partitions > 0 && s.topic.partitions == 0
	switch {
	case again:
		s.known = 0 // all its messages are new
	case s.known == unmet:
		s.known = g.topic.partitions
	}
	if g.topic.partitions > 0 || s.topic == (shape{}) {
		s.topic = g.topic
	} else {
		s.topic.partitions = 0
	}
	return again, nil
}

// unmet means that there has been no generation yet.
const unmet = -1

// gone reports that the topic does not exist.
func (s *Source) gone(look int) {
	if s.settings.Retrying != nil {
		s.settings.Retrying("topic", look, s.link.goneError(s.settings.Topic), s.settings.LookEvery)
	}
}

// changed checks once whether the topic has changed since the generation began.
func (g *generation) changed(ctx context.Context) (now shape, changed bool, err error) {
	now, err = g.source.link.shape(ctx, g.source.settings.Topic)
	return now, err == nil && (now.partitions != g.topic.partitions || now.another(g.topic)), err
}

// watch returns when the topic has changed or the context ends. Then the generation ends.
func (g *generation) watch(ctx context.Context) {
	for look, changes := 2, 0; ; look++ {
		if g.wait(ctx) != nil {
			return
		}
		now, changed, err := g.changed(ctx)
		if err != nil {
			continue // heartbeats and fetches notice missing brokers
		}
		if now.partitions == 0 && g.topic.partitions == 0 {
			g.source.gone(look)
		}
		if !changed {
			changes = 0
			continue
		}
		if changes++; changes == looks || g.topic.partitions == 0 {
			if now.partitions == 0 || now.another(g.topic) {
				g.refuseCommits() // they would apply to the new topic
			}
			return
		}
	}
}

// wait waits until the next check is due.
func (g *generation) wait(ctx context.Context) error {
	t := time.NewTimer(g.source.settings.LookEvery)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-g.doubt:
	}
	return ctx.Err()
}

// lookNow makes watch check the topic at once.
func (g *generation) lookNow() {
	select {
	case g.doubt <- struct{}{}:
	default: // a check is already pending
	}
}

// confirmEvery is the time for which a check of the topic's id is valid. Deleting and re-creating a
// topic takes longer.
const confirmEvery = 100 * time.Millisecond

// confirmed is the time of the last check that the topic is still the generation's.
type confirmed struct {
	mu sync.Mutex
	at time.Time
}

// confirm fails if the topic is not the one that the generation reads. Brokers drop a group's
// offsets with a topic. An offset that is committed afterwards would apply to the new topic, and a
// process that starts then would skip the messages before it.
func (g *generation) confirm(ctx context.Context) error {
	if g.topic.id == [16]byte{} {
		return nil
	}
	g.same.mu.Lock()
	defer g.same.mu.Unlock()
	asked, name := time.Now(), g.source.settings.Topic
	if asked.Before(g.same.at.Add(confirmEvery)) {
		return nil
	}
	now, err := g.source.link.shape(ctx, name)
	switch {
	case err != nil:
		return fmt.Errorf("asking about topic %s: %w", name, lacking(err, "Describe"))
	case now.another(g.topic):
		g.lookNow()
		return fmt.Errorf("topic %s was created again: %w", name, stream.ErrRevoked)
	case now.partitions == 0: // or a broker that has just started does not know it yet
		return fmt.Errorf("topic %s: %w", name, kafka.UnknownTopicOrPartition)
	}
	g.same.at = asked
	return nil
}

// another reports whether the topic is not the one that this generation reads.
func (g *generation) another(ctx context.Context) bool {
	now, changed, err := g.changed(ctx)
	return err == nil && changed && (now.partitions == 0 || now.another(g.topic))
}

// calm waits before the group is joined again if generations end too early.
func (s *Source) calm(ctx context.Context, lasted time.Duration) error {
	if lasted > steady {
		s.short = 0
		return nil
	}
	if s.short++; s.short == 1 {
		return nil
	}
	return backoff.Wait(ctx, pauses.After(s.short-1))
}

// restart returns the start offset of a partition that this source read until the topic was created
// again. The group's committed offset may still be that of the old topic.
func (s *Source) restart(p stream.Position, again bool) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if again && s.owned[p.Partition] {
		return kafka.FirstOffset
	}
	return p.Offset
}

// own records the partitions of a generation. While there is no topic, the previous ones stay.
func (s *Source) own(g *generation) {
	if g.topic.partitions == 0 {
		return
	}
	owned := make(map[int]bool, len(g.assigned))
	for _, p := range g.assigned {
		owned[p.Partition] = true
	}
	s.mu.Lock()
	s.owned = owned
	s.mu.Unlock()
}

// reportAgain reports that the topic was created again.
func (s *Source) reportAgain() {
	if s.settings.CreatedAgain != nil {
		s.settings.CreatedAgain(s.settings.Topic)
	}
}
