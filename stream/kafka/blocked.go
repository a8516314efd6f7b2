package kafka

import (
	"context"
	"fmt"
	"strings"
	"time"

	"unfold/stream"
)

// defaultBlockedAfter is longer than transactions of producers that work take.
const defaultBlockedAfter = 10 * time.Second

// BlockedError says that reading waits for an open transaction of another program: what lies
// behind its first record is for readers of committed messages to see when it has ended.
type BlockedError struct {
	// Position is that of the transaction's first record.
	stream.Position
	// Producer is the id of who has it open, -1 if brokers do not say (they are older than 2.8).
	Producer int64
	// Wrote is when the producer last wrote to the partition, zero if that is not known, and
	// Since when reading was first seen to wait.
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

// blocked is what a cursor knows of a transaction that it waits for.
type blocked struct {
	// since is when it began to wait, zero while it does not; named is when that was last
	// reported, times how often.
	since, named time.Time
	times        int
}

// blockedTrouble names the trouble for hooks.
const blockedTrouble = "open transaction"

// noteBlocked reports now and then that a transaction holds a partition back, and that it does
// so no more. held says whether it does.
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
		return // it has just ended
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
