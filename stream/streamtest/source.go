package streamtest

import (
	"context"
	"errors"
	"sync"

	"unfold/stream"
)

// group is a consumer group. A change of members revokes all generations. The next ones begin when
// every member waits for one.
type group struct {
	topic     string
	id        int
	members   []*Source
	committed map[stream.TopicPartition]int64
	// forming is true from a change of members until the next generations begin.
	forming bool
}

// Source is a member of a group. It implements stream.Source.
type Source struct {
	b     *Broker
	group *group
	// MaxFetch is the maximum number of messages of one Fetch; 0 is unlimited.
	MaxFetch int
	// Outputs and Letters are the topics for transactions of a generation.
	Outputs, Letters string

	waiting bool
	current *generation
	closed  bool
}

// Source adds a member to a group.
func (b *Broker) Source(topic, name string) (*Source, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.checkTopic(topic); err != nil {
		return nil, err
	}
	g := b.groups[name]
	if g == nil {
		g = &group{topic: topic, committed: map[stream.TopicPartition]int64{}}
		b.groups[name] = g
	}
	s := &Source{b: b, group: g}
	g.members = append(g.members, s)
	g.rebalance(b)
	return s, nil
}

// rebalance revokes the generations of all members.
func (g *group) rebalance(b *Broker) {
	g.forming = true
	for _, m := range g.members {
		if m.current != nil {
			m.current.revoke()
		}
	}
	b.notify()
}

// form begins the next generations when every member waits for one.
func (g *group) form(b *Broker) error {
	for _, m := range g.members {
		if !m.waiting {
			return nil
		}
	}
	g.id++
	g.forming = false
	partitions := b.topics[g.topic]
	for k, m := range g.members {
		gen := &generation{s: m, id: g.id, revoked: make(chan struct{}), next: map[int]int64{}}
		for p := k * len(partitions) / len(g.members); p < (k+1)*len(partitions)/len(g.members); p++ {
			tp := stream.TopicPartition{Topic: g.topic, Partition: p}
			offset, ok := g.committed[tp]
			if !ok {
				offset = partitions[p].first
			}
			if offset < partitions[p].first || offset > partitions[p].end() {
				return &stream.OffsetError{TopicPartition: tp, Offset: offset, First: partitions[p].first, End: partitions[p].end()}
			}
			gen.assigned = append(gen.assigned, stream.Position{TopicPartition: tp, Offset: offset})
			gen.next[p] = offset
		}
		m.waiting, m.current = false, gen
	}
	b.notify()
	return nil
}

var errClosed = errors.New("the source is closed")

// Next implements stream.Source.
func (s *Source) Next(ctx context.Context) (stream.Generation, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.current != nil {
		s.current.shut()
		s.current = nil
		if !s.group.forming {
			s.group.rebalance(s.b)
		}
	}
	s.waiting = true
	for {
		if s.closed {
			return nil, errClosed
		}
		if s.group.forming {
			if err := s.group.form(s.b); err != nil {
				return nil, err
			}
		}
		if s.current != nil {
			return s.current, nil
		}
		if err := s.b.wait(ctx); err != nil {
			s.waiting = false
			return nil, err
		}
	}
}

// wait releases the lock until something changes or the context is done.
func (b *Broker) wait(ctx context.Context) error {
	changed := b.changed
	b.mu.Unlock()
	defer b.mu.Lock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
		return nil
	}
}

// Close implements stream.Source. It leaves the group.
func (s *Source) Close() error {
	s.Kill()
	return nil
}

// Kill ends the member at once, like the death of its process. All later calls on its generation
// fail.
func (s *Source) Kill() {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	if s.current != nil {
		s.current.shut()
	}
	for i, m := range s.group.members {
		if m == s {
			s.group.members = append(s.group.members[:i:i], s.group.members[i+1:]...)
			break
		}
	}
	s.group.rebalance(s.b)
}

// Rebalance makes the group form again, like a lost connection.
func (s *Source) Rebalance() {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	s.group.rebalance(s.b)
}

