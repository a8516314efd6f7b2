package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// SinkSettings describe a sink; Brokers and Topic are needed, the rest has
// defaults.
type SinkSettings struct {
	Cluster
	Topic string
	// Compression is "" or "none", "gzip", "snappy", "lz4" or "zstd".
	Compression string
	// BatchBytes bounds the messages of one produce request; a larger message
	// is sent alone. Default 900 kB, a little less than what a topic takes by
	// default (max.message.bytes).
	BatchBytes int
	// Timeout bounds one produce request, acknowledgement included. Default 10s.
	Timeout time.Duration
}

const defaultBatchBytes = 900_000

var compressions = map[string]kafka.Compression{
	"": 0, "none": 0, "gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd,
}

// Sink writes to a topic. It is a stream.Sink and may be used by several
// goroutines at once.
type Sink struct {
	settings    SinkSettings
	compression kafka.Compression
	link        *link
	once        sync.Once
}

// NewSink reaches the cluster; it fails within 10 s if no broker answers, the topic
// does not exist (errors.Is stream.ErrUnknownTopic), or it may not be written to.
func NewSink(ctx context.Context, s SinkSettings) (*Sink, error) {
	if s.Topic == "" {
		return nil, errors.New("kafka: a sink needs a topic")
	}
	compression, ok := compressions[s.Compression]
	if !ok {
		return nil, fmt.Errorf("kafka: compression %q is not known; use none, gzip, snappy, lz4 or zstd", s.Compression)
	}
	if s.BatchBytes < 0 || s.Timeout < 0 {
		return nil, errors.New("kafka: a sink's settings may not be negative")
	}
	if s.BatchBytes == 0 {
		s.BatchBytes = defaultBatchBytes
	}
	if s.Timeout == 0 {
		s.Timeout = 10 * time.Second
	}
	l, err := connectToWrite(ctx, s.Cluster, nil, s.Topic)
	if err != nil {
		return nil, err
	}
	return &Sink{settings: s, compression: compression, link: l}, nil
}

// Close implements stream.Sink.
func (s *Sink) Close() error {
	s.once.Do(s.link.close)
	return nil
}

// Write implements stream.Sink.
func (s *Sink) Write(ctx context.Context, messages []stream.Message) error {
	if len(messages) == 0 {
		return nil
	}
	all, err := s.link.all(ctx, s.settings.Topic)
	if err != nil {
		return err
	}
	parts := make(map[int][]int)
	for i := range messages {
		p := partition(&messages[i], all)
		parts[p] = append(parts[p], i)
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		left  []int
		first error
	)
	for p, indices := range parts {
		wg.Go(func() {
			done, err := s.writePartition(ctx, p, messages, indices)
			if err != nil {
				mu.Lock()
				left = append(left, indices[done:]...)
				first = errors.Join(first, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if first == nil {
		return nil
	}
	slices.Sort(left)
	return &stream.WriteError{Remaining: left, Err: first}
}

// writePartition writes messages[indices] to one partition, one request after
// the other, and returns how many were acknowledged.
func (s *Sink) writePartition(ctx context.Context, p int, messages []stream.Message, indices []int) (int, error) {
	limit := s.settings.BatchBytes
	for done := 0; done < len(indices); {
		records, bytes := []kafka.Record(nil), 0
		for _, i := range indices[done:] {
			size := recordSize(&messages[i])
			if len(records) > 0 && bytes+size > limit {
				break
			}
			records, bytes = append(records, record(&messages[i])), bytes+size
		}
		err := s.produce(ctx, p, records)
		if tooLarge(err) && len(records) > 1 {
			// The topic takes less than BatchBytes; each message may still fit.
			limit = bytes / 2
			continue
		}
		if tooLarge(err) {
			m := &messages[indices[done]]
			return done, fmt.Errorf("kafka: the message made from %s has %d bytes, more than topic %s takes: raise its max.message.bytes: %w",
				m.Where(), bytes, s.settings.Topic, err)
		}
		if err != nil {
			return done, fmt.Errorf("kafka: writing %d messages to topic %s, partition %d: %w", len(records), s.settings.Topic, p, lacking(err, "Write"))
		}
		done += len(records)
	}
	return len(indices), nil
}

// produce sends one request and waits for all in-sync replicas.
func (s *Sink) produce(ctx context.Context, p int, records []kafka.Record) error {
	r, err := s.link.client(s.settings.Timeout).Produce(ctx, &kafka.ProduceRequest{
		Topic: s.settings.Topic, Partition: p, RequiredAcks: kafka.RequireAll,
		Compression: s.compression, Records: kafka.NewRecordReader(records...),
	})
	if err != nil {
		return err
	}
	return r.Error
}

func tooLarge(err error) bool {
	return errors.Is(err, kafka.MessageSizeTooLarge) || errors.Is(err, kafka.RecordListTooLarge)
}

// partition chooses as Java's producers do for messages with a key; those
// without follow the partition that they came from.
func partition(m *stream.Message, all []int) int {
	if m.Key == nil {
		return all[m.Partition%len(all)]
	}
	return kafka.Murmur2Balancer{}.Balance(kafka.Message{Key: m.Key}, all...)
}

func record(m *stream.Message) kafka.Record {
	r := kafka.Record{Key: kafka.NewBytes(m.Key), Value: kafka.NewBytes(m.Value), Time: m.Time}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, kafka.Header{Key: h.Key, Value: h.Value})
	}
	return r
}

// recordSize is an upper bound of a record's size in a batch.
func recordSize(m *stream.Message) int {
	n := 40 + len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		n += 10 + len(h.Key) + len(h.Value)
	}
	return n
}
