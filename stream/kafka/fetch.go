package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"

	"unfold/stream"
)

// readCommitted asks the broker to stop before open transactions and to name
// the aborted ones.
const readCommitted = 1

// Fetch implements stream.Generation.
func (g *generation) Fetch(ctx context.Context, tp stream.TopicPartition) (stream.Run, error) {
	ctx, cancel := g.within(ctx)
	defer cancel()
	g.mu.Lock()
	next, ok := g.next[tp.Partition]
	g.mu.Unlock()
	if !ok || tp.Topic != g.source.settings.Topic {
		return stream.Run{}, fmt.Errorf("kafka: %v is not assigned", tp)
	}
	retry := g.source.retry("fetch")
	for {
		c, err := g.fetch(ctx, tp, next)
		var bomb *inflateError
		if errors.As(err, &bomb) {
			c, err = g.source.link.refused(ctx, tp, next, bomb)
		}
		if errors.Is(err, kafka.OffsetOutOfRange) {
			if next, err = g.outOfRange(ctx, tp, next); err == nil {
				continue
			}
			return stream.Run{}, err
		}
		if err != nil {
			if err := retry.again(ctx, err); err != nil {
				return stream.Run{}, fmt.Errorf("kafka: reading topic %s, partition %d, offset %d: %w", tp.Topic, tp.Partition, next, lacking(err, "Read"))
			}
			continue
		}
		retry = g.source.retry("fetch")
		next = c.next
		g.mu.Lock()
		g.next[tp.Partition] = next
		g.mu.Unlock()
		if len(c.messages) > 0 {
			return stream.Run{Messages: c.messages, End: c.end}, nil
		}
		if err := context.Cause(ctx); err != nil {
			return stream.Run{}, err
		}
	}
}

// outOfRange tells whether the broker's "offset out of range" is true (it also
// gives it for a moment after a leader has changed), and where to go on.
func (g *generation) outOfRange(ctx context.Context, tp stream.TopicPartition, next int64) (int64, error) {
	gap, err := g.gap(ctx, stream.Position{TopicPartition: tp, Offset: next})
	if err != nil {
		return next, err
	}
	if gap == nil {
		return next, g.source.retry("fetch").again(ctx, kafka.OffsetNotAvailable)
	}
	return g.source.leap(gap)
}

// catch is what one fetch request brought in.
type catch struct {
	messages []stream.Message
	// next is the offset to go on with.
	next int64
	// end is the partition's high watermark.
	end int64
}

// fetch reads from next on.
func (g *generation) fetch(ctx context.Context, tp stream.TopicPartition, next int64) (catch, error) {
	s := &g.source.settings
	return g.source.link.fetch(ctx, tp, next, s.FetchBytes, s.FetchWait)
}

// fetch sends one request. It does not use kafka.Client.Fetch, which hides the
// aborted transactions and the offsets of the markers.
func (l *link) fetch(ctx context.Context, tp stream.TopicPartition, next int64, bytes int, wait time.Duration) (catch, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+10*time.Second)
	defer cancel()
	answer, err := l.transport.RoundTrip(ctx, l.addr, &fetch.Request{
		ReplicaID: -1, MaxWaitTime: int32(wait / time.Millisecond), MinBytes: 1, MaxBytes: int32(bytes),
		IsolationLevel: readCommitted, SessionID: -1, SessionEpoch: -1,
		Topics: []fetch.RequestTopic{{Topic: tp.Topic, Partitions: []fetch.RequestPartition{{
			Partition: int32(tp.Partition), CurrentLeaderEpoch: -1, FetchOffset: next, LogStartOffset: -1, PartitionMaxBytes: int32(bytes),
		}}}},
	})
	if err != nil {
		return catch{}, err
	}
	r := answer.(*fetch.Response)
	if r.ErrorCode != 0 {
		return catch{}, kafka.Error(r.ErrorCode)
	}
	if len(r.Topics) == 0 || len(r.Topics[0].Partitions) == 0 {
		return catch{}, protocol.ErrNoPartition
	}
	p := &r.Topics[0].Partitions[0]
	if p.ErrorCode != 0 {
		return catch{}, kafka.Error(p.ErrorCode)
	}
	c := catch{next: next, end: p.HighWatermark}
	return c, c.read(tp, p)
}

// read takes the messages out of an answer: those from c.next on that do not
// belong to an aborted transaction. It moves c.next behind everything it saw.
//
// A transaction's records may lie anywhere between its first offset (which the
// broker names if it was aborted) and the marker that ends it, mixed with other
// producers' records; a producer has one open transaction at a time.
func (c *catch) read(tp stream.TopicPartition, p *fetch.ResponsePartition) error {
	batches, ok := p.RecordSet.Records.(*protocol.RecordStream)
	if !ok {
		if p.RecordSet.Records == nil {
			return nil
		}
		batches = &protocol.RecordStream{Records: []protocol.RecordReader{p.RecordSet.Records}}
	}
	start := c.next
	aborted := map[int64]bool{}
	pending := p.AbortedTransactions
	for _, batch := range batches.Records {
		skip := false
		switch b := batch.(type) {
		case *protocol.ControlBatch:
			delete(aborted, b.ProducerID)
			skip = true
		case *protocol.RecordBatch:
			rest := pending[:0:0]
			for _, t := range pending {
				if t.FirstOffset <= b.BaseOffset {
					aborted[t.ProducerID] = true
				} else {
					rest = append(rest, t)
				}
			}
			pending = rest
			skip = b.Attributes.Transactional() && aborted[b.ProducerID]
		}
		if err := c.drain(tp, batch, skip); err != nil {
			return err
		}
	}
	if n := len(batches.Records); c.next == start && n > 0 {
		// The broker's batches reach the wanted offset but hold no record at or
		// after it: compaction has removed them. The last batch's end is not
		// known here, so step behind its beginning; nothing can be there.
		c.next++
		if last, ok := batches.Records[n-1].(interface{ Offset() int64 }); ok {
			c.next = max(c.next, last.Offset()+1)
		}
	}
	return nil
}

// drain reads one batch. The library keeps its bytes in pages that are given
// back when they are closed, so the messages get copies.
func (c *catch) drain(tp stream.TopicPartition, batch protocol.RecordReader, skip bool) error {
	for {
		rec, err := batch.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unreadable batch: %w", err)
		}
		err = c.add(tp, rec, skip)
		for _, b := range []protocol.Bytes{rec.Key, rec.Value} {
			if b != nil {
				err = errors.Join(err, b.Close())
			}
		}
		if err != nil {
			return fmt.Errorf("unreadable record at offset %d: %w", rec.Offset, err)
		}
	}
}

// add appends one record, unless it is skipped or lies before the wanted offset
// (brokers answer with whole batches).
func (c *catch) add(tp stream.TopicPartition, rec *protocol.Record, skip bool) error {
	if rec.Offset < c.next {
		return nil
	}
	c.next = rec.Offset + 1
	if skip {
		return nil
	}
	key, err := protocol.ReadAll(rec.Key)
	if err != nil {
		return err
	}
	value, err := protocol.ReadAll(rec.Value)
	if err != nil {
		return err
	}
	m := stream.Message{TopicPartition: tp, Offset: rec.Offset, Key: key, Value: value, Time: rec.Time.UTC()}
	for _, h := range rec.Headers {
		m.Headers = append(m.Headers, stream.Header{Key: h.Key, Value: h.Value})
	}
	c.messages = append(c.messages, m)
	return nil
}
