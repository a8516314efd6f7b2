package stream

import (
	"context"
	"slices"
	"sync"
)

// Queue bounds the bytes of messages that have been read and not yet delivered, all
// partitions together. A source takes from it before it decompresses, through a Share
// for each partition; the pipeline gives back when the messages are done with.
//
// A share holds the bytes of an answer that is being read, and of messages found in it so
// far, until it hands them over with a run. From then on they are on their way, and come
// back without anything more being taken. So waiting has an end: once nothing is on its
// way the first who waits may go beyond the limit, alone, until its share holds nothing
// any longer.
type Queue struct {
	limit int64

	mu sync.Mutex
	// used is all that is taken, moving the part of it that is on its way.
	used, moving int64
	// over is the share that went beyond the limit.
	over *Share
	line []*claim
}

// claim is who waits for bytes.
type claim struct {
	share   *Share
	n       int64
	granted chan struct{}
}

// answersShare is the part of a queue's limit that is set aside for answers of brokers as they
// came, compressed: each partition may hold one. leastAnswer is what it may take at least.
const (
	answersShare = 4
	leastAnswer  = 16 << 10
)

// NewQueue makes a queue of so many bytes for so many partitions, and a share for each.
func NewQueue(limit int64, partitions int) []*Share {
	answers := limit / answersShare
	q := &Queue{limit: limit - answers}
	shares := make([]*Share, partitions)
	for i := range shares {
		shares[i] = &Share{q: q, answer: max(leastAnswer, int(answers)/partitions)}
	}
	return shares
}

// Share is what one partition has of a Queue. A nil Share counts nothing and never waits.
// Give and Count may be called by any goroutine, the rest by one.
type Share struct {
	q      *Queue
	answer int
	// held is what is neither on its way nor given back; q.mu guards it.
	held int64
}

// Answer returns how many bytes of an answer of a broker need not be taken; 0: any.
func (s *Share) Answer() int {
	if s == nil {
		return 0
	}
	return s.answer
}

// Take waits until so many bytes are free, or are more than will ever be and nothing is
// on its way.
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

// Try takes bytes if they are free and nobody waits, and says whether it did.
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

// Return gives back what was taken and not handed over.
func (s *Share) Return(n int64) {
	if s == nil {
		return
	}
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.drop(n)
	s.q.serve()
}

// Hand says that so many of the bytes go with a run; Give will give them back.
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

// Count counts bytes that are on their way and that nobody waited for.
func (s *Share) Count(n int64) {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.q.used += n
	s.q.moving += n
}

// Give gives back bytes that were on their way.
func (s *Share) Give(n int64) {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.q.used -= n
	s.q.moving -= n
	s.q.serve()
}

// drop takes bytes off what the share holds. The lock is held, as in what follows.
func (s *Share) drop(n int64) {
	s.q.used -= n
	s.held -= n
	if s.held == 0 && s.q.over == s {
		s.q.over = nil
	}
}

// serve grants what can be granted: in the order of coming, but that who is beyond the
// limit goes first, as the others wait for it.
func (q *Queue) serve() {
	for i := q.next(); i >= 0; i = q.next() {
		c := q.line[i]
		q.used += c.n
		c.share.held += c.n
		q.line = slices.Delete(q.line, i, i+1)
		close(c.granted)
	}
}

// next returns the claim that can be granted now, -1 if there is none.
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
