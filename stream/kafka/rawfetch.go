package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/stream"
)

// rawFetch is Fetch for one partition. Its answer keeps batches in encoded form, because kafka-go
// would decompress all of them at once. It writes itself to the connection, as kafka-go allows, and
// selects its broker.
type rawFetch struct {
	tp     stream.TopicPartition
	offset int64
	// bytes bounds the answer after its first batch, which is always complete.
	bytes int
	wait  time.Duration
	// admit is called before memory for an answer of n bytes is allocated.
	admit func(n int64) error
	// client and rack identify the reader. follower is the broker to ask instead of the leader, or
	// leader.
	client, rack string
	follower     int32
	// version is the newest version that both sides support.
	version int16
	// id, if not zero, names the topic if the broker supports that. A topic that was created again
	// has the same name, but its offsets refer to other messages. versions are the brokers'
	// versions.
	id       [16]byte
	versions *fetchVersions
	// broker is the broker that is asked.
	broker int32
}

// Fetch supports read-committed from version 4 on, and zstd from 10. 11 is the last version with
// topic names that kafka-go negotiates. From 13 on, topics are named by id.
const (
	oldestFetch = 4
	newestFetch = 11
	fetchByID   = 13
	// readCommitted makes the broker stop before open transactions and list aborted ones.
	readCommitted = 1
)

// ApiKey implements protocol.Message.
func (r *rawFetch) ApiKey() protocol.ApiKey { return protocol.Fetch }

// Broker implements protocol.BrokerMessage. It returns the wanted follower if the cluster has it,
// else the partition's leader.
func (r *rawFetch) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	topic, ok := cluster.Topics[r.tp.Topic]
	if !ok {
		return protocol.Broker{}, protocol.NewErrNoTopic(r.tp.Topic)
	}
	partition, ok := topic.Partitions[int32(r.tp.Partition)]
	if !ok {
		return protocol.Broker{}, protocol.NewErrNoPartition(r.tp.Topic, int32(r.tp.Partition))
	}
	if r.follower != leader {
		if broker, ok := cluster.Brokers[r.follower]; ok {
			r.broker = broker.ID
			return broker, nil
		}
		r.rack = "" // otherwise the leader would name it again
	}
	broker, ok := cluster.Brokers[partition.Leader]
	if !ok {
		return protocol.Broker{}, protocol.NewErrNoLeader(r.tp.Topic, int32(r.tp.Partition))
	}
	r.broker = broker.ID
	return broker, nil
}

// Required implements protocol.RawExchanger.
func (r *rawFetch) Required(versions map[protocol.ApiKey]int16) bool {
	r.version = min(max(versions[protocol.Fetch], oldestFetch), newestFetch)
	return true
}

// RawExchange implements protocol.RawExchanger.
func (r *rawFetch) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	byID, err := r.byID(rw)
	if err != nil {
		return nil, err
	}
	request, decode := r.encode(), func(answer []byte) (*rawFetched, error) { return decodeRawFetched(answer, r.version) }
	if byID {
		request, decode = r.encodeByID(), decodeFetchedByID
	}
	answer, err := exchangeAdmitted(rw, request, r.admit)
	if err != nil {
		return nil, err
	}
	return decode(answer)
}

// exchange writes a request, which begins with its length, and reads an answer of at most most
// bytes.
func exchange(rw io.ReadWriter, request []byte, most int64) ([]byte, error) {
	return exchangeAdmitted(rw, request, func(n int64) error {
		if n > most {
			return fmt.Errorf("kafka: an answer of %d bytes, more than %d", n, most)
		}
		return nil
	})
}

