package kafka

import (
	"io"
	"time"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// rawFetch is Fetch for one partition. Its answer keeps batches in encoded form, because kafka-go
// would decompress all of them at once. It writes itself to the connection, like newer, and selects
// its broker.
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
	if byID {
		r.version = fetchByID
	}
	a, err := converse(rw, r.request(), r.client, r.admit)
	if err != nil {
		return nil, err
	}
	return fetchedIn(a.(*kmsg.FetchResponse))
}

// request returns the request in r.version.
func (r *rawFetch) request() *kmsg.FetchRequest {
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = int32(r.tp.Partition), r.offset, int32(r.bytes)
	p.CurrentLeaderEpoch, p.LastFetchedEpoch, p.LogStartOffset = -1, -1, -1 // unknown; no follower
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID, t.Partitions = r.tp.Topic, r.id, append(t.Partitions, p)
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.Topics, req.Rack = r.version, append(req.Topics, t), r.rack
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = int32(r.wait.Milliseconds()), 1, int32(r.bytes)
	req.ReplicaID, req.IsolationLevel, req.SessionID, req.SessionEpoch = -1, readCommitted, 0, -1 // no replica, no session
	return req
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

// fetchedIn returns the answer about one partition.
func fetchedIn(a *kmsg.FetchResponse) (*rawFetched, error) {
	if a.ErrorCode != 0 {
		return &rawFetched{nearer: leader, err: coded(a.ErrorCode)}, nil
	}
	if len(a.Topics) == 0 || len(a.Topics[0].Partitions) == 0 {
		return nil, protocol.ErrNoPartition
	}
	p := a.Topics[0].Partitions[0]
	r := &rawFetched{records: p.RecordBatches, end: p.HighWatermark, stable: p.LastStableOffset, nearer: p.PreferredReadReplica, err: coded(p.ErrorCode)}
	for _, t := range p.AbortedTransactions {
		r.aborted = append(r.aborted, abortedTransaction{t.ProducerID, t.FirstOffset})
	}
	return r, nil
}
