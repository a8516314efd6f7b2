package kafka

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// Sizes are the limits of a topic, and its other requirements, as far as its brokers disclose them.
type Sizes struct {
	// Batch bounds the compressed size of a batch in bytes (max.message.bytes). It is 0 if this
	// client lacks the right DescribeConfigs on the topic.
	Batch int
	// Request bounds the size of a request in bytes (socket.request.max.bytes). It is 0 if this
	// client lacks the right DescribeConfigs on the cluster.
	Request int
	// Compression is the compression of stored batches (compression.type): "producer", "" or the
	// codec with which brokers compress them again.
	Compression string
	// Compacted is true for a compacted topic (cleanup.policy): messages without a key are
	// rejected, and only the last message of each key is kept.
	Compacted bool
	// Before and After bound the difference between a message's time and the brokers' time, in ms
	// (message.timestamp.before.max.ms and .after.max.ms); 0: unlimited or unknown.
	Before, After int64
}

// AskSizes requests the limits of a topic. It fails within 10 s if no broker answers or the topic
// does not exist.
func AskSizes(ctx context.Context, c Cluster, topic string) (s Sizes, err error) {
	err = visit(ctx, c, func(ctx context.Context, l *link) error {
		err := l.find(ctx, topic)
		if err == nil {
			s, err = l.sizes(ctx, topic)
		}
		return err
	})
	return s, err
}

// The names of the requested settings.
const (
	batchSetting       = "max.message.bytes"
	compressionSetting = "compression.type"
	requestSetting     = "socket.request.max.bytes"
	cleanupSetting     = "cleanup.policy"
	timeSetting        = "message.timestamp.type"
	beforeSetting      = "message.timestamp.before.max.ms"
	afterSetting       = "message.timestamp.after.max.ms"
)

// compact is the cleanup.policy of a compacted topic. A topic may have several policies.
const compact = "compact"

// sizes requests the limits. Undisclosed ones are not an error.
func (l *link) sizes(ctx context.Context, topic string) (s Sizes, err error) {
	client := l.client(connectTimeout)
	cluster, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return s, err
	}
	of := kafka.DescribeConfigRequestResource{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic,
		ConfigNames: []string{batchSetting, compressionSetting, cleanupSetting, timeSetting, beforeSetting, afterSetting}}
	said, err := client.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{Resources: []kafka.DescribeConfigRequestResource{of}})
	if err != nil {
		return s, err
	}
	settings := settingsOf(said)
	for _, m := range settings {
		s.Batch, s.Compression = number(m[batchSetting]), m[compressionSetting]
		s.Compacted = strings.Contains(m[cleanupSetting], compact)
		if m[timeSetting] != "LogAppendTime" {
			s.Before, s.After = int64(number(m[beforeSetting])), int64(number(m[afterSetting]))
		}
	}
	var leaders []kafka.DescribeConfigRequestResource
	for _, t := range cluster.Topics {
		for _, p := range t.Partitions {
			leader := kafka.DescribeConfigRequestResource{ResourceType: kafka.ResourceTypeBroker, ResourceName: strconv.Itoa(p.Leader.ID), ConfigNames: []string{requestSetting}}
			if p.Leader.Host != "" && !slices.ContainsFunc(leaders, func(r kafka.DescribeConfigRequestResource) bool { return r.ResourceName == leader.ResourceName }) {
				leaders = append(leaders, leader)
			}
		}
	}
	if len(leaders) == 0 {
		return s, nil
	}
	if said, err = client.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{Resources: leaders}); err != nil {
		return s, nil // a leader is missing, but the topic's settings are known
	}
	for _, m := range settingsOf(said) {
		if n := number(m[requestSetting]); n > 0 && (s.Request == 0 || n < s.Request) {
			s.Request = n
		}
	}
	return s, nil
}

// settingsOf returns the settings of each resource in an answer.
func settingsOf(r *kafka.DescribeConfigsResponse) (all []map[string]string) {
	for _, of := range r.Resources {
		if of.Error != nil {
			continue
		}
		m := map[string]string{}
		for _, e := range of.ConfigEntries {
			m[e.ConfigName] = e.ConfigValue
		}
		all = append(all, m)
	}
	return all
}

// number parses a setting; 0 if it has none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

const (
	// defaultRequest is Kafka's default limit of requests, for brokers that do not disclose theirs.
	// requestRoom is the size of a request without its batch and without names.
	defaultRequest = 100 << 20
	requestRoom    = 1 << 10
)

