package kafka

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/initproducerid"

	"unfold/stream"
)

// A Sink's batches bear the id of an idempotent producer and are numbered, for each
// partition (KIP-98): a batch whose answer got lost is sent again just as it was when the
// caller writes its messages again. A broker that has it drops it. The numbers of a
// partition leave no choice of order, so that writers that are at work at once have
// producers of their own.

// idempotent is an idempotent producer. One Write at a time uses it.
type idempotent struct {
	// session is what the cluster gave; without an id its batches are not numbered.
	session    kafka.ProducerSession
	partitions map[int]*numbers
	// stale: the cluster has to be asked for an id before anything is written.
	stale atomic.Bool
}

// numbers are those of a producer's batches to one partition.
type numbers struct {
	// next is the sequence of the next record.
	next int32
	// doubt is a batch, of so many messages, that was sent and not acknowledged.
	doubt []byte
	count int
}

// borrow returns a producer for messages from a partition: that of the Write before, which may
// have left some in doubt.
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

// giveBack takes a producer back.
func (s *Sink) giveBack(from stream.TopicPartition, l *idempotent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.producers[from] == nil {
		s.producers[from] = l
	} else {
		s.spare = append(s.spare, l)
	}
}

// number finds the numbers for what is to be written. If a batch is in doubt and others
// come in its place the numbers begin again, those of another producer.
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

// again reports whether a lot begins with the messages in doubt, which it does not if one
// has no time and so gets another.
func (s *Sink) again(l *idempotent, n *numbers, lot *lot) bool {
	if len(lot.messages) < n.count {
		return false
	}
	batch, err := lot.encode(lot.messages[:n.count], l.session, n.next)
	return err == nil && bytes.Equal(batch, n.doubt)
}

// write writes a lot, first what is in doubt, and returns how much of it was
// acknowledged.
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

// send sends one batch, of messages from the lot's i-th on, and waits for all in-sync
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

// forgotten reports whether a broker does not take the numbers of a producer any more.
func forgotten(err error) bool {
	return fenced(err) || errors.Is(err, kafka.OutOfOrderSequenceNumber) || errors.Is(err, kafka.UnknownProducerId) || errors.Is(err, kafka.InvalidTransactionState)
}

// session asks for a producer's id. Clusters before 0.11 have none, and those before 2.8
// may not give one to this client: then there is none.
func (s *Sink) session(ctx context.Context) (session kafka.ProducerSession, err error) {
	none := kafka.ProducerSession{ProducerID: -1, ProducerEpoch: -1}
	s.mu.Lock()
	anonymous := s.anonymous
	s.mu.Unlock()
	if anonymous {
		return none, nil
	}
	// The first one that a cluster gives takes it a moment.
	retry := &retry{what: "write", most: 4, strange: maxStrange}
	err = retry.until(ctx, func() error {
		r, err := s.link.transport.RoundTrip(ctx, s.link.addr, &sessionRequest{client: s.link.cluster.ClientID})
		if err != nil {
			return err
		}
		a := r.(*initproducerid.Response)
		if a.ErrorCode != 0 {
			return kafka.Error(a.ErrorCode)
		}
		session = kafka.ProducerSession{ProducerID: int(a.ProducerID), ProducerEpoch: int(a.ProducerEpoch)}
		return nil
	})
	if errors.Is(err, kafka.UnsupportedVersion) || errors.Is(err, kafka.ClusterAuthorizationFailed) {
		s.mu.Lock()
		s.anonymous = true
		s.mu.Unlock()
		return none, nil
	}
	return session, err
}

// sessionRequest is InitProducerId for a producer without a transactional id, which has
// no coordinator: any broker answers. The library would look for one.
type sessionRequest struct {
	client      string
	version     int16
	unsupported bool
}

// ApiKey implements protocol.Message.
func (*sessionRequest) ApiKey() protocol.ApiKey { return protocol.InitProducerId }

// Required implements protocol.RawExchanger.
func (r *sessionRequest) Required(versions map[protocol.ApiKey]int16) bool {
	version, known := versions[protocol.InitProducerId]
	r.version, r.unsupported = version, !known
	return true
}

// RawExchange implements protocol.RawExchanger.
func (r *sessionRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	if r.unsupported {
		return nil, kafka.UnsupportedVersion
	}
	return protocol.RoundTrip(rw, r.version, 0, r.client, &initproducerid.Request{TransactionTimeoutMs: transactionTimeout, ProducerID: -1, ProducerEpoch: -1})
}
