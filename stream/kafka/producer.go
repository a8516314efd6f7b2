package kafka

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/internal/backoff"
	"unfold/stream"
)

// producer is a transactional producer: the id and the epoch that the cluster assigned to a
// transactional id, and the number of records written to each partition. It runs one transaction at
// a time.
type producer struct {
	link       *link
	id         string
	batchBytes int

	session kafka.ProducerSession
	// sequence is the sequence of the next record of each partition.
	sequence map[stream.TopicPartition]int32
	// broken is true if the last transaction was not ended, or the outcome of sent records is
	// unknown. The next transaction begins with a new epoch, which aborts the old one.
	broken bool
	// shaken is true if a request has failed since the transaction before the last one ended. The
	// cluster may then have failed while it ended the last one.
	shaken atomic.Bool
	// last is the outcome of the last transaction.
	last outcome
}

// errUnknownOutcome means that the end of a transaction was sent but not acknowledged.
var errUnknownOutcome = errors.New("it is not known whether the transaction was committed")

const requestTimeout = 10 * time.Second

// busy are the pauses between attempts while the last transaction is ending, which takes some
// milliseconds.
var busy = backoff.Pauses{Least: 3 * time.Millisecond, Most: 100 * time.Millisecond}

func newProducer(l *link, id string, batchBytes int) *producer {
	if batchBytes == 0 {
		batchBytes = defaultBatchBytes
	}
	return &producer{link: l, id: id, batchBytes: batchBytes, session: kafka.ProducerSession{ProducerID: -1, ProducerEpoch: -1},
		sequence: map[stream.TopicPartition]int32{}}
}

// initOnce requests an epoch: of a new producer, or of this one if no other has taken the
// transactional id meanwhile. This aborts an open transaction, and the answer is
// kafka.ConcurrentTransactions until that is done.
func (p *producer) initOnce(ctx context.Context, from kafka.ProducerSession) (kafka.ProducerSession, error) {
	r, err := p.link.client(requestTimeout).InitProducerID(ctx, &kafka.InitProducerIDRequest{
		TransactionalID: p.id, TransactionTimeoutMs: transactionTimeout, ProducerID: from.ProducerID, ProducerEpoch: from.ProducerEpoch,
	})
	if err = cmp.Or(err, errorOf(r)); err != nil {
		return kafka.ProducerSession{}, err
	}
	return *r.Producer, nil
}

func errorOf(r *kafka.InitProducerIDResponse) error {
	if r == nil {
		return nil
	}
	return r.Error
}

func (p *producer) renew(s kafka.ProducerSession) {
	p.session, p.broken = s, false
	p.shaken.Store(false)
	clear(p.sequence)
}

// whileBusy repeats a request while the cluster is still ending the previous transaction.
func whileBusy(ctx context.Context, ask func() error) error {
	for attempt := 1; ; attempt++ {
		err := ask()
		if !errors.Is(err, kafka.ConcurrentTransactions) {
			return err
		}
		if err := backoff.Wait(ctx, busy.After(attempt)); err != nil {
			return err
		}
	}
}

// addPartitions adds partitions to the transaction, which this begins.
func (p *producer) addPartitions(ctx context.Context, topics map[string][]kafka.AddPartitionToTxn) error {
	if len(topics) == 0 {
		return nil
	}
	return p.patiently(ctx, func() error {
		r, err := p.link.client(requestTimeout).AddPartitionsToTxn(ctx, &kafka.AddPartitionsToTxnRequest{
			TransactionalID: p.id, ProducerID: p.session.ProducerID, ProducerEpoch: p.session.ProducerEpoch, Topics: topics,
		})
		if err != nil {
			return err
		}
		for _, partitions := range r.Topics {
			for _, partition := range partitions {
				if partition.Error != nil {
					return partition.Error
				}
			}
		}
		return nil
	})
}

// addGroup adds a group's offsets to the transaction.
func (p *producer) addGroup(ctx context.Context, group string) error {
	return p.patiently(ctx, func() error {
		r, err := p.link.client(requestTimeout).AddOffsetsToTxn(ctx, &kafka.AddOffsetsToTxnRequest{
			TransactionalID: p.id, ProducerID: p.session.ProducerID, ProducerEpoch: p.session.ProducerEpoch, GroupID: group,
		})
		if err != nil {
			return err
		}
		return r.Error
	})
}