// askAgain is the largest age of a limit by which a message is rejected. Tests lower it.
var askAgain = 10 * time.Second

// gauge knows the limits of a topic and the best encoding for it. It requests them when it is made,
// and again when a message is rejected, because settings change.
type gauge struct {
	link          *link
	topic         string
	transactional bool
	compression   kafka.Compression

	mu    sync.Mutex
	known Sizes
	// refused is a size that was rejected although it was below the limit; 0: none.
	refused int
	asked   time.Time
}

func newGauge(ctx context.Context, l *link, topic string, compression kafka.Compression, transactional bool) *gauge {
	g := &gauge{link: l, topic: topic, compression: compression, transactional: transactional}
	g.ask(ctx)
	return g
}

// ask requests the limits. Without an answer the old ones stay; writing will show that brokers are
// missing.
func (g *gauge) ask(ctx context.Context) {
	s, err := g.link.sizes(ctx, g.topic)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		g.known, g.refused = s, 0
	}
	g.asked = time.Now()
}

// format returns the encoding of batches. If brokers compress batches themselves, batches are sent
// with their compression, so that both sides count the same size.
func (g *gauge) format() format {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := format{transactional: g.transactional, compression: g.compression}
	if kept, ok := compressions[g.known.Compression]; ok && g.known.Compression != "" {
		f.compression = kept
	}
	return f
}

// limit returns the largest size of a batch in bytes.
func (g *gauge) limit() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	limit := defaultRequest
	if g.known.Request > 0 {
		limit = g.known.Request
	}
	limit -= requestRoom + len(g.topic)
	if g.known.Batch > 0 {
		limit = min(limit, g.known.Batch)
	}
	if g.refused > 0 {
		limit = min(limit, g.refused-1)
	}
	return limit
}

// weigh encodes messages that may be too large, each as it would be sent, and returns those that
// are. The others are sent in this encoded form.
func (g *gauge) weigh(ctx context.Context, l *lot) (large []stream.Refused, err error) {
	limit := g.limit()
	for i, m := range l.messages {
		if recordSize(m)+batchHeader <= limit {
			continue
		}
		b, err := g.format().pack(l.messages[i : i+1])
		if err != nil {
			return nil, err
		}
		size := batchSize(b)
		if size > limit && g.old() {
			g.ask(ctx)
			limit = g.limit()
		}
		if size > limit {
			large = append(large, stream.Refused{Index: l.indices[i], Topic: g.topic, Size: size, Limit: limit})
			continue
		}
		if l.packed == nil {
			l.packed = map[*stream.Message][]byte{}
		}
		l.packed[m] = b
	}
	return large, nil
}

func (g *gauge) old() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().After(g.asked.Add(askAgain))
}

// batchSize returns the size that brokers count for an encoded batch, without the length field.
func batchSize(b []byte) int { return len(b) - 4 }

// refuse records that a batch of one message was rejected, and returns the limit. It returns 0 if
// the topic's settings have changed and the batch would now fit.
func (g *gauge) refuse(ctx context.Context, size int) int {
	g.mu.Lock()
	before := g.known
	g.mu.Unlock()
	g.ask(ctx)
	g.mu.Lock()
	changed := g.known != before
	g.mu.Unlock()
	limit := g.limit()
	switch {
	case size > limit:
	case changed:
		return 0
	default:
		// The broker does not follow its own limit, so the rejected size counts.
		g.mu.Lock()
		g.refused = size
		g.mu.Unlock()
		limit = size - 1
	}
	return limit
}

// refusal returns the error of a batch of one message, the lot's i-th, that was too large.
func (g *gauge) refusal(ctx context.Context, l *lot, i int, batch []byte, err error) error {
	size := batchSize(batch)
	limit := g.refuse(ctx, size)
	if limit == 0 {
		return err
	}
	return &stream.RefusedError{Messages: []stream.Refused{{Index: l.indices[i], Topic: g.topic, Size: size, Limit: limit}}, Err: err}
}

// tooLargeIn measures lots and returns an error with the messages that are too large.
func tooLargeIn(ctx context.Context, lots []*lot) error {
	var all []stream.Refused
	for _, l := range lots {
		large, err := l.gauge.weigh(ctx, l)
		if err != nil {
			return err
		}
		all = append(all, large...)
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b stream.Refused) int { return a.Index - b.Index })
	return &stream.RefusedError{Messages: all}
}
