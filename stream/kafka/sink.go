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
	// Compression is "" or "none", "gzip", "snappy", "lz4" or "zstd". Topics that brokers
	// compress by themselves (compression.type) get what those want.
	Compression string
	// BatchBytes bounds the messages of one produce request; a larger message
	// is sent alone. Default 900 kB, a little less than what a topic takes by
	// default (max.message.bytes).
	BatchBytes int
	// Timeout bounds one produce request, acknowledgement included. Default 10s.
	Timeout time.Duration
}

const defaultBatchBytes = 900_000

// compressions are by name, as settings of this program and of topics have them.
var compressions = map[string]kafka.Compression{
	"": 0, "none": 0, "uncompressed": 0, "gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd,
}

func knownCompression(name string) error {
	if _, ok := compressions[name]; !ok {
		return fmt.Errorf("kafka: compression %q is not known; use none, gzip, snappy, lz4 or zstd", name)
	}
	return nil
}

// Sink writes to a topic. It is a stream.Sink and may be used by several
// goroutines at once.
type Sink struct {
	settings SinkSettings
	gauge    *gauge
	link     *link
	once     sync.Once

	mu sync.Mutex
	// producers that no Write uses at the moment: the last one for what comes from each
	// partition, and others.
	producers map[stream.TopicPartition]*idempotent
	spare     []*idempotent
	// anonymous: the cluster gives this client no producer's id.
	anonymous bool
}

// NewSink reaches the cluster; it fails within 10 s if no broker answers, the topic
// does not exist (errors.Is stream.ErrUnknownTopic), or it may not be written to.
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

// Write implements stream.Sink. It writes nothing if a message is found to be too large
// before it is sent.
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

// indices are those of n messages.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// partition chooses as Java's producers do for messages with a key; those
// without follow the partition that they came from.
func partition(m *stream.Message, all []int) int {
	if m.Key == nil {
		return all[m.Partition%len(all)]
	}
	return kafka.Murmur2Balancer{}.Balance(kafka.Message{Key: m.Key}, all...)
}

// recordSize is an upper bound of a record's size in a batch.
func recordSize(m *stream.Message) int {
	n := 40 + len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		n += 10 + len(h.Key) + len(h.Value)
	}
	return n
}
