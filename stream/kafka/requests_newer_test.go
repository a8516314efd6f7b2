package kafka

import (
	"bytes"
	"context"
	"errors"
	"net"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// toldBy are brokers that answer every request of package kmsg with the same answer.
type toldBy struct {
	*kafka.Transport
	answer   kmsg.Response
	versions map[protocol.ApiKey]int16
	sent     bytes.Buffer
}

func (b *toldBy) RoundTrip(_ context.Context, _ net.Addr, r kafka.Request) (kafka.Response, error) {
	raw := r.(protocol.RawExchanger)
	if !raw.Required(b.versions) {
		return nil, errors.New("the library would write it")
	}
	b.sent.Reset()
	whole := answerTo(b.answer)
	talk := &conversation{answer: bytes.NewReader(sized(whole))}
	m, err := raw.RawExchange(talk)
	b.sent.Write(talk.sent.Bytes())
	return m, err
}

// Requests that kafka-go does not support go to brokers that do, ask for the right data, and their
// answers are understood.
func TestNewerRequests(t *testing.T) {
	ctx, tp := t.Context(), stream.TopicPartition{Topic: "events", Partition: 300}
	l := &link{cluster: Cluster{ClientID: "me", Brokers: []string{"b"}}}
	with := func(answer kmsg.Response) *toldBy {
		b := &toldBy{answer: answer, versions: map[protocol.ApiKey]int16{describeProducers: 0, describeTransactions: 0, protocol.OffsetFetch: 5, protocol.Metadata: 8}}
		l.transport = b
		return b
	}

	producers := kmsg.NewPtrDescribeProducersResponse()
	pt, pp := kmsg.NewDescribeProducersResponseTopic(), kmsg.NewDescribeProducersResponseTopicPartition()
	for id, begun := range []int64{-1, 12, 0} {
		active := kmsg.NewDescribeProducersResponseTopicPartitionActiveProducer()
		active.ProducerID, active.LastTimestamp, active.CurrentTxnStartOffset = int64(id), 4711+int64(id), begun
		pp.ActiveProducers = append(pp.ActiveProducers, active)
	}
	pt.Partitions = append(pt.Partitions, pp)
	producers.Topics = append(producers.Topics, pt)
	b := with(producers)
	want := map[int64]holder{1: {12, time.UnixMilli(4712)}, 2: {0, time.UnixMilli(4713)}}
	if open, err := l.holders(ctx, tp); err != nil || !reflect.DeepEqual(open, want) {
		t.Errorf("holders %v, %v", open, err)
	}
	asked := kmsg.NewPtrDescribeProducersRequest()
	if asBroker(t, b.sent.Bytes(), asked); asked.Topics[0].Topic != "events" || !slices.Equal(asked.Topics[0].Partitions, []int32{300}) {
		t.Errorf("the broker reads %+v", asked)
	}
	producers.Topics[0].Partitions[0].ErrorCode = int16(kafka.NotLeaderForPartition)
	if _, err := l.holders(ctx, tp); !errors.Is(err, kafka.NotLeaderForPartition) {
		t.Errorf("holders: %v", err)
	}

	transactions := kmsg.NewPtrDescribeTransactionsResponse()
	ts := kmsg.NewDescribeTransactionsResponseTransactionState()
	ts.State, ts.ProducerID = stateCommitted, 1<<33
	transactions.TransactionStates = append(transactions.TransactionStates, ts)
	b = with(transactions)
	p := newProducer(l, "id", 0)
	if state, by, err := p.describe(ctx); state != stateCommitted || by != 1<<33 || err != nil {
		t.Errorf("described: %s, %d, %v", state, by, err)
	}
	described := kmsg.NewPtrDescribeTransactionsRequest()
	if asBroker(t, b.sent.Bytes(), described); !slices.Equal(described.TransactionalIDs, []string{"id"}) {
		t.Errorf("the broker reads %+v", described)
	}
	transactions.TransactionStates[0].ErrorCode = int16(kafka.TransactionalIDNotFound)
	if _, _, err := p.describe(ctx); !errors.Is(err, kafka.TransactionalIDNotFound) {
		t.Errorf("described: %v", err)
	}
	transactions.TransactionStates = nil
	if _, _, err := p.describe(ctx); !errors.Is(err, errNoTransaction) {
		t.Errorf("no transaction: %v", err)
	}

	topics := kmsg.NewPtrMetadataResponse()
	mt, name := kmsg.NewMetadataResponseTopic(), "events"
	mt.Topic, mt.TopicID, mt.AuthorizedOperations = &name, [16]byte{1, 2, 15: 16}, 1<<opWrite
	partitions := make([]kmsg.MetadataResponseTopicPartition, 3)
	topics.Topics = append(topics.Topics, mt)
	for _, c := range []struct {
		code       kafka.Error
		partitions []kmsg.MetadataResponseTopicPartition
		want       shape
		err        error
	}{
		{0, partitions, shape{mt.TopicID, 3}, nil},
		{0, nil, shape{mt.TopicID, 0}, nil},
		{kafka.UnknownTopicOrPartition, nil, shape{}, nil},
		{kafka.UnknownTopicOrPartition, partitions, shape{}, nil},
		{kafka.LeaderNotAvailable, partitions, shape{mt.TopicID, 3}, nil}, // of some partition: temporary
		{kafka.LeaderNotAvailable, nil, shape{}, kafka.LeaderNotAvailable},
	} {
		topics.Topics[0].ErrorCode, topics.Topics[0].Partitions, topics.Version = int16(c.code), c.partitions, topicIDs
		b = with(topics)
		if got, err := l.shape(ctx, name); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("error %d, %d partitions: %+v, %v; want %+v", c.code, len(c.partitions), got, err, c.want)
		}
		now := kmsg.NewPtrMetadataRequest()
		now.Version = topicIDs
		if asBroker(t, b.sent.Bytes(), now); len(now.Topics) != 1 || *now.Topics[0].Topic != name || now.AllowAutoTopicCreation {
			t.Errorf("the broker reads %+v", now)
		}
		delete(b.versions, describeProducers) // an older broker has no ids
		topics.Version = topicOperations
		old := c.want
		old.id = [16]byte{}
		if got, err := l.shape(ctx, name); got != old || !errors.Is(err, c.err) {
			t.Errorf("of an older broker: %+v, %v; want %+v", got, err, old)
		}
		if allowed, err := l.operations(ctx, name); allowed != 1<<opWrite || coded(int16(c.code)) != err {
			t.Errorf("operations %b, %v", allowed, err)
		}
	}
	if _, err := l.shape(ctx, "others"); err == nil {
		t.Error("an answer about another topic has a shape")
	}
	for _, versions := range []map[protocol.ApiKey]int16{{}, {protocol.Metadata: 7}} { // before 2.3
		b.versions = versions
		b.sent.Reset()
		if _, err := l.operations(ctx, name); !errors.Is(err, kafka.UnsupportedVersion) || b.sent.Len() > 0 {
			t.Errorf("%v: an old broker was sent %d bytes: %v", versions, b.sent.Len(), err)
		}
	}
}

