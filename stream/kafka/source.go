package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// Start says where a group begins to read a partition that it has no offset for.
type Start int

const (
	// Earliest begins with the oldest message that the topic still has.
	Earliest Start = iota
	// Latest begins with what comes from now on.
	Latest
)

// OnGap says what happens when the group's offset is outside of the log.
type OnGap int

const (
	// Fail ends reading with an *stream.OffsetError.
	Fail OnGap = iota
	// Continue goes on with the first message that the log has.
	Continue
)

// SourceSettings describe a source; Brokers, Topic and Group are needed, the rest
// has defaults.
type SourceSettings struct {
	Cluster
	Topic, Group string
	// Start is where a new group begins.
	Start Start
	// OnGap is what happens when the group's offset is outside of the log; Gap, if
	// set, is called either way. stream.Hooks.Gap fits.
	OnGap OnGap
	Gap   func(gap *stream.OffsetError)
	// Journal, if set, keeps what the group commits; OnLost is what happens when the group has
	// lost an offset that it has. Resumed, if set, is called where reading goes on then.
	// stream.Hooks.Resumed fits.
	Journal Journal
	OnLost  OnLost
	Resumed func(at stream.Position, noted time.Time)
	// NoOffsets, if set, is called before partitions are read that have had messages, and for which neither the
	// group nor the journal has an offset. stream.Hooks.NoOffsets fits.
	NoOffsets func(at []stream.Position)
	// CreatedAgain, if set, is called before a topic is read that was created again since it
	// was read last: its offsets are others. stream.Hooks.CreatedAgain fits.
	CreatedAgain func(topic string)
	// FetchBytes bounds the answer to one fetch of one partition (a larger
	// message still comes, alone). Default 4 MiB.
	FetchBytes int
	// FetchWait is how long a fetch waits for messages at the broker. Default
	// 500ms.
	FetchWait time.Duration
	// SessionTimeout is how long the group waits for a silent member before its
	// partitions go to others; Heartbeat is how often a member calls, and so how
	// soon it learns of a rebalance; RebalanceTimeout is how long a member may
	// take to finish and rejoin. Defaults 10s, 1s, 15s.
	SessionTimeout, Heartbeat, RebalanceTimeout time.Duration
	// LookEvery is how often the topic is looked at while it is read: partitions that are added
	// to it, and that it was deleted or created again, are noticed after two looks. Default 1s.
	LookEvery time.Duration
	// BlockedAfter is how long an open transaction of another program may hold reading back
	// before it is reported, as a *BlockedError, and again after as long. Default 10s.
	BlockedAfter time.Duration
	// Alone says that the group is to have no other member, and Who this one is, for
	// people: a second one is refused with an *OccupiedError, see alone.go. One that died
	// is waited for, until its session has timed out.
	Alone bool
	Who   string
	// Transactions, if set, make its generations stream.Transactional. It needs
	// brokers of version 2.5 or later.
	Transactions *Transactions
	// Retrying, if set, is called for failures that are waited out. What is "topic" (it is gone), "join", "offsets", "committed offsets", "fetch", "transaction" or "open transaction" (a *BlockedError). stream.Hooks.Retrying fits.
	Retrying func(what string, attempt int, err error, pause time.Duration)
	// Recovered, if set, is called when "fetch" works again, which no message may tell, or
	// when an "open transaction" has ended.
	// stream.Hooks.Recovered fits.
	Recovered func(what string)
}

const (
	defaultFetchBytes = 4 << 20
	defaultFetchWait  = 500 * time.Millisecond
)

func (s SourceSettings) withDefaults() (SourceSettings, error) {
	if s.Topic == "" || s.Group == "" {
		return s, errors.New("kafka: a source needs a topic and a group")
	}
	if s.Transactions != nil && (s.Transactions.Outputs == "" || s.Transactions.BatchBytes < 0) {
		return s, errors.New("kafka: transactions need a topic for outputs, and no negative setting")
	}
	if s.Transactions != nil {
		if err := knownCompression(s.Transactions.Compression); err != nil {
			return s, err
		}
	}
	if s.FetchBytes < 0 || s.FetchWait < 0 || s.SessionTimeout < 0 || s.Heartbeat < 0 || s.RebalanceTimeout < 0 || s.LookEvery < 0 || s.BlockedAfter < 0 {
		return s, errors.New("kafka: a source's settings may not be negative")
	}
	if s.FetchBytes == 0 {
		s.FetchBytes = defaultFetchBytes
	}
	for v, d := range map[*time.Duration]time.Duration{
		&s.FetchWait: defaultFetchWait, &s.SessionTimeout: 10 * time.Second,
		&s.Heartbeat: time.Second, &s.RebalanceTimeout: 15 * time.Second, &s.LookEvery: defaultLookEvery, &s.BlockedAfter: defaultBlockedAfter,
	} {
		if *v == 0 {
			*v = d
		}
	}
	return s, nil
}

