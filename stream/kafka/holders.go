package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"

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
	req := kmsg.NewPtrDescribeProducersRequest()
	req.Topics = []kmsg.DescribeProducersRequestTopic{{Topic: tp.Topic, Partitions: []int32{int32(tp.Partition)}}}
	r, err := ask[*kmsg.DescribeProducersResponse](ctx, l, toLeader{l.newer(req, describeProducers, 0), tp})
	if err != nil {
		return nil, err
	}
	return openIn(r)
}

// openIn returns the producers with open transactions in an answer.
func openIn(r *kmsg.DescribeProducersResponse) (open map[int64]holder, err error) {
	open = map[int64]holder{}
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			if failed := coded(p.ErrorCode); failed != nil {
				err = failed
			}
			for _, by := range p.ActiveProducers {
				if by.CurrentTxnStartOffset >= 0 {
					open[by.ProducerID] = holder{by.CurrentTxnStartOffset, time.UnixMilli(by.LastTimestamp)}
				}
			}
		}
	}
	return open, err
}

// describeProducers is the key of the request.
const describeProducers = protocol.ApiKey(61)

// undisclosed reports whether brokers do not name the producer: they are older than 2.8, or this
// client may write to the topic but not read it.
func undisclosed(err error) bool {
	return errors.Is(err, kafka.UnsupportedVersion) || errors.Is(err, kafka.TopicAuthorizationFailed)
}
