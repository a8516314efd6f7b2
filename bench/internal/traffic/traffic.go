// Package traffic contains the environment of measurements of delivery: topics, loads, a bare copy
// of a topic for comparison, and a reader of outputs. It uses kafka-go like the program, so that
// differences are due to the program.
package traffic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// Cluster is a broker's address.
type Cluster struct{ Addr string }

const timeout = 30 * time.Second

func (c Cluster) client() *kafka.Client {
	return &kafka.Client{Addr: kafka.TCP(c.Addr), Timeout: timeout}
}

// Create makes a topic and waits until it is writable.
func (c Cluster) Create(ctx context.Context, topic string, partitions int) error {
	config := kafka.TopicConfig{Topic: topic, NumPartitions: partitions, ReplicationFactor: 1}
	r, err := c.client().CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{config}})
	if err == nil {
		err = r.Errors[topic]
	}
	if err != nil {
		return fmt.Errorf("topic %s: %w", topic, err)
	}
	for {
		if _, err = c.bounds(ctx, topic, partitions); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Delete removes a topic.
func (c Cluster) Delete(ctx context.Context, topic string) error {
	r, err := c.client().DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{topic}})
	if err == nil {
		err = r.Errors[topic]
	}
	return err
}

// bounds returns the first offset and the end offset of each partition.
func (c Cluster) bounds(ctx context.Context, topic string, partitions int) ([]kafka.PartitionOffsets, error) {
	var ask []kafka.OffsetRequest
	for p := range partitions {
		ask = append(ask, kafka.FirstOffsetOf(p), kafka.LastOffsetOf(p))
	}
	r, err := c.client().ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: ask}})
	if err != nil {
		return nil, err
	}
	out := make([]kafka.PartitionOffsets, partitions)
	for _, p := range r.Topics[topic] {
		if p.Error != nil {
			return nil, p.Error
		}
		out[p.Partition] = p
	}
	return out, nil
}

// Messages returns the number of messages in a topic's partitions, including the ends of
// transactions.
func (c Cluster) Messages(ctx context.Context, topic string, partitions int) (n int64, err error) {
	bounds, err := c.bounds(ctx, topic, partitions)
	for _, b := range bounds {
		n += b.LastOffset - b.FirstOffset
	}
	return n, err
}

// Done reports whether a group's offsets are at the end of a topic.
func (c Cluster) Done(ctx context.Context, group, topic string, partitions int) (bool, error) {
	bounds, err := c.bounds(ctx, topic, partitions)
	if err != nil {
		return false, err
	}
	all := make([]int, partitions)
	for p := range all {
		all[p] = p
	}
	r, err := c.client().OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: all}})
	if err != nil || r.Error != nil {
		return false, nil // the group does not exist yet
	}
	done := 0
	for _, p := range r.Topics[topic] {
		if p.Error == nil && p.CommittedOffset == bounds[p.Partition].LastOffset {
			done++
		}
	}
	return done == partitions, nil
}

// produce appends messages of the same time to a partition and waits for the acknowledgement.
func (c Cluster) produce(ctx context.Context, client *kafka.Client, topic string, p int, records []kafka.Record) error {
	r, err := client.Produce(ctx, &kafka.ProduceRequest{Topic: topic, Partition: p, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(records...)})
	if err == nil {
		err = r.Error
	}
	return err
}

const batchBytes = 900_000

// Fill writes messages 0..n-1, number i to partition i % partitions, at full speed.
func (c Cluster) Fill(ctx context.Context, topic string, partitions, n int, message func(i int) []byte) error {
	return c.each(partitions, func(client *kafka.Client, p int) error {
		var records []kafka.Record
		bytes := 0
		for i := p; i < n; i += partitions {
			m := message(i)
			records, bytes = append(records, kafka.Record{Value: kafka.NewBytes(m)}), bytes+len(m)
			if bytes+len(m) > batchBytes || len(records) == 2000 || i+partitions >= n {
				if err := c.produce(ctx, client, topic, p, records); err != nil {
					return err
				}
				records, bytes = records[:0], 0
			}
		}
		return nil
	})
}

// linger is the time for which a paced load collects messages before it writes them, the default of
// Java's producers.
const linger = 5 * time.Millisecond

// Pace writes messages as Fill does, but at a rate: number i is due i/rate seconds after begin. The
// delay of writing is part of a message's age.
func (c Cluster) Pace(ctx context.Context, topic string, partitions, n int, begin time.Time, rate float64, message func(i int) []byte) error {
	return c.each(partitions, func(client *kafka.Client, p int) error {
		for i := p; i < n; {
			var records []kafka.Record
			now := time.Now()
			for ; i < n && len(records) < 1000; i += partitions {
				due := begin.Add(time.Duration(float64(i) / rate * float64(time.Second)))
				if due.After(now) {
					break
				}
				records = append(records, kafka.Record{Value: kafka.NewBytes(message(i)), Time: due})
			}
			if len(records) > 0 {
				if err := c.produce(ctx, client, topic, p, records); err != nil {
					return err
				}
			}
			if i < n {
				time.Sleep(linger - time.Since(now))
			}
		}
		return nil
	})
}

// each runs f concurrently for every partition, with a shared client.
func (c Cluster) each(partitions int, f func(client *kafka.Client, p int) error) error {
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := c.client()
	client.Transport = transport
	errs := make([]error, partitions)
	var wg sync.WaitGroup
	for p := range partitions {
		wg.Go(func() { errs[p] = f(client, p) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