// An answer about committed offsets says which there are, and whether some may still change.
func TestCommittedOffsets(t *testing.T) {
	answer := func(group kafka.Error, codes ...kafka.Error) *kmsg.OffsetFetchResponse {
		r := kmsg.NewPtrOffsetFetchResponse()
		topic := kmsg.NewOffsetFetchResponseTopic()
		for i, code := range codes {
			p := kmsg.NewOffsetFetchResponseTopicPartition()
			p.Partition, p.Offset, p.ErrorCode = int32(i), 40+int64(i), int16(code)
			topic.Partitions = append(topic.Partitions, p)
		}
		r.Topics, r.ErrorCode = append(r.Topics, topic), int16(group)
		return r
	}
	for _, c := range []struct {
		answer   *kmsg.OffsetFetchResponse
		offsets  map[int]int64
		unstable bool
		err      error
	}{
		{answer(0, 0, 0), map[int]int64{0: 40, 1: 41}, false, nil},
		{answer(0, 0, kafka.UnstableOffsetCommit), map[int]int64{0: 40, 1: 41}, true, nil},
		{answer(0, kafka.UnknownTopicOrPartition), map[int]int64{0: 40}, false, kafka.UnknownTopicOrPartition},
		{answer(kafka.GroupIdNotFound), map[int]int64{}, false, nil},
		{answer(kafka.NotCoordinatorForGroup), map[int]int64{}, false, kafka.NotCoordinatorForGroup},
	} {
		got, err := positionsIn(c.answer)
		if !reflect.DeepEqual(got, &positions{c.offsets, c.unstable}) || !errors.Is(err, c.err) {
			t.Errorf("%+v, %v; want %v, unstable %v, %v", got, err, c.offsets, c.unstable, c.err)
		}
	}
}
