package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// Fetch implements stream.Generation.
func (g *generation) Fetch(ctx context.Context, tp stream.TopicPartition, room *stream.Share) (stream.Run, error) {
	ctx, cancel := g.within(ctx)
	defer cancel()
	g.mu.Lock()
	c, ok := g.cursors[tp.Partition]
	g.mu.Unlock()
	if !ok || tp.Topic != g.source.settings.Topic {
		return stream.Run{}, fmt.Errorf("kafka: %v is not assigned", tp)
	}
	retry := g.source.retry("fetch")
	for {
		from := c.next
		run, err := c.read(ctx, room)
		if errors.Is(err, kafka.OffsetOutOfRange) {
			if c.next, err = g.outOfRange(ctx, tp, c.next); err == nil {
				continue
			}
			return stream.Run{}, err
		}
		if err != nil {
			if replaced(err) {
				g.lookNow()
			}
			if err := retry.again(ctx, err); err != nil {
				return stream.Run{}, fmt.Errorf("kafka: reading topic %s, partition %d, offset %d: %w", tp.Topic, tp.Partition, c.next, lacking(err, "Read"))
			}
			continue
		}
		g.source.served.Store(true)
		retry.recovered(g.source.settings.Recovered)
		retry = g.source.retry("fetch")
		g.noteBlocked(ctx, c, c.next == c.stable && c.next < c.end)
		if len(run.Messages) > 0 || run.Next > from {
			return run, nil
		}
		if err := context.Cause(ctx); err != nil {
			return stream.Run{}, err
		}
	}
}

// outOfRange reports whether the broker's "offset out of range" is true, and the offset to continue
// at. Brokers also return this error briefly after a change of leader.
func (g *generation) outOfRange(ctx context.Context, tp stream.TopicPartition, next int64) (int64, error) {
	logs, err := g.bounds(ctx, []int{tp.Partition})
	if err != nil {
		return next, err
	}
	gap, err := g.gap(ctx, stream.Position{TopicPartition: tp, Offset: next}, logs[tp.Partition])
	if err != nil {
		return next, err
	}
	if gap == nil {
		return next, g.source.retry("fetch").again(ctx, kafka.OffsetNotAvailable)
	}
	return g.source.leap(gap)
}

// cursor reads a partition incrementally: answers, batches and records. Compressed data stay
// compressed until their messages are needed and memory is reserved in the share. It is used by one
// goroutine.
type cursor struct {
	link    *link
	brokers kafka.RoundTripper // those of the link
	tp      stream.TopicPartition
	// id is the topic's id; zero reads any topic with the name. versions are the brokers' versions
	// of Fetch.
	id       [16]byte
	versions fetchVersions
	// bytes bounds an answer. wait is the time that the broker waits for messages.
	bytes int
	wait  time.Duration
	near  nearest

	// next is the offset of the next message to return. end is the partition's high watermark.
	// stable is the begin of the first open transaction, or end.
	next, end, stable int64
	blocked           blocked
	// room is the share in which memory is reserved, nil for none. surplus is the reservation for
	// the part of an answer beyond the uncounted size.
	room    *stream.Share
	surplus int64

	// rest are the batches of the answer that have not been started. begun is the offset of the
	// request. batch is the batch in progress, nil between two.
	rest  []byte
	begun int64
	batch *batch
	// pending are aborted transactions that begin further on. aborted are the producers whose
	// current transaction is aborted.
	pending []abortedTransaction
	aborted map[int64]bool

	// run is the run under construction. handing is the reservation that is passed on with it,
	// credit the reservation for further messages.
	run             stream.Run
	handing, credit int64
}

// newCursor returns a cursor at an offset.
func newCursor(l *link, tp stream.TopicPartition, next int64, bytes int, wait time.Duration) *cursor {
	return &cursor{link: l, brokers: l.transport, tp: tp, next: next, bytes: bytes, wait: wait}
}

const (
	// pieceBytes and pieceMessages bound the result of one read, independent of the size of
	// batches.
	pieceBytes    = 4 << 20
	pieceMessages = 8192
	// creditMessages is the number of messages for which memory is reserved at once.
	creditMessages = 64
)

// errNoRoom means that the share has no more memory for this run.
var errNoRoom = errors.New("kafka: the memory for fetched messages is full")

// read returns the next messages, from the last answer or from another one. There may be none.
// After an error, messages that were not returned are fetched again.
func (c *cursor) read(ctx context.Context, room *stream.Share) (stream.Run, error) {
	c.room = room
	asked := false
	for c.handing < pieceBytes && len(c.run.Messages) < pieceMessages {
		var err error
		switch {
		case c.batch != nil:
			err = c.records(ctx)
		case len(c.rest) > 0:
			err = c.open(ctx)
		case len(c.run.Messages) > 0 || asked:
			return c.finish(), nil
		default:
			asked = true
			err = c.fetch(ctx)
		}
		if errors.Is(err, errNoRoom) {
			break
		}
		if err != nil {
			if len(c.run.Messages) > 0 {
				break // return these first; the error will occur again
			}
			c.forget()
			return stream.Run{}, err
		}
	}
	return c.finish(), nil
}

