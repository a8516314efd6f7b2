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

// producer is a transactional producer: an id and an epoch that the cluster gave
// to a name, and for each partition how many records were written so far. It runs
// one transaction at a time.
type producer struct {
	link       *link
	id         string
	batchBytes int

	session kafka.ProducerSession
	// sequence is that of the next record, for each partition.
	sequence map[stream.TopicPartition]int32
	// broken: the last transaction was not ended, or records were sent whose fate
	// is not known. The next one begins with a new epoch, which aborts the old.
	broken bool
	// shaken: a request failed since the last transaction but one was ended, so the
	// cluster may have been in trouble while it ended the last.
	shaken atomic.Bool
	// last is how the last transaction ended.
	last outcome
}

// errUnknownOutcome says that a transaction's end was sent and not answered.
var errUnknownOutcome = errors.New("it is not known whether the transaction was committed")

const requestTimeout = 10 * time.Second

// busy are the pauses between attempts while the last transaction is being ended, which
// takes some milliseconds.
var busy = backoff.Pauses{Least: 3 * time.Millisecond, Most: 100 * time.Millisecond}

func newProducer(l *link, id string, batchBytes int) *producer {
	if batchBytes == 0 {
		batchBytes = defaultBatchBytes
	}
	return &producer{link: l, id: id, batchBytes: batchBytes, session: kafka.ProducerSession{ProducerID: -1, ProducerEpoch: -1},
		sequence: map[stream.TopicPartition]int32{}}
}

// initOnce asks for an epoch: of a new producer, or of this one if nobody else has
// taken the name meanwhile. A transaction that is open is aborted then, and the
// answer is kafka.ConcurrentTransactions until that is done.
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

// whileBusy repeats a request for as long as the cluster is still ending the
// transaction before.
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

// addPartitions makes partitions part of the transaction, which begins with that.
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

// addGroup makes a group's offsets part of the transaction.
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

// sendOffset adds the group's offset to the transaction. The group's
// coordinator refuses it if the generation is not its current one.
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

// write sends a partition's messages, one request after the other. A request whose
// answer was lost is sent again as it was: the broker knows it by its sequence.
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

// produce sends a batch, and waits until all in-sync replicas have it.
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
		return nil // an earlier attempt got there
	}
	return err
}

// commit ends the transaction. An answer that does not come leaves it open how it
// ended.
func (p *producer) commit(ctx context.Context) error {
	err := p.end(ctx, true)
	if err == nil {
		p.broken, p.last = false, committed
		return nil
	}
	return fmt.Errorf("%w: %w", errUnknownOutcome, err)
}

// abortTimeout bounds the courtesy of aborting a transaction at once, so that
// readers of committed messages need not wait for its timeout.
const abortTimeout = time.Second

// abort ends what cannot be committed. If that fails the next transaction, the
// next owner, or the cluster's patience does it. The epoch is renewed anyway.
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

// patience is how often a request within a transaction is sent again after
// failures that may pass; then the transaction is given up and tried as a whole.
const patience = 6

// patiently sends a request again after failures that may pass.
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

// passes reports whether a request of a transaction may succeed when it is sent
// again just as it was.
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
