package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/internal/backoff"
	"unfold/stream"
)

// The cluster may consider a transaction ended although it is still open in a partition. Kafka 4.1
// to 4.3, at least, treat a partition that has lost its leader because brokers crashed like a
// deleted one, and do not write the transaction's end there (KAFKA-20734). Its records, or the
// group's offset, then stay open until the same producer ends another transaction there, and get
// that outcome. So before the producer begins another transaction, open parts are ended with the
// outcome that the cluster reports.

// outcome is the outcome of a producer's last transaction.
type outcome int

const (
	// unknown means that there was none, or that another owner has taken over the transactional id
	// since.
	unknown outcome = iota
	committed
	aborted
)

func (o outcome) String() string { return [...]string{"unknown", "committed", "aborted"}[o] }

// errHanging reports that an open part of a transaction was ended.
var errHanging = errors.New("the cluster had left a transaction open in part")

// ended returns the outcome of the last transaction of the producer's transactional id, and its
// producer. It aborts an open transaction and waits for one that is ending.
func (p *producer) ended(ctx context.Context, from kafka.ProducerSession, retry *retry) (how outcome, by int64, err error) {
	for looks := 1; ; {
		state, by, err := p.describe(ctx)
		if errors.Is(err, kafka.TransactionalIDNotFound) || errors.Is(err, kafka.UnsupportedVersion) {
			return unknown, by, nil
		}
		if err == nil && state == stateOngoing {
			// This error means that it is now being ended.
			if _, err = p.initOnce(ctx, from); errors.Is(err, kafka.ConcurrentTransactions) {
				err = nil
			}
		}
		if from.ProducerID >= 0 && fenced(err) {
			return unknown, by, err
		}
		if err != nil {
			if err := retry.again(ctx, err); err != nil {
				return unknown, by, fmt.Errorf("kafka: transactional id %s: %w", p.id, lacking(err, "Write"))
			}
			continue
		}
		switch state {
		case stateCommitted:
			return committed, by, nil
		case stateAborted:
			return aborted, by, nil
		case stateEmpty, stateDead:
			return unknown, by, nil
		}
		if err := backoff.Wait(ctx, busy.After(looks)); err != nil {
			return unknown, by, err
		}
		looks++
	}
}

const (
	// lookAgain is the time after which a transaction that does not belong to an active producer
	// must still be open at the same place.
	lookAgain = 250 * time.Millisecond
	// finishTimeout is shorter than transactionTimeout, after which the cluster would abort.
	// finishGrace is the time that remains of it when the stage must stop.
	finishTimeout = 20 * time.Second
	finishGrace   = 2 * time.Second
)

// openOutputs returns the partitions of outputs and dead letters in which a transaction of a
// producer is still open: read-committed consumers do not advance, and the brokers name this
// producer. The transaction may also belong to another partition's owner that is frozen. If brokers
// do not name the producer, it is assumed to be this one.
func (g *generation) openOutputs(ctx context.Context, by int64) (map[string][]int, error) {
	first, err := g.behind(ctx)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	if err := backoff.Wait(ctx, lookAgain); err != nil {
		return nil, err
	}
	second, err := g.behind(ctx)
	if err != nil {
		return nil, err
	}
	open := map[string][]int{}
	for topic, parts := range second {
		for p, at := range parts {
			if before, was := first[topic][p]; !was || before != at {
				continue
			}
			holders, err := g.source.link.holders(ctx, stream.TopicPartition{Topic: topic, Partition: p})
			if err != nil && !undisclosed(err) {
				return nil, err
			}
			if _, holds := holders[by]; holds || undisclosed(err) {
				open[topic] = append(open[topic], p)
			}
		}
	}
	return open, nil
}

// behind returns the offsets at which read-committed consumers are blocked.
func (g *generation) behind(ctx context.Context) (map[string]map[int]int64, error) {
	t := g.source.settings.Transactions
	out := map[string]map[int]int64{}
	for _, topic := range []string{t.Outputs, t.Letters} {
		if topic == "" {
			continue
		}
		all, err := g.source.link.all(ctx, topic)
		if err != nil {
			return nil, err
		}
		// The order matters: messages written between the two requests must not count as blocked.
		stable, err := g.source.link.ends(ctx, topic, all, kafka.ReadCommitted)
		if err != nil {
			return nil, err
		}
		ends, err := g.source.link.ends(ctx, topic, all, kafka.ReadUncommitted)
		if err != nil {
			return nil, err
		}
		for p, at := range stable {
			if at < ends[p] {
				if out[topic] == nil {
					out[topic] = map[int]int64{}
				}
				out[topic][p] = at
			}
		}
	}
	return out, nil
}

