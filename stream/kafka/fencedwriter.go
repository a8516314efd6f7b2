package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// FencedWriter is the exclusive right to write to a topic. A new owner takes it from all others,
// whose writes the cluster then rejects. Each write is a transaction of a producer with the
// writer's transactional id. It implements fleet.FencedWriter.
type FencedWriter struct {
	settings CompactedSettings
	link     *link
	tp       stream.TopicPartition
	gauge    *gauge

	mu       sync.Mutex
	producer *producer
	// lost is set once another owner has the right; that is final.
	lost error
}

// OpenFencedWriter acquires the right with the given name, a transactional id. It returns after the
// former owner's transactions have ended.
func OpenFencedWriter(ctx context.Context, s CompactedSettings, name string) (*FencedWriter, error) {
	if s.Topic == "" || name == "" {
		return nil, errors.New("kafka: a fenced writer needs a topic and a name")
	}
	d := &FencedWriter{settings: s, tp: stream.TopicPartition{Topic: s.Topic}}
	err := openCompacted(ctx, s.Cluster, s.Topic, func(ctx context.Context, l *link) error {
		d.link, d.producer = l, newProducer(l, name, 0)
		d.gauge = &gauge{link: l, topic: s.Topic, transactional: true}
		return d.fence(ctx)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// fence makes this the only producer of its transactional id.
func (d *FencedWriter) fence(ctx context.Context) error {
	err := d.settings.retry().until(ctx, func() error {
		return d.session(ctx, kafka.ProducerSession{ProducerID: -1, ProducerEpoch: -1})
	})
	if err != nil {
		return fmt.Errorf("kafka: transactional id %s: %w", d.producer.id, lacking(err, "Write"))
	}
	return nil
}

// session requests an epoch: of a new producer, or of this one if no other has taken the
// transactional id meanwhile.
func (d *FencedWriter) session(ctx context.Context, from kafka.ProducerSession) error {
	return whileBusy(ctx, func() error {
		r, err := d.link.client(requestTimeout).InitProducerID(ctx, &kafka.InitProducerIDRequest{
			TransactionalID: d.producer.id, TransactionTimeoutMs: transactionTimeout, ProducerID: from.ProducerID, ProducerEpoch: from.ProducerEpoch,
		})
		if err = cmp.Or(err, errorOf(r)); err != nil {
			return err
		}
		d.producer.renew(*r.Producer)
		return nil
	})
}

// Write writes a message atomically. It fails with stream.ErrFenced if another owner has the right.
// After any other error the message may or may not have been written, and Write may be retried.
func (d *FencedWriter) Write(ctx context.Context, m stream.Message) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		return d.lost
	}
	err := d.write(ctx, m)
	for _, gone := range []error{kafka.ProducerFenced, kafka.InvalidProducerEpoch, kafka.InvalidProducerIDMapping} {
		if errors.Is(err, gone) {
			d.lost = fmt.Errorf("kafka: topic %s, transactional id %s: %w (%v)", d.tp.Topic, d.producer.id, stream.ErrFenced, err)
			return d.lost
		}
	}
	if err != nil {
		return fmt.Errorf("kafka: writing to topic %s: %w", d.tp.Topic, lacking(err, "Write"))
	}
	return nil
}

func (d *FencedWriter) write(ctx context.Context, m stream.Message) error {
	p := d.producer
	if p.broken {
		if err := d.session(ctx, p.session); err != nil {
			return err
		}
	}
	p.broken = true // until the transaction has ended
	err := p.patiently(ctx, func() error {
		r, err := d.link.client(requestTimeout).AddPartitionsToTxn(ctx, &kafka.AddPartitionsToTxnRequest{
			TransactionalID: p.id, ProducerID: p.session.ProducerID, ProducerEpoch: p.session.ProducerEpoch,
			Topics: map[string][]kafka.AddPartitionToTxn{d.tp.Topic: {{Partition: d.tp.Partition}}},
		})
		if err != nil {
			return err
		}
		for _, partition := range r.Topics[d.tp.Topic] {
			if partition.Error != nil {
				return partition.Error
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	l := &lot{tp: d.tp, gauge: d.gauge, messages: []*stream.Message{&m}, indices: []int{0}, sequence: p.sequence[d.tp]}
	p.sequence[d.tp] = following(l.sequence, 1)
	if err := p.write(ctx, l); err != nil {
		p.abort()
		return err
	}
	if err := p.end(ctx, true); err != nil {
		return err
	}
	p.broken = false
	return nil
}

// Close closes all connections.
func (d *FencedWriter) Close() error {
	d.link.close()
	return nil
}
