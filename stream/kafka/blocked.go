package kafka

import (
	"context"
	"fmt"
	"strings"
	"time"

	"unfold/stream"
)

// defaultBlockedAfter exceeds the duration of transactions of working producers.
const defaultBlockedAfter = 10 * time.Second

// BlockedError reports that an open transaction of another program blocks reading. Records after
// its first one are returned to read-committed consumers only when it has ended.
type BlockedError struct {
	// Position is the position of the transaction's first record.
	stream.Position
	// Producer is the id of its producer, -1 if unknown (brokers before 2.8).
	Producer int64
	// Wrote is the time when the producer last wrote to the partition, zero if unknown. Since is
	// the time from which reading was blocked.
	Wrote, Since time.Time
	brokers      []string
}

func (e *BlockedError) Error() string {
	who := "a producer that the brokers do not name"
	if e.Producer >= 0 {
		who = fmt.Sprintf("producer id %d", e.Producer)
	}
	if !e.Wrote.IsZero() {
		who += ", which wrote last at " + e.Wrote.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("kafka: topic %s, partition %d: an open transaction of %s holds reading back at offset %d since %s: let its program end it, "+
		"or abort it (kafka-transactions.sh --bootstrap-server %s abort --topic %s --partition %d --start-offset %d)",
		e.Topic, e.Partition, who, e.Offset, e.Since.UTC().Format(time.RFC3339), strings.Join(e.brokers, ","), e.Topic, e.Partition, e.Offset)
}

// blocked is the state of a cursor that waits for a transaction.
type blocked struct {
	// since is the time when it began to wait, zero if it does not. named is the time of the last
	// report, times the number of reports.
	since, named time.Time
	times        int
}

// blockedTrouble is the name of the failure for hooks.
const blockedTrouble = "open transaction"

// noteBlocked reports from time to time that a transaction blocks a partition, and once when it no
// longer does. held is true if it does.
func (g *generation) noteBlocked(ctx context.Context, c *cursor, held bool) {
	set, b, now := &g.source.settings, &c.blocked, time.Now()
	if !held {
		if b.times > 0 && set.Recovered != nil {
			set.Recovered(blockedTrouble)
		}
		*b = blocked{}
		return
	}
	if b.since.IsZero() {
		b.since, b.named = now, now
	}
	if set.Retrying == nil || now.Before(b.named.Add(set.BlockedAfter)) {
		return
	}
	e := &BlockedError{Position: stream.Position{TopicPartition: c.tp, Offset: c.next}, Producer: -1, Since: b.since, brokers: set.Brokers}
	holders, err := g.source.link.holders(ctx, c.tp)
	if ctx.Err() != nil || err == nil && len(holders) == 0 {
		return // the transaction has just ended
	}
	for id, h := range holders {
		if e.Producer < 0 || h.begun < e.Offset {
			e.Producer, e.Offset, e.Wrote = id, h.begun, h.wrote
		}
	}
	b.named = now
	b.times++
	set.Retrying(blockedTrouble, b.times, e, set.BlockedAfter)
}
