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

// The group's leader counts the topic's partitions once, before it assigns them. So partitions
// that are added while the group forms would be read by nobody; neither would be a topic that is
// deleted and created again. So the topic is looked at when a generation begins, and again and
// again while it lasts; what is not any more what was assigned ends the generation. (The library
// can watch partitions, too. It begins with what is there after it has joined, asks brokers to
// create what is missing, and without a topic ends each generation at once.)

const (
	// defaultLookEvery is the time between two looks at the topic.
	defaultLookEvery = time.Second
	// looks is how often in a row a topic must look changed: a broker that has just started
	// may not know yet.
	looks = 2
	// steady is how long a generation lasts at least, if the group is not in trouble.
	steady = 2 * time.Second
)

// counting is an assignor that notes how many partitions it assigned.
type counting struct {
	kafka.GroupBalancer
	source *Source
}

// AssignGroups implements kafka.GroupBalancer. Only the group's leader is asked.
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

// notCounted says that this member has assigned nothing.
const notCounted = -1

// meet looks at the topic as a generation begins. again says that it was created again since
// the generation before.
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
		return false, fmt.Errorf("kafka: topic %s has %d partitions by now: %w", s.settings.Topic, g.topic.partitions, stream.ErrRevoked)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	again = g.topic.another(s.topic) ||
		g.topic.id == [16]byte{} && s.known != unmet && g.topic.partitions > 0 && s.topic.partitions == 0
	switch {
	case again:
		s.known = 0 // all that it holds is new
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

// unmet says that there was no generation yet.
const unmet = -1

// gone reports that there is no topic.
func (s *Source) gone(look int) {
	if s.settings.Retrying != nil {
		s.settings.Retrying("topic", look, s.link.goneError(s.settings.Topic), s.settings.LookEvery)
	}
}

// changed looks once, and says whether the topic is what it was when the generation began.
func (g *generation) changed(ctx context.Context) (now shape, changed bool, err error) {
	now, err = g.source.link.shape(ctx, g.source.settings.Topic)
	return now, err == nil && (now.partitions != g.topic.partitions || now.another(g.topic)), err
}

// watch returns when the topic has changed, or the context is done. Then the generation ends.
func (g *generation) watch(ctx context.Context) {
	for look, changes := 2, 0; ; look++ {
		if g.wait(ctx) != nil {
			return
		}
		now, changed, err := g.changed(ctx)
		if err != nil {
			continue // heartbeats and fetches notice brokers that are not there
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
				g.refuseCommits() // they would count for the new topic
			}
			return
		}
	}
}

// wait waits until it is time for another look.
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

// lookNow has the topic looked at without waiting.
func (g *generation) lookNow() {
	select {
	case g.doubt <- struct{}{}:
	default: // it will be
	}
}

// confirmEvery is for how long a look at the topic's id holds: a topic takes longer to be deleted
// and created again.
const confirmEvery = 100 * time.Millisecond

// confirmed is when the topic was last seen to be the one that the generation reads.
type confirmed struct {
	mu sync.Mutex
	at time.Time
}

// confirm fails if the topic is not the one that the generation reads: brokers drop a group's
// offsets with a topic, and one that is committed afterwards would count for the new topic, whose
// messages before it a process that starts then would never read.
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

// calm waits before the group is joined again if generations do not last.
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

// restart returns the offset to begin at, of a partition that this source has read until the
// topic was created again: what the group has committed since may still be of the old one.
func (s *Source) restart(p stream.Position, again bool) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if again && s.owned[p.Partition] {
		return kafka.FirstOffset
	}
	return p.Offset
}

// own notes what a generation reads. While there is no topic, what was read before counts.
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