// sendOffset adds the group's offset to the transaction. The group's coordinator rejects it if the
// generation is not current.
func (p *producer) sendOffset(ctx context.Context, g *kafka.Generation, at stream.Position) error {
	if err := p.addGroup(ctx, g.GroupID); err != nil {
		return err
	}
	client := p.link.client(requestTimeout)
	return p.patiently(ctx, func() error {
		r, err := client.TxnOffsetCommit(ctx, &kafka.TxnOffsetCommitRequest{
			TransactionalID: p.id, GroupID: g.GroupID, ProducerID: p.session.ProducerID, ProducerEpoch: p.session.ProducerEpoch,
			GenerationID: int(g.ID), MemberID: g.MemberID,
			Topics: map[string][]kafka.TxnOffsetCommit{at.Topic: {{Partition: at.Partition, Offset: at.Offset}}},
		})
		if err != nil {
			return err
		}
		if len(r.Topics[at.Topic]) == 0 {
			return kafka.UnknownTopicOrPartition
		}
		return r.Topics[at.Topic][0].Error
	})
}

// write sends a partition's messages sequentially. If an answer is lost, the identical request is
// sent again, and the broker recognises its sequence.
func (p *producer) write(ctx context.Context, l *lot) error {
	_, err := l.inBatches(0, len(l.messages), p.batchBytes, func(messages []*stream.Message, done int) error {
		batch, err := l.encode(messages, p.session, following(l.sequence, done))
		if err != nil {
			return err
		}
		err = p.patiently(ctx, func() error { return p.link.produce(ctx, l.tp, p.id, batch, requestTimeout) })
		return l.refused(ctx, messages, done, batch, err)
	})
	return err
}

// produce sends a batch and waits for all in-sync replicas.
func (l *link) produce(ctx context.Context, tp stream.TopicPartition, transactionalID string, batch []byte, timeout time.Duration) error {
	r, err := l.client(timeout).RawProduce(ctx, &kafka.RawProduceRequest{
		Topic: tp.Topic, Partition: tp.Partition, RequiredAcks: kafka.RequireAll, TransactionalID: transactionalID,
		RawRecords: protocol.RawRecordSet{Reader: bytes.NewReader(batch)},
	})
	if err == nil {
		if err = r.Error; unfit(err) {
			err = &unfitError{err, r.RecordErrors}
		}
	}
	if errors.Is(err, kafka.DuplicateSequenceNumber) {
		return nil // an earlier attempt succeeded
	}
	return err
}

// commit ends the transaction. If there is no answer, the outcome is unknown.
func (p *producer) commit(ctx context.Context) error {
	err := p.end(ctx, true)
	if err == nil {
		p.broken, p.last = false, committed
		return nil
	}
	return fmt.Errorf("%w: %w", errUnknownOutcome, err)
}

// abortTimeout bounds the attempt to abort a transaction at once, which saves read-committed
// consumers from waiting for its timeout.
const abortTimeout = time.Second

// abort ends a transaction that cannot be committed. If that fails, the next transaction, the next
// owner or the cluster's timeout aborts it. The epoch is renewed in any case.
func (p *producer) abort() {
	ctx, cancel := context.WithTimeout(context.Background(), abortTimeout)
	defer cancel()
	_ = p.end(ctx, false)
}

func (p *producer) end(ctx context.Context, committed bool) error {
	return p.patiently(ctx, func() error {
		r, err := p.link.client(requestTimeout).EndTxn(ctx, &kafka.EndTxnRequest{
			TransactionalID: p.id, ProducerID: p.session.ProducerID, ProducerEpoch: p.session.ProducerEpoch, Committed: committed,
		})
		if err != nil {
			return err
		}
		return r.Error
	})
}

// patience is the number of attempts of a request within a transaction. After that the whole
// transaction is retried.
const patience = 6

// patiently retries a request after retriable failures.
func (p *producer) patiently(ctx context.Context, ask func() error) error {
	between := backoff.Pauses{Least: 40 * time.Millisecond, Most: time.Second}
	for attempt := 1; ; attempt++ {
		err := whileBusy(ctx, ask)
		if err == nil {
			return nil
		}
		p.shaken.Store(true)
		if attempt == patience || ctx.Err() != nil || !passes(err) {
			return err
		}
		if err := backoff.Wait(ctx, between.After(attempt)); err != nil {
			return err
		}
	}
}

// passes reports whether an identical retry of a request of a transaction may succeed.
func passes(err error) bool {
	if fenced(err) || staleMember(err) || tooLarge(err) || kindOf(err) != passing {
		return false
	}
	for _, e := range []error{kafka.OutOfOrderSequenceNumber, kafka.UnknownProducerId, kafka.InvalidTransactionState,
		kafka.TransactionalIDAuthorizationFailed} {
		if errors.Is(err, e) {
			return false
		}
	}
	return true
}