// generation implements stream.Generation.
type generation struct {
	s        *Source
	id       int
	assigned []stream.Position
	next     map[int]int64
	revoked  chan struct{}
	once     sync.Once
	closed   bool
}

func (g *generation) revoke() { g.once.Do(func() { close(g.revoked) }) }

func (g *generation) shut() { g.closed = true; g.revoke() }

func (g *generation) Assigned() []stream.Position { return g.assigned }

func (g *generation) Revoked() <-chan struct{} { return g.revoked }

func (g *generation) Close() error {
	g.s.b.mu.Lock()
	defer g.s.b.mu.Unlock()
	g.closed = true
	return nil
}

func (g *generation) over() bool {
	select {
	case <-g.revoked:
		return true
	default:
		return g.closed
	}
}

func (g *generation) Fetch(ctx context.Context, tp stream.TopicPartition, room *stream.Share) (stream.Run, error) {
	b := g.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if g.over() {
			return stream.Run{}, stream.ErrRevoked
		}
		log, next := b.topics[tp.Topic][tp.Partition], g.next[tp.Partition]
		if next < log.first || next > log.end() {
			return stream.Run{}, &stream.OffsetError{TopicPartition: tp, Offset: next, First: log.first, End: log.end()}
		}
		if rest := log.messages[next-log.first:]; len(rest) > 0 {
			if err := b.fails(OpFetch); err != nil {
				return stream.Run{}, err
			}
			if g.s.MaxFetch > 0 {
				rest = rest[:min(len(rest), g.s.MaxFetch)]
			}
			run := stream.Run{Messages: log.data(rest), Next: next + int64(len(rest)), End: log.end()}
			for i := range run.Messages {
				run.Bytes += run.Messages[i].Weight()
			}
			b.mu.Unlock()
			err := room.Take(ctx, run.Bytes)
			b.mu.Lock()
			if err != nil {
				return stream.Run{}, err
			}
			if g.over() {
				room.Return(run.Bytes)
				return stream.Run{}, stream.ErrRevoked
			}
			room.Hand(run.Bytes)
			g.next[tp.Partition] = next + int64(len(rest))
			return run, nil
		}
		if err := b.wait(ctx); err != nil {
			return stream.Run{}, err
		}
	}
}

// Progress implements stream.Generation. Faults of OpFetch do not apply to it.
func (g *generation) Progress(ctx context.Context) (all []stream.Progress, err error) {
	b := g.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range g.assigned {
		if offset, ok := g.s.group.committed[a.TopicPartition]; ok {
			a.Offset = offset
		}
		all = append(all, stream.Progress{Position: a, End: b.topics[a.Topic][a.Partition].end()})
	}
	return all, ctx.Err()
}

func (g *generation) Commit(ctx context.Context, positions []stream.Position) error {
	b := g.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if g.closed || g.id != g.s.group.id {
		return stream.ErrRevoked
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.fails(OpCommit); err != nil {
		return err
	}
	for _, p := range positions {
		g.s.group.committed[p.TopicPartition] = p.Offset
	}
	return nil
}

// Transact implements stream.Transactional. OpWrite fails before anything is written. OpAck loses
// the response of a committed transaction, after which the group forms again.
func (g *generation) Transact(ctx context.Context, t stream.Transaction) error {
	b := g.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if g.closed || g.id != g.s.group.id || g.s.group.forming {
		return stream.ErrRevoked
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.fails(OpWrite); err != nil {
		return err
	}
	if refused := append(b.refused(g.s.Outputs, t.Outputs, 0), b.refused(g.s.Letters, t.Letters, len(t.Outputs))...); refused != nil {
		return &stream.RefusedError{Messages: refused}
	}
	for _, m := range t.Outputs {
		b.put(g.s.Outputs, m)
	}
	for _, m := range t.Letters {
		b.put(g.s.Letters, m)
	}
	g.s.group.committed[t.TopicPartition] = t.Offset
	if b.fails(OpAck) != nil {
		g.s.group.rebalance(b)
		return stream.ErrRevoked
	}
	return nil
}
