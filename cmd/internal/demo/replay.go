package demo

import (
	"context"
	"fmt"
	"time"

	"unfold/internal/backoff"
	"unfold/stream"
	"unfold/stream/kafka"
)

// beat is the interval between two writes of a paced replay.
const beat = 50 * time.Millisecond

// producer sends a stream.
type producer struct {
	sink  *kafka.Sink
	topic string
	sent  [partitions]int64 // messages in each partition
}

// play sends all messages, alternating between partitions, at rate events a second, or as fast as
// the broker accepts them if rate is 0. With broken, the broken messages are interspersed.
func (p *producer) play(ctx context.Context, s *Stream, rate int, broken bool) error {
	batch := 64
	if rate > 0 {
		batch = max(1, int(float64(rate)*beat.Seconds()/s.perMessage()))
	}
	queue := s.messages
	if broken {
		queue = withBroken(s)
	}
	begin := time.Now()
	for from := 0; from < len(queue); from += batch {
		to := min(from+batch, len(queue))
		if err := p.send(ctx, queue[from:to], from, s.contentType); err != nil {
			return err
		}
		if rate == 0 {
			continue
		}
		due := begin.Add(time.Duration(float64(to) * s.perMessage() / float64(rate) * float64(time.Second)))
		if err := backoff.Wait(ctx, time.Until(due)); err != nil {
			return err
		}
	}
	return nil
}

// withBroken distributes the broken messages among the others.
func withBroken(s *Stream) [][]byte {
	var queue [][]byte
	every := len(s.messages) / (len(s.broken) + 1)
	next := 0
	for i, m := range s.messages {
		queue = append(queue, m)
		if next < len(s.broken) && i+1 == every*(next+1) {
			queue = append(queue, s.broken[next])
			next++
		}
	}
	return queue
}

func (p *producer) send(ctx context.Context, values [][]byte, number int, contentType string) error {
	messages := make([]stream.Message, len(values))
	for i, v := range values {
		tp := stream.TopicPartition{Topic: p.topic, Partition: (number + i) % partitions}
		messages[i] = stream.Message{TopicPartition: tp, Value: v, Time: time.Now(),
			Headers: []stream.Header{{Key: stream.HeaderContentType, Value: []byte(contentType)}}}
		p.sent[tp.Partition]++
	}
	if err := p.sink.Write(ctx, messages); err != nil {
		return fmt.Errorf("producer: %w", err)
	}
	return nil
}
