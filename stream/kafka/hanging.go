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

// A transaction may be over for the cluster and still open in a partition: Kafka 4.1 to
// 4.3, at least, take a partition without a leader, since its brokers have crashed, for a
// deleted one. They do not write there how the transaction ended (KAFKA-20734). Its
// records, or the group's offset, then stay open until the same producer ends another
// transaction there, and share the fate of that one. So what may have been left open is
// ended as the cluster says that the transaction was, before the producer begins any
// other.

// outcome is how a producer's last transaction ended.
type outcome int

const (
	// unknown: there was none, or another owner has taken the name over since.
	unknown outcome = iota
	committed
	aborted
)

func (o outcome) String() string { return [...]string{"unknown", "committed", "aborted"}[o] }

// errHanging says that a transaction has been ended once more.
var errHanging = errors.New("the cluster had left a transaction open in part")

// ended returns how the last transaction of the producer's name ended, and which
// producer's it was. One that is open is aborted first; one that is being ended is
// waited for.
func (p *producer) ended(ctx context.Context, from kafka.ProducerSession, retry *retry) (how outcome, by int64, err error) {
	for looks := 1; ; {
		state, by, err := p.describe(ctx)
		if errors.Is(err, kafka.TransactionalIDNotFound) || errors.Is(err, kafka.UnsupportedVersion) {
			return unknown, by, nil
		}
		if err == nil && state == stateOngoing {
			// The answer is that it is now being ended.
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
	// lookAgain is after how long an open transaction that is not one of somebody at
	// work must still be open at the same place.
	lookAgain = 250 * time.Millisecond
	// finishTimeout is shorter than transactionTimeout: then the cluster would abort.
	// finishGrace is what is left of it once the stage has to stop.
	finishTimeout = 20 * time.Second
	finishGrace   = 2 * time.Second
)

// openOutputs returns the partitions of outputs and dead letters in which a producer's
// transaction stays open: readers of committed messages do not get to their end, and no
// further, and the brokers say that it is this producer's: it may as well be that of an
// owner of another partition that is frozen. Where they do not say, it is taken for this one's.
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

// behind returns where readers of committed messages are held back.
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
		// In this order: what is written between the two questions is not taken for behind.
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

// ends are the offsets behind what readers of a kind can read.
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

// openOffset reports whether the offset of a partition is part of a transaction
// that has not ended there.
func (g *generation) openOffset(ctx context.Context, partition int) (bool, error) {
	const looks = 3 // older coordinators need a moment to take note of a transaction's end
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

// hanging is where the last transaction of a producer may have been left open.
type hanging struct {
	outputs  map[string][]int
	position bool
}

// String lists it for people.
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

// findHanging finds out where the last transaction of a partition's producer was left open.
func (g *generation) findHanging(ctx context.Context, partition int, by int64, retry *retry) (u hanging, err error) {
	err = retry.until(ctx, func() (err error) {
		if u.position, err = g.openOffset(ctx, partition); err == nil {
			u.outputs, err = g.openOutputs(ctx, by)
		}
		return err
	})
	return u, err
}

// reportHanging says that a transaction was left open, once for each: endHanging may have to be retried.
func (g *generation) reportHanging(p *producer, u hanging, how outcome) {
	if hook := g.source.settings.Retrying; hook != nil {
		hook("transaction", 1, fmt.Errorf("%w: %s was %v, and is open in %v; it is ended there again", errHanging, p.id, how, u), 0)
	}
}

// endHanging ends a transaction where it was left open: another one of the same producer,
// in these partitions and with nothing in it, ends in the same way. It goes on a little
// when the generation is over, since half of it would be worse than nothing.
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
			return fmt.Errorf("ending a transaction again that was left open: %w", err)
		}
	}
	p.broken, p.last = false, how
	return nil
}
