package kafka

import (
	"errors"
	"io"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
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
		a, err := converse(rw, kmsg.NewPtrApiVersionsRequest(), r.client, atMost(mostRecent)) // in version 0, which all support
		if err != nil {
			return false, err
		}
		if newest, err = newestIn(a.(*kmsg.ApiVersionsResponse), protocol.Fetch); err != nil {
			return false, err
		}
		r.versions.keep(r.broker, newest)
	}
	return newest >= fetchByID, nil
}

// newestIn returns the newest version of a request, 0 if the broker does not support it.
func newestIn(a *kmsg.ApiVersionsResponse, key protocol.ApiKey) (int16, error) {
	for _, k := range a.ApiKeys {
		if k.ApiKey == int16(key) {
			return k.MaxVersion, nil
		}
	}
	return 0, coded(a.ErrorCode)
}

// replaced reports whether a fetch failed because the broker does not have a topic with this id, or
// not yet.
func replaced(err error) bool {
	return errors.Is(err, kafka.UnknownTopicID) || errors.Is(err, kafka.InconsistentTopicID)
}
