package stream

import (
	"context"
	"slices"
	"sync"
	"time"
)

// intake hands runs of one partition from who fetches to who works on them. What
// comes while the other is at work is one run when that is done, as long as it makes
// one batch: so a stage under load has larger batches, not longer lines.
type intake struct {
	batchMessages int
	batchBytes    int64
	lingering     time.Duration

	mu   sync.Mutex
	next Run
	has  bool // there is a next, perhaps one without messages
	own  bool // next's messages lie in memory of the intake's own
	err  error
	// ready holds a token if there may be something to take, room if something was
	// taken.
	ready, room chan struct{}
}

func newIntake(s *Settings) *intake {
	return &intake{batchMessages: s.BatchMessages, batchBytes: int64(s.BatchBytes), lingering: s.Linger, ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put waits until the run can be added to what has not been taken.
func (q *intake) put(ctx context.Context, l Run) error {
	for !q.merge(l) {
		select {
		case <-q.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// merge adds a run if there is nothing yet or both make one batch.
func (q *intake) merge(l Run) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.next.Messages)
	switch {
	case !q.has:
		q.next, q.own, q.has = l, false, true
	case len(l.Messages) == 0:
		q.next.Next, q.next.End = l.Next, l.End
	case n == 0:
		q.next, q.own = l, false
	case n+len(l.Messages) <= q.batchMessages && q.next.Bytes+l.Bytes <= q.batchBytes:
		if !q.own {
			// The source's memory behind the run is not to be written to.
			q.next.Messages, q.own = slices.Clip(q.next.Messages), true
		}
		q.next = Run{append(q.next.Messages, l.Messages...), l.Next, l.End, q.next.Bytes + l.Bytes}
	default:
		return false
	}
	token(q.ready)
	return true
}

// linger waits until what was put has been taken, or for a short time.
func (q *intake) linger(ctx context.Context) {
	t := time.NewTimer(q.lingering)
	defer t.Stop()
	select {
	case <-q.room:
	case <-t.C:
	case <-ctx.Done():
	}
}

// end says that nothing follows, and why.
func (q *intake) end(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = err
	token(q.ready)
}

// unload returns what is there, and whether that is anything, perhaps a run without messages;
// after the last run the reason for the end.
func (q *intake) unload() (l Run, some bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.has {
		return Run{}, false, q.err
	}
	l = q.next
	q.next, q.has = Run{}, false
	token(q.room)
	if q.err != nil {
		token(q.ready)
	}
	return l, true, nil
}

// token puts a token into a channel that holds one.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
