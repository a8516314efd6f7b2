package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/stream"
)

// holder is a producer with an open transaction in a partition. begun is the offset of its first
// record, wrote the time of its last write there.
type holder struct {
	begun int64
	wrote time.Time
}

// holders asks the leader of a partition for the producers with open transactions, by id.
func (l *link) holders(ctx context.Context, tp stream.TopicPartition) (map[int64]holder, error) {
	r, err := l.transport.RoundTrip(ctx, l.addr, &holdersRequest{recent{key: describeProducers, client: l.cluster.ClientID}, tp})
	if err != nil {
		return nil, err
	}
	h := r.(*holdersResponse)
	return h.open, h.err
}

// undisclosed reports whether brokers do not name the producer: they are older than 2.8, or this
// client may write to the topic but not read it.
func undisclosed(err error) bool {
	return errors.Is(err, kafka.UnsupportedVersion) || errors.Is(err, kafka.TopicAuthorizationFailed)
}

// holdersRequest is DescribeProducers in version 0 for one partition. kafka-go does not support it.
type holdersRequest struct {
	recent
	tp stream.TopicPartition
}

// describeProducers is the key of the request.
const describeProducers = protocol.ApiKey(61)

// Broker implements protocol.BrokerMessage. It returns the partition's leader.
func (r *holdersRequest) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	return (&rawFetch{tp: r.tp, follower: leader}).Broker(cluster)
}

// RawExchange implements protocol.RawExchanger.
func (r *holdersRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	return converse(&r.recent, rw, r.encode(), &holdersResponse{err: kafka.UnsupportedVersion}, decodeHolders)
}

func (r *holdersRequest) encode() []byte {
	b := binary.AppendUvarint(flexibleRequest(describeProducers, 0, r.client), 2) // one topic
	b = appendText(b, r.tp.Topic)
	b = binary.AppendUvarint(b, 2) // one partition
	b = binary.BigEndian.AppendUint32(b, uint32(r.tp.Partition))
	return sealed(append(b, 0, 0)) // no tagged fields of topic and request
}

// holdersResponse is the answer to a holdersRequest.
type holdersResponse struct {
	open map[int64]holder
	err  error
}

// ApiKey implements protocol.Message.
func (r *holdersResponse) ApiKey() protocol.ApiKey { return describeProducers }

var errShortHolders = errors.New("kafka: truncated answer about producers")

// decodeHolders decodes an answer about one partition.
func decodeHolders(d *flexible) (*holdersResponse, error) {
	r := &holdersResponse{open: map[int64]holder{}}
	for range d.length() {
		d.next(d.length()) // topic
		for range d.length() {
			d.next(4) // partition
			if err := d.code(); err != nil {
				r.err = err
			}
			d.next(d.length()) // the error's text
			for range d.length() {
				id := int64(d.uint(8))
				d.next(4 + 4) // epoch and last sequence
				wrote := int64(d.uint(8))
				d.next(4) // the coordinator's epoch
				if begun := int64(d.uint(8)); begun >= 0 {
					r.open[id] = holder{begun, time.UnixMilli(wrote)}
				}
				d.tags()
			}
			d.tags()
		}
		d.tags()
	}
	d.tags()
	if d.short {
		return nil, errShortHolders
	}
	return r, nil
}
