package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/backoff"
	"unfold/stream"
	"unfold/stream/kafka"
)

const (
	// perMessage is the number of connections in one message.
	perMessage = 20
	// beat is the time between two writes of a paced replay.
	beat = 50 * time.Millisecond
)

// script is the stream as it will be sent.
type script struct {
	messages [][]byte // one Arrow IPC stream each
	broken   [][]byte // messages that cannot be read or placed
	events   int
}

// readScript cuts the data into messages, in the order of the file.
func readScript(ctx context.Context, path string) (*script, error) {
	r, err := ingest.Open(ctx, path, ingest.Options{BatchRows: 100 * perMessage})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := &script{}
	for {
		t, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		for from := 0; from < t.Len(); from += perMessage {
			part := t.Slice(from, min(from+perMessage, t.Len()))
			if err := s.appendTable(part); err != nil {
				return nil, err
			}
		}
	}
}

func (s *script) appendTable(t *table.Table) error {
	m, err := emit.EncodeTable(t)
	if err != nil {
		return err
	}
	s.messages = append(s.messages, m)
	s.events += t.Len()
	if s.broken != nil {
		return nil
	}
	// One that is no Arrow at all, one that was cut off, one without its columns.
	short, err := table.NewTable(t.Origin, t.Columns()[:3]...)
	if err != nil {
		return err
	}
	lacking, err := emit.EncodeTable(short)
	s.broken = [][]byte{[]byte(`{"src_bytes": 181}`), m[:len(m)/2], lacking}
	return err
}

// producer sends the script.
type producer struct {
	sink *kafka.Sink
	sent [partitions]int64 // messages in each partition
}

// play sends all messages, alternating between partitions: rate events a second,
// or as fast as the broker takes them if rate is 0. With broken, the broken
// messages come in between.
func (p *producer) play(ctx context.Context, s *script, rate int, broken bool) error {
	batch := 64
	if rate > 0 {
		batch = max(1, int(float64(rate)*beat.Seconds()/perMessage))
	}
	queue := s.messages
	if broken {
		queue = withBroken(s)
	}
	begin := time.Now()
	for from := 0; from < len(queue); from += batch {
		to := min(from+batch, len(queue))
		if err := p.send(ctx, queue[from:to], from); err != nil {
			return err
		}
		if rate == 0 {
			continue
		}
		due := begin.Add(time.Duration(float64(to*perMessage) / float64(rate) * float64(time.Second)))
		if err := backoff.Wait(ctx, time.Until(due)); err != nil {
			return err
		}
	}
	return nil
}

// withBroken spreads the broken messages over the others.
func withBroken(s *script) [][]byte {
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

func (p *producer) send(ctx context.Context, values [][]byte, number int) error {
	messages := make([]stream.Message, len(values))
	for i, v := range values {
		tp := stream.TopicPartition{Topic: Connections, Partition: (number + i) % partitions}
		messages[i] = stream.Message{TopicPartition: tp, Value: v, Time: time.Now(),
			Headers: []stream.Header{{Key: stream.HeaderContentType, Value: []byte(stream.ContentType)}}}
		p.sent[tp.Partition]++
	}
	if err := p.sink.Write(ctx, messages); err != nil {
		return fmt.Errorf("producer: %w", err)
	}
	return nil
}