// exchangeAdmitted is exchange with a function that accepts or rejects the answer's length.
func exchangeAdmitted(rw io.ReadWriter, request []byte, admit func(n int64) error) ([]byte, error) {
	if _, err := rw.Write(request); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(rw, size[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if err := admit(n); err != nil {
		return nil, err
	}
	answer := make([]byte, n)
	_, err := io.ReadFull(rw, answer)
	return answer, err
}

func (r *rawFetch) encode() []byte {
	be := binary.BigEndian
	b := requestHeader(protocol.Fetch, uint16(r.version), r.client)
	b = be.AppendUint32(b, ^uint32(0)) // not a replica
	b = be.AppendUint32(b, uint32(r.wait.Milliseconds()))
	b = be.AppendUint32(b, 1)
	b = be.AppendUint32(b, uint32(r.bytes))
	b = append(b, readCommitted)
	if r.version >= 7 {
		b = be.AppendUint32(b, 0) // no session
		b = be.AppendUint32(b, ^uint32(0))
	}
	b = be.AppendUint32(b, 1)
	b = append(be.AppendUint16(b, uint16(len(r.tp.Topic))), r.tp.Topic...)
	b = be.AppendUint32(b, 1)
	b = be.AppendUint32(b, uint32(r.tp.Partition))
	if r.version >= 9 {
		b = be.AppendUint32(b, ^uint32(0)) // the leader's epoch is unknown
	}
	b = be.AppendUint64(b, uint64(r.offset))
	if r.version >= 5 {
		b = be.AppendUint64(b, ^uint64(0)) // a follower's log start
	}
	b = be.AppendUint32(b, uint32(r.bytes))
	if r.version >= 7 {
		b = be.AppendUint32(b, 0) // no forgotten topics of a session
	}
	if r.version >= 11 {
		b = append(be.AppendUint16(b, uint16(len(r.rack))), r.rack...)
	}
	be.PutUint32(b, uint32(len(b)-4))
	return b
}

// requestHeader begins a request. The length must be set later.
func requestHeader(key protocol.ApiKey, version uint16, client string) []byte {
	be := binary.BigEndian
	b := make([]byte, 4)
	b = be.AppendUint16(b, uint16(key))
	b = be.AppendUint16(b, version)
	b = be.AppendUint32(b, 0) // correlation id
	return append(be.AppendUint16(b, uint16(len(client))), client...)
}

// rawFetched is the answer to a rawFetch.
type rawFetched struct {
	records []byte
	// end is the partition's high watermark.
	end int64
	// stable is the offset of the first record of the first open transaction, or end.
	stable int64
	// nearer is the broker to ask instead of the leader, or leader.
	nearer int32
	// aborted are the aborted transactions in the records.
	aborted []abortedTransaction
	err     error
}

// abortedTransaction is an aborted transaction of a producer that begins at an offset.
type abortedTransaction struct{ producer, first int64 }

// ApiKey implements protocol.Message.
func (r *rawFetched) ApiKey() protocol.ApiKey { return protocol.Fetch }

var errShortFetch = errors.New("kafka: truncated answer to a fetch")

// decodeRawFetched decodes an answer about one partition, without its length.
func decodeRawFetched(answer []byte, version int16) (*rawFetched, error) {
	d := &flexible{rest: answer}
	d.next(4 + 4) // correlation id, throttle time
	r := &rawFetched{nearer: leader}
	if version >= 7 {
		if code := kafka.Error(int16(d.uint(2))); code != 0 {
			r.err = code
			return r, nil
		}
		d.next(4) // session
	}
	if d.uint(4) == 0 && !d.short { // topics
		return nil, protocol.ErrNoPartition
	}
	d.next(int(d.uint(2))) // topic
	d.next(4 + 4)          // partitions, partition
	code := kafka.Error(int16(d.uint(2)))
	r.end = int64(d.uint(8))
	r.stable = int64(d.uint(8))
	if version >= 5 {
		d.next(8) // log start
	}
	for range int32(d.uint(4)) {
		if d.short {
			break
		}
		r.aborted = append(r.aborted, abortedTransaction{int64(d.uint(8)), int64(d.uint(8))})
	}
	if version >= 11 {
		r.nearer = int32(d.uint(4))
	}
	r.records = d.next(max(0, int(int32(d.uint(4)))))
	if code != 0 {
		r.err = code
		return r, nil
	}
	if d.short {
		return nil, errShortFetch
	}
	return r, nil
}
