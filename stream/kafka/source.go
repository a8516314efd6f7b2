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

// Start selects where a group begins to read a partition for which it has no offset.
type Start int

const (
	// Earliest begins with the oldest message in the topic.
	Earliest Start = iota
	// Latest begins with new messages only.
	Latest
)

// OnGap selects the behaviour if the group's offset is outside the log.
type OnGap int

const (
	// Fail ends reading with an *stream.OffsetError.
	Fail OnGap = iota
	// Continue continues with the first message in the log.
	Continue
)

// SourceSettings are the settings of a source. Brokers, Topic and Group are required.
type SourceSettings struct {
	Cluster
	Topic, Group string
	// Start is the start of a new group.
	Start Start
	// OnGap selects the behaviour if the group's offset is outside the log. Gap, if not nil, is
	// called in either case. stream.Hooks.Gap fits.
	OnGap OnGap
	Gap   func(gap *stream.OffsetError)
	// Journal, if not nil, stores the committed offsets. OnLost selects the behaviour if the group
	// has lost an offset that the journal has. Resumed, if not nil, is called with the position at
	// which reading then continues. stream.Hooks.Resumed fits.
	Journal Journal
	OnLost  OnLost
	Resumed func(at stream.Position, noted time.Time)
	// NoOffsets, if not nil, is called before reading partitions that have had messages but for
	// which neither the group nor the journal has an offset. stream.Hooks.NoOffsets fits.
	NoOffsets func(at []stream.Position)
	// CreatedAgain, if not nil, is called before reading a topic that was created again since it
	// was last read. Its offsets refer to other messages. stream.Hooks.CreatedAgain fits.
	CreatedAgain func(topic string)
	// FetchBytes bounds the answer to one fetch of one partition. A larger message still arrives,
	// alone. Default 4 MiB.
	FetchBytes int
	// FetchWait is the time that a fetch waits for messages at the broker. Default 500ms.
	FetchWait time.Duration
	// SessionTimeout is the time after which the partitions of a silent member go to others.
	// Heartbeat is the interval at which a member contacts the coordinator, and so the delay of
	// noticing a rebalance. RebalanceTimeout is the time that a member has to finish and rejoin.
	// Defaults 10s, 1s, 15s.
	SessionTimeout, Heartbeat, RebalanceTimeout time.Duration
	// LookEvery is the interval of checks of the topic. Added partitions, deletion and re-creation
	// are noticed after two checks. Default 1s.
	LookEvery time.Duration
	// BlockedAfter is the time for which an open transaction of another program may block reading
	// before it is reported as a *BlockedError, and again after the same time. Default 10s.
	BlockedAfter time.Duration
	// Alone makes this the only member of the group; a second one is rejected with an
	// *OccupiedError (see alone.go). Who identifies this member for people. A dead member is
	// awaited until its session has timed out.
	Alone bool
	Who   string
	// Transactions, if not nil, make the generations stream.Transactional. It requires brokers of
	// version 2.5 or later.
	Transactions *Transactions
	// Retrying, if not nil, is called before retries. what is "topic" (it does not exist), "join",
	// "offsets", "committed offsets", "fetch", "transaction" or "open transaction" (a
	// *BlockedError). stream.Hooks.Retrying fits.
	Retrying func(what string, attempt int, err error, pause time.Duration)
	// Recovered, if not nil, is called when "fetch" works again, even if no message arrives, or
	// when an "open transaction" has ended. stream.Hooks.Recovered fits.
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

// Source reads a topic as a member of a consumer group. It implements stream.Source.
type Source struct {
	settings SourceSettings
	link     *link
	group    *kafka.ConsumerGroup
	// outputs and letters know the limits of the transactions' topics. letters may be nil.
	outputs, letters *gauge

	mu      sync.Mutex
	current *generation
	closed  bool
	// known is the number of partitions in the first generation, 0 after the topic was created
	// again. topic is the topic in the last generation, owned the partitions that this source read
	// in it.
	known   int
	topic   shape
	owned   map[int]bool
	closing sync.Once
	// counted is the number of partitions that this member has assigned as the group's leader.
	// short counts consecutive generations that ended early.
	counted atomic.Int64
	// served is true once a fetch succeeded. Rights that are missing later have been revoked.
	served atomic.Bool
	short  int
}

// NewSource connects to the cluster and starts to join the group, which Next waits for. It fails
// within 10 s if no broker answers, the topic does not exist (errors.Is stream.ErrUnknownTopic), or
// this client may not write to the topics of Transactions.
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
		// Without a committed offset, kafka-go returns this sentinel; offsets.go replaces it.
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

// leave releases the previous generation, if there is one.
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

// Close implements stream.Source. It leaves the group, so that others take over at once, and closes
// all connections. If the coordinator does not answer, it returns after leaveTimeout.
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
			// Close waits for its own loop, which may be waiting for the coordinator. It never
			// returns an error.
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

// retry returns a new counter of attempts for an operation.
func (s *Source) retry(what string) *retry {
	return &retry{what: what, hook: s.settings.Retrying, granted: &s.served}
}
