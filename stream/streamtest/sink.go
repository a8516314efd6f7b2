package streamtest

import (
	"context"
	"errors"
	"hash/fnv"

	"unfold/stream"
)

// Sink writes to a topic. It implements stream.Sink.
type Sink struct {
	b     *Broker
	topic string
	dead  bool
}

// Sink returns a sink for a topic.
func (b *Broker) Sink(topic string) (*Sink, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Sink{b: b, topic: topic}, b.checkTopic(topic)
}

// Write implements stream.Sink. The fault function is called with OpWrite for each message. The
// first message that fails or is rejected (Broker.Limit, Broker.Refuse) and all after it are not
// written. It is called once with OpAck after all were written.
func (s *Sink) Write(ctx context.Context, messages []stream.Message) error {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	for i, m := range messages {
		err := ctx.Err()
		if err == nil && s.dead {
			err = errors.New("the sink is dead")
		}
		if err == nil {
			err = s.b.fails(OpWrite)
		}
		if err == nil {
			if refused := s.b.refused(s.topic, messages[i:i+1], i); refused != nil {
				err = &stream.RefusedError{Messages: refused}
			}
		}
		if err != nil {
			rest := make([]int, 0, len(messages)-i)
			for ; i < len(messages); i++ {
				rest = append(rest, i)
			}
			return &stream.WriteError{Remaining: rest, Err: err}
		}
		s.b.put(s.topic, m)
	}
	return s.b.fails(OpAck)
}

// put appends a message to the partition determined by its key, or by its source partition. The
// caller holds the lock.
func (b *Broker) put(topic string, m stream.Message) {
	p := m.Partition
	if m.Key != nil {
		h := fnv.New32a()
		h.Write(m.Key)
		p = int(h.Sum32() & 0x7fffffff)
	}
	b.append(topic, p%len(b.topics[topic]), []stream.Message{m})
}

// Kill makes every further write fail, like the death of the process.
func (s *Sink) Kill() {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	s.dead = true
}

// Close implements stream.Sink.
func (s *Sink) Close() error { return nil }
