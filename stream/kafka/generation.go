package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// generation implements stream.Generation: one generation of the consumer group.
type generation struct {
	source *Source
	group  *kafka.Generation

	// life ends when the group ends the generation.
	life     context.Context
	end      context.CancelFunc
	released chan struct{}

	// born is the time of joining. topic is the topic at that time.
	born  time.Time
	topic shape
	same  confirmed
	// doubt wakes the watch after a fetch that failed because the topic may have been replaced.
	doubt    chan struct{}
	assigned []stream.Position

	mu sync.Mutex
	// cursors read the partitions.
	cursors map[int]*cursor

	// producers write the transactions of what comes from each partition.
	producers map[int]*producer

	// commits guards closed, which rejects commits, because after Close the partitions may have
	// another owner. Transactions hold a read lock and may be concurrent.
	commits sync.RWMutex
	closed  bool
	once    sync.Once
}

func newGeneration(s *Source, g *kafka.Generation) *generation {
	gen := &generation{source: s, group: g, born: time.Now(), released: make(chan struct{}), doubt: make(chan struct{}, 1), cursors: map[int]*cursor{}}
	gen.life, gen.end = context.WithCancel(context.Background())
	// The generation lives, and can commit, as long as this function runs.
	g.Start(func(ctx context.Context) {
		defer gen.end()
		select {
		case <-ctx.Done():
			gen.end()
			<-gen.released
		case <-gen.released:
		}
	})
	return gen
}

// within returns a context that also ends with the generation, with ErrRevoked as the cause.
func (g *generation) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(g.life, func() { cancel(stream.ErrRevoked) })
	return ctx, func() { stop(); cancel(nil) }
}

// Assigned implements stream.Generation.
func (g *generation) Assigned() []stream.Position { return g.assigned }

// Revoked implements stream.Generation.
func (g *generation) Revoked() <-chan struct{} { return g.life.Done() }

// Close implements stream.Generation. If the group has ended the generation, it is released, so
// that the group can form again. Otherwise it stays until Source.Next or Source.Close, because
// releasing it earlier would make this member join once more only to leave.
func (g *generation) Close() error {
	g.refuseCommits()
	if g.life.Err() != nil {
		g.release()
	}
	return nil
}

// release lets the group continue without this generation.
func (g *generation) release() {
	g.refuseCommits()
	g.once.Do(func() { close(g.released) })
}

// refuseCommits makes later commits fail. It waits for a commit in progress.
func (g *generation) refuseCommits() {
	g.commits.Lock()
	g.closed = true
	g.commits.Unlock()
}

// Commit implements stream.Generation. It holds the lock, so that no commit is in progress once
// Close has returned.
func (g *generation) Commit(ctx context.Context, positions []stream.Position) error {
	if len(positions) == 0 {
		return nil
	}
	g.commits.Lock()
	defer g.commits.Unlock()
	if g.closed {
		return stream.ErrRevoked
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := g.confirm(ctx); err != nil {
		return fmt.Errorf("kafka: committing for group %s: %w", g.source.settings.Group, err)
	}
	offsets := map[string]map[int]int64{}
	for _, p := range positions {
		if offsets[p.Topic] == nil {
			offsets[p.Topic] = map[int]int64{}
		}
		offsets[p.Topic][p.Partition] = p.Offset
	}
	err := g.group.CommitOffsets(offsets)
	switch {
	case err == nil:
		g.note(positions...)
		return nil
	case staleMember(err), errors.Is(err, net.ErrClosed), g.life.Err() != nil:
		return fmt.Errorf("kafka: committing for group %s: %w (%v)", g.source.settings.Group, stream.ErrRevoked, err)
	}
	return fmt.Errorf("kafka: committing for group %s: %w", g.source.settings.Group, lacking(err, "Read"))
}