// finish returns the run and resets it.
func (c *cursor) finish() stream.Run {
	run := c.run
	run.Next, run.End, run.Bytes = c.next, c.end, c.handing
	c.room.Hand(c.handing)
	c.run, c.handing = stream.Run{}, 0
	return run
}

// forget discards an answer.
func (c *cursor) forget() {
	if c.batch != nil {
		c.closeBatch()
	}
	c.room.Return(c.handing)
	c.run, c.handing = stream.Run{}, 0
	c.dismiss()
}

// dismiss releases an answer that has been processed.
func (c *cursor) dismiss() {
	c.room.Return(c.surplus + c.credit)
	c.rest, c.surplus, c.credit = nil, 0, 0
}

// reserve reserves memory. It does not wait if there are messages to return.
func (c *cursor) reserve(ctx context.Context, n int64) error {
	if c.room.Try(n) {
		return nil
	}
	if len(c.run.Messages) > 0 {
		return errNoRoom
	}
	return c.room.Take(ctx, n)
}

// crowdedError is the error of an answer that needs more memory than available.
type crowdedError struct{ bytes int64 }

func (e *crowdedError) Error() string {
	return fmt.Sprintf("kafka: an answer of %d bytes, for which there is no room yet", e.bytes)
}

// admission reserves memory for an answer before it is read. A goroutine of the connection does the
// reading, perhaps after the caller has returned.
type admission struct {
	room *stream.Share
	// spare is the part that need not be reserved.
	spare int64

	mu sync.Mutex
	// has is the reserved memory.
	has    int64
	closed bool
}

var errTooLate = errors.New("kafka: the answer arrived after the request was given up")

// admit returns an error unless there is memory for an answer of n bytes.
func (a *admission) admit(n int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	surplus := n - a.spare
	switch {
	case a.closed:
		return errTooLate
	case surplus > a.has && !a.room.Try(surplus-a.has):
		return &crowdedError{surplus}
	}
	a.has = max(a.has, surplus)
	return nil
}

// close returns the reserved memory and prevents further reservations.
func (a *admission) close() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	return a.has
}

// answerBytes bounds the part of an answer outside its batches: mainly aborted transactions.
const answerBytes = 64 << 10

// fetch requests the batches from next on. The first batch of an answer is always complete. If it
// is larger than available memory, the answer is rejected, and the request is repeated once memory
// is reserved.
func (c *cursor) fetch(ctx context.Context) error {
	free := c.bytes
	if n := c.room.Answer(); n > 0 {
		free = min(free, n)
	}
	for {
		r, err := c.ask(ctx, free)
		var large *crowdedError
		if errors.As(err, &large) {
			if err := c.room.Take(ctx, large.bytes-c.surplus); err != nil {
				return err
			}
			c.surplus = max(c.surplus, large.bytes)
			continue
		}
		if err != nil {
			return err
		}
		c.rest, c.begun, c.end, c.stable = r.records, c.next, r.end, r.stable
		c.pending, c.aborted = r.aborted, map[int64]bool{}
		return c.whole()
	}
}

// ask sends one request to the leader or to a nearer replica. If that replica cannot answer, it
// asks the leader.
func (c *cursor) ask(ctx context.Context, free int) (*rawFetched, error) {
	follower, rack := leader, c.link.cluster.Rack
	if rack != "" {
		var named bool
		if follower, named = c.near.replica(time.Now()); !named {
			rack = ""
		}
	}
	r, err := c.askOne(ctx, free, follower, rack)
	var large *crowdedError
	if err != nil && follower != leader && !errors.As(err, &large) && ctx.Err() == nil {
		c.near.avoid(time.Now())
		return c.askOne(ctx, free, leader, "")
	}
	if err == nil && rack != "" {
		c.near.prefer(r.nearer, time.Now())
	}
	return r, err
}

// askOne sends one request to one broker.
func (c *cursor) askOne(ctx context.Context, free int, follower int32, rack string) (*rawFetched, error) {
	ctx, cancel := context.WithTimeout(ctx, c.wait+10*time.Second)
	defer cancel()
	door := &admission{room: c.room, spare: int64(free) + answerBytes, has: c.surplus}
	answer, err := c.brokers.RoundTrip(ctx, c.link.addr, &rawFetch{tp: c.tp, offset: c.next, bytes: free, wait: c.wait,
		client: c.link.cluster.ClientID, rack: rack, follower: follower, admit: door.admit, id: c.id, versions: &c.versions})
	c.surplus = door.close()
	if err != nil {
		c.versions.forget()
		return nil, err
	}
	r := answer.(*rawFetched)
	return r, r.err
}