// Source reads a topic as a member of a consumer group. It is a stream.Source.
type Source struct {
	settings SourceSettings
	link     *link
	group    *kafka.ConsumerGroup
	// outputs and letters know what the topics of transactions take; letters may be nil.
	outputs, letters *gauge

	mu      sync.Mutex
	current *generation
	closed  bool
	// known is how many partitions the topic had in the first generation, 0 once it was created
	// again; topic is what it was in the last one, and owned what this source read in that.
	known   int
	topic   shape
	owned   map[int]bool
	closing sync.Once
	// counted is how many partitions this member has assigned as the group's leader, and short
	// how many generations in a row were over soon.
	counted atomic.Int64
	// served says that a fetch was answered: rights that are missing later were taken away.
	served atomic.Bool
	short  int
}

// NewSource reaches the cluster and joins the group; the group's answer is
// awaited by Next. It fails within 10 s if no broker answers, the topic does not
// exist (errors.Is stream.ErrUnknownTopic), or Transactions may not write to theirs.
func NewSource(ctx context.Context, settings SourceSettings) (*Source, error) {
	s, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	var written []string
	if t := s.Transactions; t != nil {
		written = append(written, t.Outputs)
		if t.Letters != "" {
			written = append(written, t.Letters)
		}
	}
	l, err := connectToWrite(ctx, s.Cluster, []string{s.Topic}, written...)
	if err != nil {
		return nil, err
	}
	source := &Source{settings: s, link: l, known: unmet}
	source.counted.Store(notCounted)
	if s.Journal != nil {
		source.topic.id = s.Journal.Known().Topic
	}
	source.group, err = kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: s.Group, Brokers: s.Brokers, Dialer: l.dialer, Topics: []string{s.Topic},
		// Without a committed offset the offset becomes this sentinel;
		// offsets.go turns it into a real one.
		StartOffset:    kafka.FirstOffset,
		SessionTimeout: s.SessionTimeout, HeartbeatInterval: s.Heartbeat, RebalanceTimeout: s.RebalanceTimeout,
		JoinGroupBackoff: 250 * time.Millisecond, Timeout: 3 * time.Second,
		GroupBalancers: source.assignors(),
	})
	if err != nil {
		l.close()
		return nil, fmt.Errorf("kafka: %w", err)
	}
	if t := s.Transactions; t != nil {
		source.outputs = newGauge(ctx, l, t.Outputs, compressions[t.Compression], true)
		if t.Letters != "" {
			source.letters = newGauge(ctx, l, t.Letters, compressions[t.Compression], true)
		}
	}
	return source, nil
}

// Next implements stream.Source.
func (s *Source) Next(ctx context.Context) (stream.Generation, error) {
	for {
		if err := s.leave(ctx); err != nil {
			return nil, err
		}
		g, err := s.join(ctx)
		if err != nil {
			return nil, err
		}
		gen := newGeneration(s, g)
		s.mu.Lock()
		closed := s.closed
		s.current = gen
		s.mu.Unlock()
		if closed {
			gen.release()
			return nil, kafka.ErrGroupClosed
		}
		err = gen.begin(ctx)
		if err == nil {
			return gen, nil
		}
		if !errors.Is(err, stream.ErrRevoked) || ctx.Err() != nil {
			gen.release()
			return nil, err
		}
	}
}

// leave gives the generation before up, if there is one.
func (s *Source) leave(ctx context.Context) error {
	s.mu.Lock()
	before := s.current
	s.mu.Unlock()
	if before == nil {
		return nil
	}
	err := s.calm(ctx, time.Since(before.born))
	s.mu.Lock()
	s.current = nil
	s.mu.Unlock()
	before.release()
	return err
}

// Close implements stream.Source: it leaves the group, so that others take over
// at once, and closes all connections. It takes no longer than leaveTimeout if
// the coordinator does not answer.
func (s *Source) Close() error {
	s.closing.Do(func() {
		s.mu.Lock()
		s.closed = true
		if s.current != nil {
			s.current.release()
		}
		s.mu.Unlock()
		left := make(chan struct{})
		go func() {
			defer close(left)
			// Close waits for its own loop, which may be waiting for the
			// coordinator; it has no error to report.
			_ = s.group.Close()
		}()
		t := time.NewTimer(leaveTimeout)
		defer t.Stop()
		select {
		case <-left:
		case <-t.C:
		}
		s.link.close()
		<-left
	})
	return nil
}

const leaveTimeout = 1500 * time.Millisecond

// retry starts the count of attempts at one thing.
func (s *Source) retry(what string) *retry {
	return &retry{what: what, hook: s.settings.Retrying, granted: &s.served}
}
