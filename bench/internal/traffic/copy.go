package traffic

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// The batching of a stage, which a copy uses, too.
const (
	copyMessages = 512
	copyBytes    = 4 << 20
	copyQueue    = 1024
)

// Copy copies messages from one topic to another with as many partitions, like a minimal program
// with kafka-go: a reader in a group, a writer that waits for all in-sync replicas, and periodic
// commits after that. Each partition's messages go to the same partition, in batches like a
// stage's. It ends with the context.
func Copy(ctx context.Context, addr, in, out, group string, partitions int) error {
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{addr}, Topic: in, GroupID: group, StartOffset: kafka.FirstOffset,
		MinBytes: 1, MaxBytes: copyBytes, MaxWait: 500 * time.Millisecond, QueueCapacity: copyQueue, CommitInterval: 500 * time.Millisecond,
		JoinGroupBackoff: 250 * time.Millisecond})
	w := &kafka.Writer{Addr: kafka.TCP(addr), Topic: out, RequiredAcks: kafka.RequireAll, BatchSize: copyMessages, BatchBytes: batchBytes, BatchTimeout: time.Millisecond,
		Balancer: kafka.BalancerFunc(func(m kafka.Message, _ ...int) int { return m.Partition })}
	ctx, stop := context.WithCancel(ctx)
	queues := make([]chan kafka.Message, partitions)
	errs := make([]error, partitions)
	var wg sync.WaitGroup
	for p := range queues {
		queues[p] = make(chan kafka.Message, copyQueue)
		wg.Go(func() {
			defer stop()
			errs[p] = copyPartition(ctx, r, w, queues[p])
		})
	}
	var err error
	for err == nil {
		var m kafka.Message
		if m, err = r.FetchMessage(ctx); err == nil {
			select {
			case queues[m.Partition] <- m:
			case <-ctx.Done():
			}
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	stop()
	wg.Wait()
	return errors.Join(append(errs, err, r.Close(), w.Close())...)
}

// copyPartition writes incoming messages in batches until ctx ends.
func copyPartition(ctx context.Context, r *kafka.Reader, w *kafka.Writer, in <-chan kafka.Message) error {
	for {
		batch := make([]kafka.Message, 0, copyMessages)
		var last kafka.Message
		bytes := 0
		add := func(m kafka.Message) {
			last, bytes = m, bytes+len(m.Value)
			batch = append(batch, kafka.Message{Partition: m.Partition, Key: m.Key, Value: m.Value, Headers: m.Headers, Time: m.Time})
		}
		select {
		case m := <-in:
			add(m)
		case <-ctx.Done():
			return nil
		}
	more:
		for len(batch) < copyMessages && bytes < copyBytes {
			select {
			case m := <-in:
				add(m)
			default:
				break more
			}
		}
		err := w.WriteMessages(ctx, batch...)
		if err == nil {
			err = r.CommitMessages(ctx, last)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
