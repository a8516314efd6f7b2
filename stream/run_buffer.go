package stream

import (
	"context"
	"slices"
	"sync"
	"time"
)

// runBuffer passes runs of one partition from the goroutine that fetches to the worker. Runs that
// arrive while the worker is busy are merged, as long as they make one batch. So a stage under load
// has larger batches instead of longer queues.
type runBuffer struct {
	batchMessages int
	batchBytes    int64
	lingering     time.Duration

	mu   sync.Mutex
	next Run
	has  bool // next is set, perhaps to a run without messages
	own  bool // the messages of next are in memory that the buffer allocated
	err  error
	// ready contains a token if there may be a run to take, and room if a run was taken.
	ready, room chan struct{}
}

func newRunBuffer(s *Settings) *runBuffer {
	return &runBuffer{batchMessages: s.BatchMessages, batchBytes: int64(s.BatchBytes), lingering: s.Linger, ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put blocks until the run can be stored or merged with the stored run.
func (q *runBuffer) put(ctx context.Context, l Run) error {
	for !q.merge(l) {
		select {
		case <-q.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// merge adds a run if none is stored or both make one batch.
func (q *runBuffer) merge(l Run) bool {
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
			// Do not append into the source's memory behind the run.
			q.next.Messages, q.own = slices.Clip(q.next.Messages), true
		}
		q.next = Run{append(q.next.Messages, l.Messages...), l.Next, l.End, q.next.Bytes + l.Bytes}
	default:
		return false
	}
	token(q.ready)
	return true
}

// linger waits until the stored run has been taken, but at most for the linger time.
func (q *runBuffer) linger(ctx context.Context) {
	t := time.NewTimer(q.lingering)
	defer t.Stop()
	select {
	case <-q.room:
	case <-t.C:
	case <-ctx.Done():
	}
}

// end records that no more runs follow, and the reason.
func (q *runBuffer) end(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = err
	token(q.ready)
}

// unload returns the stored run, which may have no messages. some is false if there is none. After
// the last run it returns the reason for the end.
func (q *runBuffer) unload() (l Run, some bool, err error) {
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

// token puts a token into a channel with a capacity of one, unless it has one.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
