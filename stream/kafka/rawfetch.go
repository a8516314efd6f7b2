package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/stream"
)

// refused takes a batch that must not be unfolded out of the log as it is: one
// message that stands for all of the batch's, for the dead letters. If the batch is
// part of an aborted transaction there is no message.
func (l *link) refused(ctx context.Context, tp stream.TopicPartition, next int64, why *inflateError) (catch, error) {
	answer, err := l.transport.RoundTrip(ctx, l.addr, &rawFetch{tp: tp, offset: next})
	if err != nil {
		return catch{}, err
	}
	r := answer.(*rawFetched)
	if r.err != nil {
		return catch{}, r.err
	}
	b := r.records
	if len(b) < batchHeader || b[16] != 2 {
		return catch{}, fmt.Errorf("kafka: no batch at offset %d: %w", next, why)
	}
	be := binary.BigEndian
	base, length, last := int64(be.Uint64(b)), int64(be.Uint32(b[8:])), int64(be.Uint32(b[23:]))
	producer, transactional := int64(be.Uint64(b[43:])), be.Uint16(b[21:])&0x10 != 0
	if length+12 > int64(len(b)) {
		return catch{}, fmt.Errorf("kafka: half a batch at offset %d: %w", next, why)
	}
	c := catch{next: base + last + 1, end: r.end}
	if first, aborted := r.aborted[producer]; transactional && aborted && first <= base {
		return c, nil
	}
	c.messages = []stream.Message{{
		TopicPartition: tp, Offset: base + last, Value: b[:length+12], Time: time.UnixMilli(int64(be.Uint64(b[35:]))).UTC(),
		Unreadable: fmt.Errorf("offsets %d to %d: %w", base, base+last, why),
	}}
	return c, nil
}

// rawFetch is Fetch in version 4, whose answer keeps batches as they are. It writes
// itself to the connection, as the library allows, and says which broker it is for.
type rawFetch struct {
	tp     stream.TopicPartition
	offset int64
}

const (
	rawFetchVersion = 4
	// rawFetchBytes bounds the answer beyond its first batch, which always comes
	// whole; maxRawFetch bounds that.
	rawFetchBytes = 1
	maxRawFetch   = 1 << 28
)

// ApiKey implements protocol.Message.
func (r *rawFetch) ApiKey() protocol.ApiKey { return protocol.Fetch }

// Broker implements protocol.BrokerMessage: the partition's leader.
func (r *rawFetch) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	topic, ok := cluster.Topics[r.tp.Topic]
	if !ok {
		return protocol.Broker{}, protocol.NewErrNoTopic(r.tp.Topic)
	}
	partition, ok := topic.Partitions[int32(r.tp.Partition)]
	if !ok {
		return protocol.Broker{}, protocol.NewErrNoPartition(r.tp.Topic, int32(r.tp.Partition))
	}
	broker, ok := cluster.Brokers[partition.Leader]
	if !ok {
		return protocol.Broker{}, protocol.NewErrNoLeader(r.tp.Topic, int32(r.tp.Partition))
	}
	return broker, nil
}

// Required implements protocol.RawExchanger.
func (r *rawFetch) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange implements protocol.RawExchanger.
func (r *rawFetch) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	answer, err := exchange(rw, r.encode(), maxRawFetch)
	if err != nil {
		return nil, err
	}
	return decodeRawFetched(answer)
}

// exchange writes a request, which begins with its length, and reads the answer.
func exchange(rw io.ReadWriter, request []byte, most int64) ([]byte, error) {
	if _, err := rw.Write(request); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(rw, size[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if n > most {
		return nil, fmt.Errorf("kafka: an answer of %d bytes, more than %d", n, most)
	}
	answer := make([]byte, n)
	_, err := io.ReadFull(rw, answer)
	return answer, err
}

func (r *rawFetch) encode() []byte {
	be := binary.BigEndian
	b := requestHeader(protocol.Fetch, rawFetchVersion)
	b = be.AppendUint32(b, ^uint32(0)) // no replica
	b = be.AppendUint32(b, uint32(defaultFetchWait.Milliseconds()))
	b = be.AppendUint32(b, 1)
	b = be.AppendUint32(b, rawFetchBytes)
	b = append(b, readCommitted)
	b = be.AppendUint32(b, 1)
	b = append(be.AppendUint16(b, uint16(len(r.tp.Topic))), r.tp.Topic...)
	b = be.AppendUint32(b, 1)
	b = be.AppendUint32(b, uint32(r.tp.Partition))
	b = be.AppendUint64(b, uint64(r.offset))
	b = be.AppendUint32(b, rawFetchBytes)
	be.PutUint32(b, uint32(len(b)-4))
	return b
}

// requestHeader begins a request; its length is to be put before it.
func requestHeader(key protocol.ApiKey, version uint16) []byte {
	const client = "unfold"
	be := binary.BigEndian
	b := make([]byte, 4)
	b = be.AppendUint16(b, uint16(key))
	b = be.AppendUint16(b, version)
	b = be.AppendUint32(b, 0) // correlation id
	return append(be.AppendUint16(b, uint16(len(client))), client...)
}

// rawFetched answers a rawFetch.
type rawFetched struct {
	records []byte
	end     int64
	// aborted are the first offsets of aborted transactions, by producer.
	aborted map[int64]int64
	err     error
}

// ApiKey implements protocol.Message.
func (r *rawFetched) ApiKey() protocol.ApiKey { return protocol.Fetch }

var errShortFetch = errors.New("kafka: an answer to a fetch that ends too early")

// decodeRawFetched reads an answer, about one partition, without its length.
func decodeRawFetched(answer []byte) (*rawFetched, error) {
	d := &flexible{rest: answer}
	d.take(4 + 4 + 4)      // correlation id, throttle time, topics
	d.take(int(d.uint(2))) // topic
	d.take(4 + 4)          // partitions, partition
	code := kafka.Error(int16(d.uint(2)))
	r := &rawFetched{end: int64(d.uint(8)), aborted: map[int64]int64{}}
	d.take(8) // last stable offset
	for range int32(d.uint(4)) {
		if d.short {
			break
		}
		producer, first := int64(d.uint(8)), int64(d.uint(8))
		if before, ok := r.aborted[producer]; !ok || first < before {
			r.aborted[producer] = first
		}
	}
	r.records = d.take(int(int32(d.uint(4))))
	if code != 0 {
		r.err = code
		return r, nil
	}
	if d.short {
		return nil, errShortFetch
	}
	return r, nil
}
