package kafka

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// A Sink's batches contain the id of an idempotent producer and sequence numbers per partition
// (KIP-98). If an answer is lost and the caller writes the messages again, the identical batch is
// sent again, and a broker that already has it drops it. The sequence of a partition determines the
// order, so concurrent writers need different producers.

// idempotent is an idempotent producer. Only one Write at a time uses it.
type idempotent struct {
	// session was assigned by the cluster. Without a producer id, batches have no sequence.
	session    kafka.ProducerSession
	partitions map[int]*numbers
	// stale is true if a new producer id must be requested before the next write.
	stale atomic.Bool
}

// numbers is the sequence state of a producer for one partition.
type numbers struct {
	// next is the sequence of the next record.
	next int32
	// doubt is a batch that was sent but not acknowledged, count its number of messages.
	doubt []byte
	count int
}

// borrow returns a producer for messages from a partition. It is that of the previous Write, which
// may have unacknowledged batches.
func (s *Sink) borrow(from stream.TopicPartition) *idempotent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.producers[from]; l != nil {
		delete(s.producers, from)
		return l
	}
	if n := len(s.spare); n > 0 {
		l := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return l
	}
	l := &idempotent{}
	l.stale.Store(true)
	return l
}

// giveBack returns a producer.
func (s *Sink) giveBack(from stream.TopicPartition, l *idempotent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.producers[from] == nil {
		s.producers[from] = l
	} else {
		s.spare = append(s.spare, l)
	}
}

// number sets the sequence state of the batches to write. If a batch is unacknowledged and other
// messages follow instead, it starts again with another producer.
func (s *Sink) number(ctx context.Context, l *idempotent, lots []*lot) error {
	for _, lot := range lots {
		if n := l.partitions[lot.tp.Partition]; n != nil && n.doubt != nil && !s.again(l, n, lot) {
			l.stale.Store(true)
		}
	}
	if l.stale.Load() {
		session, err := s.session(ctx)
		if err != nil {
			return err
		}
		l.session, l.partitions = session, map[int]*numbers{}
		l.stale.Store(false)
	}
	for _, lot := range lots {
		p := lot.tp.Partition
		if l.partitions[p] == nil {
			l.partitions[p] = &numbers{}
		}
		lot.numbers = l.partitions[p]
	}
	return nil
}

// again reports whether a lot begins with the unacknowledged messages. Messages without a time
// never match, because they get the present time.
func (s *Sink) again(l *idempotent, n *numbers, lot *lot) bool {
	if len(lot.messages) < n.count {
		return false
	}
	batch, err := lot.encode(lot.messages[:n.count], l.session, n.next)
	return err == nil && bytes.Equal(batch, n.doubt)
}

// write writes a lot, unacknowledged messages first, and returns the number of acknowledged
// messages.
func (s *Sink) write(ctx context.Context, l *idempotent, lot *lot) (int, error) {
	before := 0
	send := func(messages []*stream.Message, done int) error { return s.send(ctx, l, lot, messages, before+done) }
	if n := lot.numbers.count; lot.numbers.doubt != nil {
		done, err := lot.inBatches(0, n, s.settings.BatchBytes, send)
		if err != nil {
			return done, err
		}
		before = done
	}
	done, err := lot.inBatches(before, len(lot.messages), s.settings.BatchBytes, send)
	return before + done, err
}

// send sends one batch of messages, which begins with the lot's i-th, and waits for all in-sync
// replicas.
func (s *Sink) send(ctx context.Context, l *idempotent, lot *lot, messages []*stream.Message, i int) error {
	n := lot.numbers
	batch, err := lot.encode(messages, l.session, n.next)
	if err != nil {
		return err
	}
	err = s.link.produce(ctx, lot.tp, "", batch, s.settings.Timeout)
	n.doubt, n.count = nil, 0
	switch {
	case err == nil:
		n.next = following(n.next, len(messages))
	case tooLarge(err), unfit(err):
		err = lot.refused(ctx, messages, i, batch, err)
	case l.session.ProducerID < 0:
	case forgotten(err):
		l.stale.Store(true)
	default:
		n.doubt, n.count = batch, len(messages)
	}
	return err
}

// forgotten reports whether a broker no longer accepts the sequence of a producer.
func forgotten(err error) bool {
	return fenced(err) || errors.Is(err, kafka.OutOfOrderSequenceNumber) || errors.Is(err, kafka.UnknownProducerId) || errors.Is(err, kafka.InvalidTransactionState)
}

// session requests a producer id. Clusters before 0.11 have none, and those before 2.8 may refuse
// one to this client; the result is then a session without id.
func (s *Sink) session(ctx context.Context) (session kafka.ProducerSession, err error) {
	none := kafka.ProducerSession{ProducerID: -1, ProducerEpoch: -1}
	s.mu.Lock()
	anonymous := s.anonymous
	s.mu.Unlock()
	if anonymous {
		return none, nil
	}
	// A cluster needs a moment for its first producer id.
	retry := &retry{what: "write", most: 4, strange: maxStrange}
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionTimeoutMillis = transactionTimeout
	err = retry.until(ctx, func() error {
		// Any broker can answer this, but kafka-go would look for a coordinator.
		a, err := ask[*kmsg.InitProducerIDResponse](ctx, s.link, s.link.newer(req, protocol.InitProducerId, 0))
		if err != nil {
			return err
		}
		session = kafka.ProducerSession{ProducerID: int(a.ProducerID), ProducerEpoch: int(a.ProducerEpoch)}
		return coded(a.ErrorCode)
	})
	if errors.Is(err, kafka.UnsupportedVersion) || errors.Is(err, kafka.ClusterAuthorizationFailed) {
		s.mu.Lock()
		s.anonymous = true
		s.mu.Unlock()
		return none, nil
	}
	return session, err
}