// ends returns the end offsets for consumers of the given isolation level.
func (l *link) ends(ctx context.Context, topic string, partitions []int, level kafka.IsolationLevel) (map[int]int64, error) {
	var ask []kafka.OffsetRequest
	for _, p := range partitions {
		ask = append(ask, kafka.LastOffsetOf(p))
	}
	r, err := l.client(connectTimeout).ListOffsets(ctx, &kafka.ListOffsetsRequest{IsolationLevel: level, Topics: map[string][]kafka.OffsetRequest{topic: ask}})
	if err != nil {
		return nil, err
	}
	out := make(map[int]int64, len(partitions))
	for _, p := range r.Topics[topic] {
		if p.Error != nil {
			return nil, p.Error
		}
		out[p.Partition] = p.LastOffset
	}
	if len(out) < len(partitions) {
		return nil, kafka.UnknownTopicOrPartition
	}
	return out, nil
}

// openOffset reports whether a partition's offset is part of a transaction that has not ended
// there.
func (g *generation) openOffset(ctx context.Context, partition int) (bool, error) {
	const looks = 3 // older coordinators need a moment to record the end of a transaction
	for n := 1; ; n++ {
		r, err := g.askOffsets(ctx, []int{partition})
		if err != nil || !r.unstable || n == looks {
			return err == nil && r.unstable, err
		}
		if err := backoff.Wait(ctx, lookAgain/looks); err != nil {
			return false, err
		}
	}
}

// hanging lists the places where the last transaction of a producer may still be open.
type hanging struct {
	outputs  map[string][]int
	position bool
}

// String formats it for people.
func (u hanging) String() string {
	var parts []string
	for topic, partitions := range u.outputs {
		parts = append(parts, fmt.Sprintf("topic %s, partitions %v", topic, partitions))
	}
	slices.Sort(parts)
	if u.position {
		parts = append(parts, "the group's offset")
	}
	return strings.Join(parts, "; ")
}

func (u hanging) any() bool { return len(u.outputs) > 0 || u.position }

// findHanging finds where the last transaction of a partition's producer is still open.
func (g *generation) findHanging(ctx context.Context, partition int, by int64, retry *retry) (u hanging, err error) {
	err = retry.until(ctx, func() (err error) {
		if u.position, err = g.openOffset(ctx, partition); err == nil {
			u.outputs, err = g.openOutputs(ctx, by)
		}
		return err
	})
	return u, err
}

// reportHanging reports once that a transaction was left open. endHanging may be retried.
func (g *generation) reportHanging(p *producer, u hanging, how outcome) {
	if hook := g.source.settings.Retrying; hook != nil {
		hook("transaction", 1, fmt.Errorf("%w: %s was %v, and is open in %v; it is ended there again", errHanging, p.id, how, u), 0)
	}
}

// endHanging ends a transaction where it was left open: an empty transaction of the same producer
// with these partitions ends with the same outcome. It continues for a short time after the end of
// the generation, because a partial end would be worse than none.
func (g *generation) endHanging(ctx context.Context, p *producer, u hanging, how outcome) error {
	over := ctx
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	defer context.AfterFunc(over, func() { time.AfterFunc(finishGrace, cancel) })()
	topics := map[string][]kafka.AddPartitionToTxn{}
	for topic, partitions := range u.outputs {
		for _, n := range partitions {
			topics[topic] = append(topics[topic], kafka.AddPartitionToTxn{Partition: n})
		}
	}
	p.broken = true
	for _, step := range []func() error{
		func() error { return p.addPartitions(ctx, topics) },
		func() error { return p.addGroup(ctx, g.group.GroupID) },
		func() error { return p.end(ctx, how == committed) },
	} {
		err := step()
		for err != nil && ctx.Err() == nil && passes(err) {
			err = step()
		}
		if err != nil {
			return fmt.Errorf("ending an open transaction again: %w", err)
		}
	}
	p.broken, p.last = false, how
	return nil
}
