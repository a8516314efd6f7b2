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

// Sizes are how large what is written to a topic may be, and what else the topic asks of
// it, as far as its brokers say.
type Sizes struct {
	// Batch bounds a batch of messages as it is sent, compressed, in bytes
	// (max.message.bytes); 0 if this client may not know (it needs the right
	// DescribeConfigs on the topic).
	Batch int
	// Request bounds a whole request, in bytes (socket.request.max.bytes); 0 if this
	// client may not know (it needs the right DescribeConfigs on the cluster).
	Request int
	// Compression is how the brokers keep batches (compression.type): "producer", "" or
	// what they compress them with again.
	Compression string
	// Compacted: messages without a key are refused, and of those with the same key the
	// last is kept (cleanup.policy).
	Compacted bool
	// Before and After bound how far a message's time may be behind and ahead of the
	// brokers', in ms (message.timestamp.before.max.ms and .after.max.ms); 0: not, or not
	// known.
	Before, After int64
}

// AskSizes asks how large what is written to a topic may be. It fails within 10 s if no
// broker answers or the topic does not exist.
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

// The names of the settings that are asked for.
const (
	batchSetting       = "max.message.bytes"
	compressionSetting = "compression.type"
	requestSetting     = "socket.request.max.bytes"
	cleanupSetting     = "cleanup.policy"
	timeSetting        = "message.timestamp.type"
	beforeSetting      = "message.timestamp.before.max.ms"
	afterSetting       = "message.timestamp.after.max.ms"
)

// compact is the cleanup.policy of a topic that is compacted; a topic may have several.
const compact = "compact"

// sizes asks the cluster. What it does not report is no error.
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
		return s, nil // a leader that is away: its topic is known all the same
	}
	for _, m := range settingsOf(said) {
		if n := number(m[requestSetting]); n > 0 && (s.Request == 0 || n < s.Request) {
			s.Request = n
		}
	}
	return s, nil
}

// settingsOf are the settings in an answer, of each resource that there are any of.
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

// number is a setting's, 0 if it has none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

const (
	// defaultRequest is what brokers take that do not say, as Kafka's do by default;
	// requestRoom is for what a request holds beside the batch, without names.
	defaultRequest = 100 << 20
	requestRoom    = 1 << 10
)

// askAgain is how old a limit may be that a message is found too large by. Tests lower it.
var askAgain = 10 * time.Second

// gauge knows what a topic takes, and how it is best given that. It asks when it is made,
// and again when a message is refused, by the brokers or by itself: settings change.
type gauge struct {
	link          *link
	topic         string
	transactional bool
	compression   kafka.Compression

	mu    sync.Mutex
	known Sizes
	// refused is a size that was refused though it should not have been; 0: none.
	refused int
	asked   time.Time
}

func newGauge(ctx context.Context, l *link, topic string, compression kafka.Compression, transactional bool) *gauge {
	g := &gauge{link: l, topic: topic, compression: compression, transactional: transactional}
	g.ask(ctx)
	return g
}

// ask asks the brokers. Those that do not answer leave it as it was: that they are away
// shows when something is written.
func (g *gauge) ask(ctx context.Context) {
	s, err := g.link.sizes(ctx, g.topic)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		g.known, g.refused = s, 0
	}
	g.asked = time.Now()
}

// format is how batches are encoded: compressed as the brokers keep them, if they do not
// leave that to producers, so that they count what was sent.
func (g *gauge) format() format {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := format{transactional: g.transactional, compression: g.compression}
	if kept, ok := compressions[g.known.Compression]; ok && g.known.Compression != "" {
		f.compression = kept
	}
	return f
}

// limit is how many bytes a batch may have.
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

// weigh packs what may be too large, each message as it would be sent, and returns what
// is. What is not is sent as it was packed.
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

// batchSize is how many bytes brokers count for an encoded batch, which has its length
// before it.
func batchSize(b []byte) int { return len(b) - 4 }

// refuse takes down that a batch of one message was refused, and returns the limit. If
// the topic's settings have changed and it would fit by now there is none: 0.
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
		// The broker does not do as it says: it has the last word.
		g.mu.Lock()
		g.refused = size
		g.mu.Unlock()
		limit = size - 1
	}
	return limit
}

// refusal is what a batch of one message, the lot's i-th, comes to that was too large.
func (g *gauge) refusal(ctx context.Context, l *lot, i int, batch []byte, err error) error {
	size := batchSize(batch)
	limit := g.refuse(ctx, size)
	if limit == 0 {
		return err
	}
	return &stream.RefusedError{Messages: []stream.Refused{{Index: l.indices[i], Topic: g.topic, Size: size, Limit: limit}}, Err: err}
}

// tooLargeIn weighs lots and returns an error that says which messages are too large.
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
