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

// SinkSettings are the settings of a sink. Brokers and Topic are required.
type SinkSettings struct {
	Cluster
	Topic string
	// Compression is "" or "none", "gzip", "snappy", "lz4" or "zstd". If a topic has its own
	// compression.type, that is used instead.
	Compression string
	// BatchBytes bounds the size of the messages in one produce request. A larger message is sent
	// alone. Default 900 kB, slightly less than a topic's default limit (max.message.bytes).
	BatchBytes int
	// Timeout bounds one produce request with its acknowledgement. Default 10s.
	Timeout time.Duration
}

const defaultBatchBytes = 900_000

// compressions maps names in settings of this program and of topics to codecs.
var compressions = map[string]kafka.Compression{
	"": 0, "none": 0, "uncompressed": 0, "gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd,
}

func knownCompression(name string) error {
	if _, ok := compressions[name]; !ok {
		return fmt.Errorf("kafka: compression %q is not known; use none, gzip, snappy, lz4 or zstd", name)
	}
	return nil
}

// Sink writes to a topic. It implements stream.Sink and is safe for concurrent use.
type Sink struct {
	settings SinkSettings
	gauge    *gauge
	link     *link
	once     sync.Once

	mu sync.Mutex
	// producers are those that no Write uses at present: the last one for each source partition;
	// spare are others.
	producers map[stream.TopicPartition]*idempotent
	spare     []*idempotent
	// anonymous is true if the cluster assigns no producer id to this client.
	anonymous bool
}

// NewSink connects to the cluster. It fails within 10 s if no broker answers, the topic does not
// exist (errors.Is stream.ErrUnknownTopic), or this client may not write to it.
func NewSink(ctx context.Context, s SinkSettings) (*Sink, error) {
	if s.Topic == "" {
		return nil, errors.New("kafka: a sink needs a topic")
	}
	if err := knownCompression(s.Compression); err != nil {
		return nil, err
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
	return &Sink{settings: s, gauge: newGauge(ctx, l, s.Topic, compressions[s.Compression], false), link: l, producers: map[stream.TopicPartition]*idempotent{}}, nil
}

// Close implements stream.Sink.
func (s *Sink) Close() error {
	s.once.Do(s.link.close)
	return nil
}

// Write implements stream.Sink. If a message is found to be too large before sending, it writes
// nothing.
func (s *Sink) Write(ctx context.Context, messages []stream.Message) error {
	if len(messages) == 0 {
		return nil
	}
	lots, err := s.gauge.assign(ctx, messages, 0)
	if err != nil {
		return err
	}
	if err := tooLargeIn(ctx, lots); err != nil {
		return &stream.WriteError{Remaining: indices(len(messages)), Err: fmt.Errorf("kafka: %w", made(messages, err))}
	}
	from := messages[0].TopicPartition
	producer := s.borrow(from)
	defer s.giveBack(from, producer)
	if err := s.number(ctx, producer, lots); err != nil {
		return fmt.Errorf("kafka: writing to topic %s: %w", s.settings.Topic, lacking(err, "Write"))
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		left []int
		errs []error
	)
	for _, lot := range lots {
		wg.Go(func() {
			done, err := s.write(ctx, producer, lot)
			if err != nil {
				mu.Lock()
				left = append(left, lot.indices[done:]...)
				errs = append(errs, fmt.Errorf("kafka: %w", lacking(err, "Write")))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(errs) == 0 {
		return nil
	}
	slices.Sort(left)
	if err := refusedOf(errs); err != nil {
		errs = []error{fmt.Errorf("kafka: %w", made(messages, err))}
	}
	return &stream.WriteError{Remaining: left, Err: errors.Join(errs...)}
}

// indices returns 0, ..., n-1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// partition selects the partition as Java's producers do for messages with a key. Messages without
// a key keep the number of their source partition.
func partition(m *stream.Message, all []int) int {
	if m.Key == nil {
		return all[m.Partition%len(all)]
	}
	return kafka.Murmur2Balancer{}.Balance(kafka.Message{Key: m.Key}, all...)
}

// recordSize returns an upper bound of a record's size in a batch, in bytes.
func recordSize(m *stream.Message) int {
	n := 40 + len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		n += 10 + len(h.Key) + len(h.Value)
	}
	return n
}
