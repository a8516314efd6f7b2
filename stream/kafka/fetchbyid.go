package kafka

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// A topic that is deleted and created again under a reader keeps its name. By its name the reader
// would get messages of the new topic from the offset that it had reached in the old one, as soon
// as the new one is as long, and would read them again from the beginning when it notices. So topics
// are fetched by their ids where brokers know that: since version 3.1.

// fetchVersions keeps the newest version of Fetch that each broker knows: the library keeps none
// beyond those that it knows itself. Several goroutines may use it.
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

// forget is called after a failure: the broker may be another program by then.
func (v *fetchVersions) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.newest)
}

// byID reports whether the topic is to be named by its id. It asks the broker once.
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

// encodeVersions asks a broker what it knows, in the version that each of them does.
func encodeVersions(client string) []byte {
	return sealed(requestHeader(protocol.ApiVersions, 0, client))
}

var errShortVersions = errors.New("kafka: an answer about versions that ends too early")

// decodeVersions returns the newest version of a request; 0 if the broker does not know it.
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

// encodeByID writes the request in version 13.
func (r *rawFetch) encodeByID() []byte {
	be := binary.BigEndian
	b := flexibleRequest(protocol.Fetch, fetchByID, r.client)
	b = be.AppendUint32(b, ^uint32(0)) // no replica
	b = be.AppendUint32(b, uint32(r.wait.Milliseconds()))
	b = be.AppendUint32(b, 1)
	b = be.AppendUint32(b, uint32(r.bytes))
	b = append(b, readCommitted)
	b = be.AppendUint32(b, 0) // no session
	b = be.AppendUint32(b, ^uint32(0))
	b = append(append(b, 2), r.id[:]...) // one topic
	b = append(b, 2)                     // one partition
	b = be.AppendUint32(b, uint32(r.tp.Partition))
	b = be.AppendUint32(b, ^uint32(0)) // the leader's epoch is not known
	b = be.AppendUint64(b, uint64(r.offset))
	b = be.AppendUint32(b, ^uint32(0)) // nor that of the last record
	b = be.AppendUint64(b, ^uint64(0)) // a follower's log start
	b = be.AppendUint32(b, uint32(r.bytes))
	b = append(b, 0, 0) // no tagged fields of the partition, none of the topic
	b = append(b, 1)    // nothing of a session to forget
	return sealed(append(appendText(b, r.rack), 0))
}

// decodeFetchedByID reads an answer in version 13, about one partition, without its length.
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

// replaced reports whether a fetch failed because the broker has no topic of this id any more, or
// not yet.
func replaced(err error) bool {
	return errors.Is(err, kafka.UnknownTopicID) || errors.Is(err, kafka.InconsistentTopicID)
}
