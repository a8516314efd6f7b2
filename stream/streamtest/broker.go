package streamtest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"unfold/stream"
)

// Op is an operation that can be made to fail.
type Op int

const (
	// OpFetch fails before messages are returned, OpCommit before positions are stored, and OpWrite
	// before a message is written. OpAck fails after the messages were written: they are in the
	// topic, but reported as not written.
	OpFetch Op = iota
	OpCommit
	OpWrite
	OpAck
)

// Broker is a broker in memory.
type Broker struct {
	mu     sync.Mutex
	topics map[string][]*partition
	groups map[string]*group
	limits map[string]int
	// refuse returns the reason why a topic rejects a message, or nil.
	refuse map[string]func(stream.Message) error
	fault  func(Op) error
	// changed is closed and replaced whenever anything changes.
	changed chan struct{}
}

// partition is a log; first is the offset of messages[0].
type partition struct {
	first    int64
	messages []stream.Message
	// control are the offsets without a message, such as transaction markers.
	control map[int64]bool
}

func (p *partition) end() int64 { return p.first + int64(len(p.messages)) }

// NewBroker returns a broker without topics.
func NewBroker() *Broker {
	return &Broker{topics: map[string][]*partition{}, groups: map[string]*group{}, limits: map[string]int{}, refuse: map[string]func(stream.Message) error{}, changed: make(chan struct{})}
}

// Fault sets a function that returns the error of an operation, or nil. It is called with the
// broker's lock held. If f is nil, nothing fails.
func (b *Broker) Fault(f func(Op) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = f
}

// Times returns a fault function that makes op fail n times with err.
func Times(n int, op Op, err error) func(Op) error {
	return func(o Op) error {
		if o != op || n == 0 {
			return nil
		}
		n--
		return err
	}
}

// fails returns the error of an operation. The caller holds the lock.
func (b *Broker) fails(op Op) error {
	if b.fault == nil {
		return nil
	}
	return b.fault(op)
}

// notify wakes all goroutines that wait for a change. The caller holds the lock.
func (b *Broker) notify() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// CreateTopic creates a topic.
func (b *Broker) CreateTopic(topic string, partitions int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range partitions {
		b.topics[topic] = append(b.topics[topic], &partition{})
	}
	b.notify()
}

// Limit makes a topic reject larger messages; 0 removes the limit.
func (b *Broker) Limit(topic string, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limits[topic] = bytes
}

// Refuse makes a topic reject messages for which why returns an error. If why is nil, it accepts
// all.
func (b *Broker) Refuse(topic string, why func(stream.Message) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse[topic] = why
}

// refused returns the messages that a topic rejects. first is the index of the first message. The
// caller holds the lock.
func (b *Broker) refused(topic string, messages []stream.Message, first int) (refused []stream.Refused) {
	limit := b.limits[topic]
	for i, m := range messages {
		size := len(m.Key) + len(m.Value)
		for _, h := range m.Headers {
			size += len(h.Key) + len(h.Value)
		}
		if limit > 0 && size > limit {
			refused = append(refused, stream.Refused{Index: first + i, Topic: topic, Size: size, Limit: limit})
		} else if why := b.refuse[topic]; why != nil {
			if err := why(m); err != nil {
				refused = append(refused, stream.Refused{Index: first + i, Topic: topic, Why: err})
			}
		}
	}
	return refused
}

// Append appends messages to a partition and sets their position.
func (b *Broker) Append(topic string, p int, messages ...stream.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.append(topic, p, messages)
}

// Mark appends offsets without a message to a partition, like markers of ended or aborted
// transactions.
func (b *Broker) Mark(topic string, p, offsets int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	log := b.topics[topic][p]
	if log.control == nil {
		log.control = map[int64]bool{}
	}
	for range offsets {
		log.control[log.end()] = true
		b.append(topic, p, make([]stream.Message, 1))
	}
}

// data returns the messages of run without control offsets.
func (p *partition) data(run []stream.Message) (out []stream.Message) {
	for _, m := range run {
		if !p.control[m.Offset] {
			out = append(out, m)
		}
	}
	return out
}

func (b *Broker) append(topic string, p int, messages []stream.Message) {
	log := b.topics[topic][p]
	for _, m := range messages {
		m.TopicPartition, m.Offset = stream.TopicPartition{Topic: topic, Partition: p}, log.end()
		if m.Time.IsZero() {
			m.Time = time.Now()
		}
		m.Time = m.Time.UTC().Truncate(time.Millisecond)
		m.Headers = slices.Clone(m.Headers)
		log.messages = append(log.messages, m)
	}
	b.notify()
}

// Messages returns all messages of a topic, ordered by partition.
func (b *Broker) Messages(topic string) []stream.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []stream.Message
	for _, p := range b.topics[topic] {
		out = append(out, p.data(p.messages)...)
	}
	return out
}

// DeleteBefore deletes the messages of a partition before offset, as retention does.
func (b *Broker) DeleteBefore(topic string, p int, offset int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	log := b.topics[topic][p]
	log.messages = log.messages[offset-log.first:]
	log.first = offset
}

// Committed returns the committed offsets of a group by partition.
func (b *Broker) Committed(group, topic string) map[int]int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[int]int64{}
	if g := b.groups[group]; g != nil {
		for tp, offset := range g.committed {
			if tp.Topic == topic {
				out[tp.Partition] = offset
			}
		}
	}
	return out
}

func (b *Broker) checkTopic(topic string) error {
	if len(b.topics[topic]) == 0 {
		return fmt.Errorf("topic %s: %w", topic, stream.ErrUnknownTopic)
	}
	return nil
}
