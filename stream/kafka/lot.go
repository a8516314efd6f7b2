package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// lot are the messages to write to one partition, with their indices among all messages.
type lot struct {
	tp       stream.TopicPartition
	gauge    *gauge
	messages []*stream.Message
	indices  []int
	// packed are batches of one message that were encoded to measure their size.
	packed map[*stream.Message][]byte
	// sequence is that of the first message in a transaction. numbers is the sequence state of a
	// sink's producer.
	sequence int32
	numbers  *numbers
}

// assign distributes messages to partitions, in order. first is the index of the first.
func (g *gauge) assign(ctx context.Context, messages []stream.Message, first int) (lots []*lot, err error) {
	all, err := g.link.all(ctx, g.topic)
	if err != nil {
		return nil, err
	}
	byPartition := map[int]*lot{}
	for i := range messages {
		p := partition(&messages[i], all)
		l := byPartition[p]
		if l == nil {
			l = &lot{tp: stream.TopicPartition{Topic: g.topic, Partition: p}, gauge: g}
			byPartition[p] = l
			lots = append(lots, l)
		}
		l.messages, l.indices = append(l.messages, &messages[i]), append(l.indices, first+i)
	}
	return lots, nil
}

// encode encodes some of a lot's messages.
func (l *lot) encode(messages []*stream.Message, session kafka.ProducerSession, sequence int32) ([]byte, error) {
	if b := l.packed[messages[0]]; b != nil && len(messages) == 1 {
		return seal(b, session, sequence), nil
	}
	return l.gauge.format().encode(messages, session, sequence)
}

// inBatches sends a lot's messages from..to sequentially, in batches of at most limit bytes or of
// one message. It returns the number of sent messages. send also gets the number sent before.
func (l *lot) inBatches(from, to, limit int, send func(batch []*stream.Message, done int) error) (done int, err error) {
	limit = min(limit, l.gauge.limit())
	messages := l.messages[from:to]
	for done < len(messages) {
		n, size := 0, batchHeader
		for _, m := range messages[done:] {
			s := recordSize(m)
			if n > 0 && size+s > limit {
				break
			}
			n, size = n+1, size+s
		}
		err := send(messages[done:done+n], done)
		if n > 1 && divisible(err) {
			// The individual messages may still fit.
			limit = size / 2
			continue
		}
		if err != nil {
			return done, fmt.Errorf("writing %d messages to topic %s, partition %d: %w", n, l.tp.Topic, l.tp.Partition, err)
		}
		done += n
	}
	return done, nil
}

func tooLarge(err error) bool {
	return errors.Is(err, kafka.MessageSizeTooLarge) || errors.Is(err, kafka.RecordListTooLarge)
}
