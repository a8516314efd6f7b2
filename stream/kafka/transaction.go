package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/segmentio/kafka-go"

	"unfold/internal/backoff"
	"unfold/stream"
)

// Transactions are the settings of exactly-once delivery. Generations then write outputs and dead
// letters themselves (stream.Transactional). All topics must be on the source's cluster, because a
// transaction cannot span two.
type Transactions struct {
	// Outputs and Letters are the names of the topics. Letters may be empty.
	Outputs, Letters string
	// BatchBytes and Compression are as in SinkSettings.
	BatchBytes  int
	Compression string
}

// transactionTimeout is the time after which the cluster aborts the transaction of a silent
// producer. If its partition has a new owner, it is aborted at once.
const transactionTimeout = 30_000 // ms

// transactionalID returns the transactional id of the producer for one source partition. A new
// owner of the partition takes over the id, which aborts the former owner's transaction and rejects
// its later requests.
func transactionalID(group string, tp stream.TopicPartition) string {
	return fmt.Sprintf("unfold-%s-%s-%d", group, tp.Topic, tp.Partition)
}

// beginTransactions takes over the producers of all assigned partitions. Afterwards no former owner
// can move their offsets.
func (g *generation) beginTransactions(ctx context.Context, partitions []int) error {
	const parallel = 8
	g.producers = make(map[int]*producer, len(partitions))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	slots := make(chan struct{}, parallel)
	for _, n := range partitions {
		tp := stream.TopicPartition{Topic: g.source.settings.Topic, Partition: n}
		p := newProducer(g.source.link, transactionalID(g.source.settings.Group, tp), g.source.settings.Transactions.BatchBytes)
		g.producers[n] = p
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := g.takeOver(ctx, p, n, p.session); err != nil {
				if fenced(err) {
					err = fmt.Errorf("kafka: transactional id %s: %w (%v)", p.id, stream.ErrRevoked, err)
				}
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

// takeOver makes this the only producer of its transactional id, or the same one with a new epoch,
// after the previous transaction has been ended everywhere.
func (g *generation) takeOver(ctx context.Context, p *producer, partition int, from kafka.ProducerSession) error {
	retry, reported := g.source.retry("transaction"), false
	for {
		how, by, err := p.ended(ctx, from, retry)
		if err != nil {
			return err
		}
		var left hanging
		if how != unknown {
			if left, err = g.findHanging(ctx, partition, by, retry); err != nil {
				return err
			}
		}
		session, err := p.initOnce(ctx, from)
		if err == nil {
			p.renew(session)
			p.last = how
			if !left.any() {
				return nil
			}
			if !reported {
				g.reportHanging(p, left, how)
				reported = true
			}
			if err = g.endHanging(ctx, p, left, how); err == nil {
				return nil
			}
			from = session
		}
		if errors.Is(err, kafka.ConcurrentTransactions) { // the former owner began a last transaction before
			if err := backoff.Wait(ctx, busy.Least); err != nil {
				return err
			}
			continue
		}
		if from.ProducerID >= 0 && fenced(err) {
			return err
		}
		if err := retry.again(ctx, err); err != nil {
			return fmt.Errorf("kafka: transactional id %s: %w", p.id, lacking(err, "Write"))
		}
	}
}

// open begins a transaction that will write to these partitions. If requests have failed since the
// previous one, it first ends what may be left open of that one, because an abort of this
// transaction would abort those parts, too.
func (g *generation) open(ctx context.Context, p *producer, partition int, lots []*lot) error {
	if p.broken {
		if err := g.takeOver(ctx, p, partition, p.session); err != nil {
			return err
		}
	}
	topics := map[string][]kafka.AddPartitionToTxn{}
	for _, l := range lots {
		topics[l.tp.Topic] = append(topics[l.tp.Topic], kafka.AddPartitionToTxn{Partition: l.tp.Partition})
	}
	if err := p.addPartitions(ctx, topics); err != nil {
		p.broken = !passes(err) // otherwise it may be open and empty
		return err
	}
	if p.shaken.Load() && p.last != unknown {
		left, err := g.findHanging(ctx, partition, int64(p.session.ProducerID), g.source.retry("transaction"))
		if err != nil {
			return err
		}
		if left.any() {
			g.reportHanging(p, left, p.last)
			if err := g.endHanging(ctx, p, left, p.last); err != nil {
				return err
			}
			if err := p.addPartitions(ctx, topics); err != nil {
				return err
			}
		}
	}
	p.shaken.Store(false)
	p.broken = true
	for _, l := range lots {
		l.sequence = p.sequence[l.tp]
		p.sequence[l.tp] = following(l.sequence, len(l.messages))
	}
	return nil
}

// Transact implements stream.Transactional.
func (g *generation) Transact(ctx context.Context, t stream.Transaction) error {
	g.commits.RLock()
	defer g.commits.RUnlock()
	if g.closed || g.life.Err() != nil {
		return stream.ErrRevoked
	}
	p := g.producers[t.Partition]
	if p == nil || t.Topic != g.source.settings.Topic {
		return fmt.Errorf("kafka: %v is not assigned, or the source has no transactions", t.TopicPartition)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := g.confirm(ctx)
	if err == nil {
		err = g.transact(ctx, p, t)
	}
	if fenced(err) || staleMember(err) {
		return fmt.Errorf("kafka: transaction %s: %w (%v)", p.id, stream.ErrRevoked, err)
	}
	if err != nil {
		return fmt.Errorf("kafka: transaction %s: %w", p.id, lacking(made(slices.Concat(t.Outputs, t.Letters), err), "Write"))
	}
	g.note(t.Position)
	return nil
}

// transact runs one transaction. It adds the partitions, sends messages and the position
// concurrently, and ends it. A failure before the end aborts it. If the end itself fails, only the
// cluster knows the outcome.
func (g *generation) transact(ctx context.Context, p *producer, t stream.Transaction) error {
	parts, err := g.source.lots(ctx, t)
	if err != nil {
		return err
	}
	if err := tooLargeIn(ctx, parts); err != nil {
		return err
	}
	if err := g.open(ctx, p, t.Partition, parts); err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, len(parts)+1)
	wg.Go(func() { errs[len(parts)] = p.sendOffset(ctx, g.group, t.Position) })
	for i, part := range parts {
		wg.Go(func() { errs[i] = p.write(ctx, part) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		p.abort()
		if refused := refusedOf(errs); refused != nil && !fenced(err) && !staleMember(err) {
			return refused
		}
		return err
	}
	return p.commit(ctx)
}

// lots returns the messages of a transaction by topic and partition.
func (s *Source) lots(ctx context.Context, t stream.Transaction) (all []*lot, err error) {
	if len(t.Outputs) > 0 {
		if all, err = s.outputs.assign(ctx, t.Outputs, 0); err != nil {
			return nil, err
		}
	}
	if len(t.Letters) > 0 {
		if s.letters == nil {
			return nil, errors.New("there are dead letters and no topic for them")
		}
		letters, err := s.letters.assign(ctx, t.Letters, len(t.Outputs))
		if err != nil {
			return nil, err
		}
		all = append(all, letters...)
	}
	slices.SortFunc(all, func(a, b *lot) int { return cmp.Or(cmp.Compare(a.tp.Topic, b.tp.Topic), a.tp.Partition-b.tp.Partition) })
	return all, nil
}

// fenced reports whether a newer owner has the transactional id, or the cluster has dropped the
// producer.
func fenced(err error) bool {
	return errors.Is(err, kafka.ProducerFenced) || errors.Is(err, kafka.InvalidProducerEpoch) || errors.Is(err, kafka.InvalidProducerIDMapping) ||
		errors.Is(err, errUnknownOutcome)
}

// staleMember reports whether this generation is no longer part of the group.
func staleMember(err error) bool {
	for _, e := range []error{kafka.IllegalGeneration, kafka.UnknownMemberId, kafka.RebalanceInProgress, kafka.FencedInstanceID} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
