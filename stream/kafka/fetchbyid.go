package kafka

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// A topic that is deleted and created again keeps its name. With the name, a reader would get
// messages of the new topic from its old offset, as soon as the new topic is long enough, and would
// read them again when it notices. So topics are fetched by id if brokers support that, since
// version 3.1.

// fetchVersions caches the newest version of Fetch of each broker. kafka-go does not keep versions
// beyond those that it supports. It is safe for concurrent use.
type fetchVersions struct {
	mu     sync.Mutex
	newest map[int32]int16
}

func (v *fetchVersions) of(broker int32) (newest int16, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	newest, known = v.newest[broker]
	return newest, known
}

func (v *fetchVersions) keep(broker int32, newest int16) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.newest == nil {
		v.newest = map[int32]int16{}
	}
	v.newest[broker] = newest
}

// forget clears the cache after a failure, because a broker may have been replaced.
func (v *fetchVersions) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.newest)
}

// byID reports whether the request names the topic by its id. It asks each broker once.
func (r *rawFetch) byID(rw io.ReadWriter) (bool, error) {
	if r.id == [16]byte{} || r.versions == nil {
		return false, nil
	}
	newest, known := r.versions.of(r.broker)
	if !known {
		answer, err := exchange(rw, encodeVersions(r.client), mostRecent)
		if err != nil {
			return false, err
		}
		if newest, err = decodeVersions(answer, protocol.Fetch); err != nil {
			return false, err
		}
		r.versions.keep(r.broker, newest)
	}
	return newest >= fetchByID, nil
}

// encodeVersions encodes a request for a broker's versions, in the version that all brokers
// support.
func encodeVersions(client string) []byte {
	return sealed(requestHeader(protocol.ApiVersions, 0, client))
}

var errShortVersions = errors.New("kafka: truncated answer about versions")

// decodeVersions returns the newest version of a request, 0 if the broker does not support it.
func decodeVersions(answer []byte, key protocol.ApiKey) (newest int16, err error) {
	d := &flexible{rest: answer}
	d.next(4) // correlation id
	if err := d.code(); err != nil {
		return 0, err
	}
	for range int32(d.uint(4)) {
		if d.short {
			break
		}
		k := protocol.ApiKey(int16(d.uint(2)))
		d.next(2) // the oldest
		if v := int16(d.uint(2)); k == key {
			newest = v
		}
	}
	if d.short {
		return 0, errShortVersions
	}
	return newest, nil
}

// encodeByID encodes the request in version 13.
func (r *rawFetch) encodeByID() []byte {
	be := binary.BigEndian
	b := flexibleRequest(protocol.Fetch, fetchByID, r.client)
	b = be.AppendUint32(b, ^uint32(0)) // not a replica
	b = be.AppendUint32(b, uint32(r.wait.Milliseconds()))
	b = be.AppendUint32(b, 1)
	b = be.AppendUint32(b, uint32(r.bytes))
	b = append(b, readCommitted)
	b = be.AppendUint32(b, 0) // no session
	b = be.AppendUint32(b, ^uint32(0))
	b = append(append(b, 2), r.id[:]...) // one topic
	b = append(b, 2)                     // one partition
	b = be.AppendUint32(b, uint32(r.tp.Partition))
	b = be.AppendUint32(b, ^uint32(0)) // the leader's epoch is unknown
	b = be.AppendUint64(b, uint64(r.offset))
	b = be.AppendUint32(b, ^uint32(0)) // the epoch of the last record is unknown
	b = be.AppendUint64(b, ^uint64(0)) // a follower's log start
	b = be.AppendUint32(b, uint32(r.bytes))
	b = append(b, 0, 0) // no tagged fields of partition and topic
	b = append(b, 1)    // no forgotten topics of a session
	return sealed(append(appendText(b, r.rack), 0))
}

// decodeFetchedByID decodes an answer in version 13 about one partition, without its length.
func decodeFetchedByID(answer []byte) (*rawFetched, error) {
	d := answerOf(answer)
	r := &rawFetched{nearer: leader}
	if r.err = d.code(); r.err != nil {
		return r, nil
	}
	d.next(4) // session
	if d.length() == 0 && !d.short {
		return nil, protocol.ErrNoPartition
	}
	d.next(len(rawFetch{}.id))
	d.length() // partitions
	d.next(4)  // partition
	r.err = d.code()
	r.end = int64(d.uint(8))
	r.stable = int64(d.uint(8))
	d.next(8) // log start
	for range d.length() {
		r.aborted = append(r.aborted, abortedTransaction{int64(d.uint(8)), int64(d.uint(8))})
		d.tags()
	}
	r.nearer = int32(d.uint(4))
	r.records = d.next(d.length())
	if d.short && r.err == nil {
		return nil, errShortFetch
	}
	return r, nil
}

// replaced reports whether a fetch failed because the broker does not have a topic with this id, or
// not yet.
func replaced(err error) bool {
	return errors.Is(err, kafka.UnknownTopicID) || errors.Is(err, kafka.InconsistentTopicID)
}
