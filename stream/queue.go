package stream

import (
	"context"
	"slices"
	"sync"
)

// Queue bounds the bytes of messages that have been read and not yet delivered, over all
// partitions. A source takes bytes before it decompresses a batch, through a Share for each
// partition. The pipeline gives them back when the messages are done.
//
// A share holds the bytes of the response that is being read and of its messages, until it hands
// them over with a run. After that the bytes are moving: they will be given back without further
// requests. Therefore waiting always ends: if nothing is moving, one share may exceed the limit
// until it holds nothing.
type Queue struct {
	limit int64

	mu sync.Mutex
	// used is the total of taken bytes, and moving the part of it that was handed over.
	used, moving int64
	// over is the share that has exceeded the limit.
	over *Share
	line []*claim
}

// claim is a waiting request for bytes.
type claim struct {
	share   *Share
	n       int64
	granted chan struct{}
}

// 1/answersShare of a queue's limit is reserved for compressed responses of brokers, one per
// partition. leastAnswer is the minimum size of such a response in bytes.
const (
	answersShare = 4
	leastAnswer  = 16 << 10
)

// NewQueue returns one share for each partition of a queue that is limited to limit bytes.
func NewQueue(limit int64, partitions int) []*Share {
	answers := limit / answersShare
	q := &Queue{limit: limit - answers}
	shares := make([]*Share, partitions)
	for i := range shares {
		shares[i] = &Share{q: q, answer: max(leastAnswer, int(answers)/partitions)}
	}
	return shares
}

// Share is the account of one partition in a Queue. A nil Share counts nothing and never blocks.
// Give and Count may be called by any goroutine, the other methods by one only.
type Share struct {
	q      *Queue
	answer int
	// held is the number of bytes neither handed over nor returned; q.mu guards it.
	held int64
}

// Answer returns the bytes that are reserved for one response of a broker, so that it needs no Take.
// 0 means that responses have no limit.
func (s *Share) Answer() int {
	if s == nil {
		return 0
	}
	return s.answer
}

// Take blocks until n bytes are free. A request that can never fit is granted when nothing is
// moving.
func (s *Share) Take(ctx context.Context, n int64) error {
	if s == nil || n <= 0 {
		return nil
	}
	q := s.q
	q.mu.Lock()
	c := &claim{s, n, make(chan struct{})}
	q.line = append(q.line, c)
	q.serve()
	q.mu.Unlock()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.line, c); i >= 0 {
		q.line = slices.Delete(q.line, i, i+1)
	} else {
		s.drop(n)
	}
	q.serve()
	return context.Cause(ctx)
}

// Try takes n bytes if they are free and no request is waiting, and reports whether it did.
func (s *Share) Try(n int64) bool {
	if s == nil || n <= 0 {
		return true
	}
	q := s.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.line) > 0 || q.used+n > q.limit {
		return false
	}
	q.used += n
	s.held += n
	return true
}

// Return gives back n bytes that were taken and not handed over.
func (s *Share) Return(n int64) {
	if s == nil {
		return
	}
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.drop(n)
	s.q.serve()
}

// Hand hands n bytes over with a run. Give will give them back.
func (s *Share) Hand(n int64) {
	if s == nil {
		return
	}
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.q.used += n
	s.q.moving += n
	s.drop(n)
}

// Count adds n moving bytes without waiting for them.
func (s *Share) Count(n int64) {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.q.used += n
	s.q.moving += n
}

// Give gives back n bytes that were handed over or counted.
func (s *Share) Give(n int64) {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.q.used -= n
	s.q.moving -= n
	s.q.serve()
}

// drop subtracts n from the bytes that the share holds. The caller holds the lock, as in the
// functions below.
func (s *Share) drop(n int64) {
	s.q.used -= n
	s.held -= n
	if s.held == 0 && s.q.over == s {
		s.q.over = nil
	}
}

// serve grants all requests that can be granted, in the order of arrival. The share that exceeds
// the limit goes first, because the others wait for it.
func (q *Queue) serve() {
	for i := q.next(); i >= 0; i = q.next() {
		c := q.line[i]
		q.used += c.n
		c.share.held += c.n
		q.line = slices.Delete(q.line, i, i+1)
		close(c.granted)
	}
}

// next returns the index of the request that can be granted now, -1 if there is none.
func (q *Queue) next() int {
	return slices.IndexFunc(q.line, func(c *claim) bool { return (c == q.line[0] || c.share == q.over) && q.admits(c) })
}

func (q *Queue) admits(c *claim) bool {
	if q.used+c.n <= q.limit {
		return true
	}
	if q.moving == 0 && (q.over == nil || q.over == c.share) {
		q.over = c.share
		return true
	}
	return false
}
