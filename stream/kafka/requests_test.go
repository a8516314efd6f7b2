package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// conversation is a connection to a broker that answers one request.
type conversation struct {
	sent   bytes.Buffer
	answer io.Reader
	broken error // of writing
}

func (c *conversation) Write(b []byte) (int, error) {
	if c.broken != nil {
		return 0, c.broken
	}
	return c.sent.Write(b)
}

func (c *conversation) Read(b []byte) (int, error) { return c.answer.Read(b) }

// talkingConn is a connection that only records written bytes.
type talkingConn struct {
	net.Conn
	sent bytes.Buffer
}

func (c *talkingConn) Write(b []byte) (int, error) { return c.sent.Write(b) }

// sized prepends the length to an answer.
func sized(b []byte) []byte { return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...) }

// answerTo encodes an answer as a broker does, after its correlation id.
func answerTo(r kmsg.Response) []byte {
	b := make([]byte, 4)
	if r.IsFlexible() {
		b = append(b, 1, 7, 2, 'a', 'b') // a tagged field of a later version
	}
	return r.AppendTo(b)
}

// asBroker decodes a request with another implementation, and checks its header.
func asBroker(t *testing.T, sent []byte, into kmsg.Request) {
	t.Helper()
	be := binary.BigEndian
	if len(sent) < 14 || int(be.Uint32(sent)) != len(sent)-4 || int16(be.Uint16(sent[4:])) != into.Key() || int16(be.Uint16(sent[6:])) != into.GetVersion() {
		t.Fatalf("%T: its header is % x", into, sent[:min(14, len(sent))])
	}
	n := int(be.Uint16(sent[12:]))
	if client := string(sent[14 : 14+n]); client != "me" {
		t.Errorf("%T: client %q", into, client)
	}
	body := sent[14+n:]
	if into.IsFlexible() {
		body = body[1:] // no tagged fields
	}
	if err := into.ReadFrom(body); err != nil {
		t.Fatalf("%T: %v", into, err)
	}
	if again := into.AppendTo(nil); !bytes.Equal(again, body) {
		t.Errorf("%T: %d bytes, %d say the same", into, len(body), len(again))
	}
}

// Requests encoded by this package are decoded correctly by another implementation, and so are its
// answers by this package. The test covers all values in every version, with fields that later
// versions have added.
func TestFetchOnTheWire(t *testing.T) {
	for version := int16(oldestFetch); version <= newestFetch; version++ {
		r := &rawFetch{tp: stream.TopicPartition{Topic: "events", Partition: 3}, offset: 1 << 40, bytes: 70_000, wait: 250 * time.Millisecond,
			client: "me", rack: "here", follower: leader, admit: func(int64) error { return nil }}
		if !r.Required(map[protocol.ApiKey]int16{protocol.Fetch: version}) || r.version != version {
			t.Fatalf("version %d", r.version)
		}
		req := kmsg.NewPtrFetchRequest()
		req.Version = version
		resp := kmsg.NewPtrFetchResponse()
		resp.Version = version
		rt, rp := kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
		rt.Topic, rp.Partition, rp.HighWatermark, rp.LastStableOffset, rp.LogStartOffset = "events", 3, 100, 90, 5
		rp.RecordBatches = []byte("batches")
		for p := range int64(2) {
			a := kmsg.NewFetchResponseTopicPartitionAbortedTransaction()
			a.ProducerID, a.FirstOffset = 7+p, 33+p
			rp.AbortedTransactions = append(rp.AbortedTransactions, a)
		}
		rp.PreferredReadReplica = 2
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		c := &conversation{answer: bytes.NewReader(sized(answerTo(resp)))}
		m, err := r.RawExchange(c)
		if err != nil {
			t.Fatal(err)
		}
		asBroker(t, c.sent.Bytes(), req)
		part := req.Topics[0].Partitions[0]
		if req.ReplicaID != -1 || req.MaxWaitMillis != 250 || req.MinBytes != 1 || req.MaxBytes != 70_000 || req.IsolationLevel != 1 || len(req.Topics) != 1 ||
			req.Topics[0].Topic != "events" || part.Partition != 3 || part.FetchOffset != 1<<40 || part.PartitionMaxBytes != 70_000 {
			t.Errorf("version %d: %+v", version, req)
		}
		if rack := map[bool]string{true: "here"}[version >= 11]; req.Rack != rack || version >= 7 && (req.SessionID != 0 || req.SessionEpoch != -1) ||
			version >= 9 && part.CurrentLeaderEpoch != -1 || version >= 5 && part.LogStartOffset != -1 || len(req.ForgottenTopics) != 0 {
			t.Errorf("version %d: %+v", version, req)
		}
		nearer := leader
		if version >= 11 {
			nearer = 2
		}
		want := &rawFetched{records: []byte("batches"), end: 100, stable: 90, nearer: nearer, aborted: []abortedTransaction{{7, 33}, {8, 34}}}
		if !reflect.DeepEqual(m, want) {
			t.Errorf("version %d: %+v, want %+v", version, m, want)
		}
		whole := answerTo(resp)
		for n := range whole {
			if m, err := decodeRawFetched(whole[:n], version); err == nil {
				t.Errorf("version %d: an answer of %d bytes reads as %+v", version, n, m)
			}
		}
		resp.Topics[0].Partitions[0].ErrorCode = int16(kafka.NotLeaderForPartition)
		if m, err := decodeRawFetched(answerTo(resp), version); err != nil || !errors.Is(m.err, kafka.NotLeaderForPartition) || m.end != 100 {
			t.Errorf("version %d: an error of the partition is %+v, %v", version, m, err)
		}
		resp.Topics = nil
		if _, err := decodeRawFetched(answerTo(resp), version); !errors.Is(err, protocol.ErrNoPartition) {
			t.Errorf("version %d: an answer about nothing: %v", version, err)
		}
		if resp.ErrorCode = int16(kafka.FetchSessionIDNotFound); version >= 7 {
			if m, err := decodeRawFetched(answerTo(resp), version); err != nil || !errors.Is(m.err, kafka.FetchSessionIDNotFound) {
				t.Errorf("version %d: an error of the whole is %+v, %v", version, m, err)
			}
		}
		rp.RecordBatches, resp.ErrorCode = nil, 0 // null counts as none
		rt.Partitions = []kmsg.FetchResponseTopicPartition{rp}
		resp.Topics = []kmsg.FetchResponseTopic{rt}
		if m, err := decodeRawFetched(answerTo(resp), version); err != nil || len(m.records) != 0 || m.end != 100 {
			t.Errorf("version %d: without records %+v, %v", version, m, err)
		}
	}
	for version, want := range map[int16]int16{0: oldestFetch, 3: oldestFetch, 17: newestFetch} {
		r := &rawFetch{}
		if r.Required(map[protocol.ApiKey]int16{protocol.Fetch: version}); r.version != want {
			t.Errorf("of version %d it takes %d", version, r.version)
		}
	}
}

// An answer is read up to its length, if that is admitted. Errors are reported.
func TestExchange(t *testing.T) {
	c := &conversation{answer: bytes.NewReader(append(sized([]byte("four")), "more"...))}
	if got, err := exchange(c, []byte("ask"), 4); string(got) != "four" || err != nil || c.sent.String() != "ask" {
		t.Errorf("%q, %v; sent %q", got, err, &c.sent)
	}
	gone := errors.New("gone")
	for what, c := range map[string]struct {
		c    *conversation
		want error
	}{
		"writing":       {&conversation{broken: gone}, gone},
		"no answer":     {&conversation{answer: bytes.NewReader(nil)}, io.EOF},
		"half a length": {&conversation{answer: bytes.NewReader([]byte{0, 0})}, io.ErrUnexpectedEOF},
		"half":          {&conversation{answer: bytes.NewReader(sized([]byte("four"))[:6])}, io.ErrUnexpectedEOF},
	} {
		if got, err := exchange(c.c, []byte("ask"), 4); !errors.Is(err, c.want) || len(got) == 4 && what != "half" {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	if _, err := exchange(&conversation{answer: bytes.NewReader(sized([]byte("fives")))}, nil, 4); err == nil || err.Error() != "kafka: an answer of 5 bytes, more than 4" {
		t.Errorf("too much: %v", err)
	}
	r := &rawFetch{version: newestFetch, admit: func(n int64) error { return &crowdedError{n} }}
	var crowded *crowdedError
	if _, err := r.RawExchange(&conversation{answer: bytes.NewReader(sized(make([]byte, 9)))}); !errors.As(err, &crowded) || crowded.bytes != 9 {
		t.Errorf("not admitted: %v", err)
	}
	if _, err := (&rawFetch{version: newestFetch, admit: func(int64) error { return nil }}).RawExchange(&conversation{broken: gone}); !errors.Is(err, gone) {
		t.Errorf("a fetch: %v", err)
	}
}

// A fetch goes to the requested follower as long as there is one, otherwise to the leader.
func TestWhoIsAsked(t *testing.T) {
	cluster := protocol.Cluster{Brokers: map[int32]protocol.Broker{1: {ID: 1}, 2: {ID: 2}}, Topics: map[string]protocol.Topic{
		"t": {Name: "t", Partitions: map[int32]protocol.Partition{0: {ID: 0, Leader: 1}, 1: {ID: 1, Leader: 9}}}}}
	for _, c := range []struct {
		topic     string
		partition int
		follower  int32
		broker    int32
		rack      string
		err       error
	}{
		{"t", 0, leader, 1, "r", nil},
		{"t", 0, 2, 2, "r", nil},
		{"t", 0, 7, 1, "", nil}, // or the leader would name it again
		{"t", 1, leader, 0, "r", protocol.ErrNoLeader},
		{"t", 2, leader, 0, "r", protocol.ErrNoPartition},
		{"u", 0, leader, 0, "r", protocol.ErrNoTopic},
	} {
		r := &rawFetch{tp: stream.TopicPartition{Topic: c.topic, Partition: c.partition}, follower: c.follower, rack: "r"}
		b, err := r.Broker(cluster)
		if b.ID != c.broker || r.broker != c.broker || !errors.Is(err, c.err) || r.rack != c.rack { // versions are kept by r.broker
			t.Errorf("%s %d, follower %d: broker %d, rack %q, %v", c.topic, c.partition, c.follower, b.ID, r.rack, err)
		}
	}
}

// The same for requests in the flexible encoding.
func TestFlexibleOnTheWire(t *testing.T) {
	tag := func(tags *kmsg.Tags) { tags.Set(9, []byte("of a later version")) }
	text := func(s string) *string { return &s }

	offsets := kmsg.NewPtrOffsetFetchResponse()
	offsets.Version = offsetFetchVersion
	ot := kmsg.NewOffsetFetchResponseTopic()
	ot.Topic = "events"
	for p, offset := range []int64{42, -1, 1 << 40} {
		op := kmsg.NewOffsetFetchResponseTopicPartition()
		op.Partition, op.Offset, op.LeaderEpoch, op.Metadata = int32(p), offset, 5, text("by whom")
		tag(&op.UnknownTags)
		ot.Partitions = append(ot.Partitions, op)
	}
	tag(&ot.UnknownTags)
	tag(&offsets.UnknownTags)
	offsets.Topics = append(offsets.Topics, ot)
	fetchOffsets := kmsg.NewPtrOffsetFetchRequest()
	fetchOffsets.Version = offsetFetchVersion

	producers := kmsg.NewPtrDescribeProducersResponse()
	pt, pp := kmsg.NewDescribeProducersResponseTopic(), kmsg.NewDescribeProducersResponseTopicPartition()
	pt.Topic, pp.Partition, pp.ErrorMessage = "events", 3, text("none")
	for id, begun := range []int64{-1, 12, 0} {
		active := kmsg.NewDescribeProducersResponseTopicPartitionActiveProducer()
		active.ProducerID, active.ProducerEpoch, active.LastSequence, active.LastTimestamp, active.CoordinatorEpoch, active.CurrentTxnStartOffset = int64(id), 1, 2, 4711+int64(id), 3, begun
		tag(&active.UnknownTags)
		pp.ActiveProducers = append(pp.ActiveProducers, active)
	}
	tag(&pp.UnknownTags)
	pt.Partitions = append(pt.Partitions, pp)
	tag(&pt.UnknownTags)
	producers.Topics = append(producers.Topics, pt)
	tag(&producers.UnknownTags)

	transactions := kmsg.NewPtrDescribeTransactionsResponse()
	ts := kmsg.NewDescribeTransactionsResponseTransactionState()
	ts.TransactionalID, ts.State, ts.TimeoutMillis, ts.StartTimestamp, ts.ProducerID, ts.ProducerEpoch = "id", "CompleteCommit", 60000, 5, 1<<33, 2
	transactions.TransactionStates = append(transactions.TransactionStates, ts)

	topics := kmsg.NewPtrMetadataResponse()
	topics.Version = shapeVersion
	b := kmsg.NewMetadataResponseBroker()
	b.NodeID, b.Host, b.Port, b.Rack = 1, "host", 9092, text("rack")
	tag(&b.UnknownTags)
	topics.Brokers, topics.ClusterID = append(topics.Brokers, b), text("cluster")
	mt := kmsg.NewMetadataResponseTopic()
	mt.Topic, mt.TopicID = text("events"), [16]byte{1, 2, 15: 16}
	for p := range int32(3) {
		mp := kmsg.NewMetadataResponseTopicPartition()
		mp.Partition, mp.Replicas = p, []int32{1}
		mt.Partitions = append(mt.Partitions, mp)
	}
	topics.Topics = append(topics.Topics, mt)
	askTopics := kmsg.NewPtrMetadataRequest()
	askTopics.Version = shapeVersion

	for _, c := range []struct {
		name   string
		r      protocol.RawExchanger
		as     kmsg.Request
		check  func() bool
		answer kmsg.Response
		want   protocol.Message
		cut    int // this many of the answer's last bytes are not needed
	}{
		{"offsets", &offsetFetchRequest{client: "me", group: "g", topic: "events", partitions: []int{0, 1, 300}}, fetchOffsets, func() bool {
			return fetchOffsets.Group == "g" && fetchOffsets.RequireStable && len(fetchOffsets.Topics) == 1 && fetchOffsets.Topics[0].Topic == "events" && reflect.DeepEqual(fetchOffsets.Topics[0].Partitions, []int32{0, 1, 300})
		}, offsets, &offsetFetchResponse{offsets: map[int]int64{0: 42, 1: -1, 2: 1 << 40}}, 0},
		{"producers", &holdersRequest{recent{key: describeProducers, client: "me"}, stream.TopicPartition{Topic: "events", Partition: 300}}, kmsg.NewPtrDescribeProducersRequest(), nil,
			producers, &holdersResponse{open: map[int64]holder{1: {12, time.UnixMilli(4712)}, 2: {0, time.UnixMilli(4713)}}}, 0},
		{"transactions", &describeRequest{recent{key: describeTransactions, client: "me"}, "id"}, kmsg.NewPtrDescribeTransactionsRequest(), nil,
			transactions, &describeResponse{state: "CompleteCommit", producer: 1 << 33}, 5},
		{"topics", &shapeRequest{client: "me", topic: "events"}, askTopics, func() bool {
			return len(askTopics.Topics) == 1 && *askTopics.Topics[0].Topic == "events" && askTopics.Topics[0].TopicID == [16]byte{} && !askTopics.AllowAutoTopicCreation
		}, topics, &shapeResponse{shape: shape{id: [16]byte{1, 2, 15: 16}, partitions: 3}}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := map[protocol.ApiKey]int16{describeProducers: 0, describeTransactions: 0, protocol.OffsetFetch: 7, protocol.Metadata: 10}
			if !c.r.Required(known) {
				t.Fatal("the library would write it")
			}
			whole := answerTo(c.answer)
			talk := &conversation{answer: bytes.NewReader(sized(whole))}
			got, err := c.r.RawExchange(talk)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
			asBroker(t, talk.sent.Bytes(), c.as)
			if c.check != nil && !c.check() {
				t.Errorf("the broker reads %+v", c.as)
			}
			if c.cut < 0 { // partitions are not examined
				c.cut = len(whole) - bytes.Index(whole, mt.TopicID[:]) - len(mt.TopicID) - 2 - len(mt.Partitions)
			}
			for n := range len(whole) - c.cut {
				if m, err := c.r.RawExchange(&conversation{answer: bytes.NewReader(sized(whole[:n]))}); err == nil {
					t.Errorf("an answer of %d bytes of %d reads as %+v", n, len(whole), m)
				}
			}
			if _, err := c.r.RawExchange(&conversation{broken: io.ErrClosedPipe}); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("a connection that is closed: %v", err)
			}
			if _, old := c.r.(*offsetFetchRequest); old {
				return
			}
			// A broker that is too old is not asked.
			c.r.Required(map[protocol.ApiKey]int16{protocol.Fetch: 11, protocol.Metadata: 8})
			talk = &conversation{answer: bytes.NewReader(nil)}
			m, err := c.r.RawExchange(talk)
			if failed := reflect.ValueOf(m).Elem().FieldByName("err"); err != nil || talk.sent.Len() > 0 || failed.IsNil() {
				t.Errorf("an old broker was sent %d bytes: %+v, %v", talk.sent.Len(), m, err)
			}
		})
	}
	asked := kmsg.NewPtrDescribeProducersRequest()
	asBroker(t, (&holdersRequest{recent{client: "me"}, stream.TopicPartition{Topic: "events", Partition: 300}}).encode(), asked)
	if len(asked.Topics) != 1 || asked.Topics[0].Topic != "events" || !reflect.DeepEqual(asked.Topics[0].Partitions, []int32{300}) {
		t.Errorf("the broker reads %+v", asked)
	}
	described := kmsg.NewPtrDescribeTransactionsRequest()
	asBroker(t, (&describeRequest{recent{client: "me"}, "id"}).encode(), described)
	if !reflect.DeepEqual(described.TransactionalIDs, []string{"id"}) {
		t.Errorf("the broker reads %+v", described)
	}

	// Errors in answers.
	offsets.Topics[0].Partitions[1].ErrorCode = int16(kafka.UnstableOffsetCommit)
	if r, err := decodeOffsetFetch(answerOf(answerTo(offsets))); err != nil || !r.unstable || r.err != nil || r.offsets[2] != 1<<40 {
		t.Errorf("an offset that is not stable: %+v, %v", r, err)
	}
	offsets.Topics[0].Partitions[1].ErrorCode = int16(kafka.UnknownTopicOrPartition)
	if r, err := decodeOffsetFetch(answerOf(answerTo(offsets))); err != nil || r.unstable || !errors.Is(r.err, kafka.UnknownTopicOrPartition) {
		t.Errorf("a partition that is unknown: %+v, %v", r, err)
	}
	offsets.Topics = nil
	for code, want := range map[kafka.Error]error{kafka.GroupIdNotFound: nil, kafka.NotCoordinatorForGroup: kafka.NotCoordinatorForGroup} {
		offsets.ErrorCode = int16(code)
		r, err := decodeOffsetFetch(answerOf(answerTo(offsets)))
		if err != nil || r.unstable || !errors.Is(r.err, want) {
			t.Errorf("error %d of the group: %+v, %v", code, r, err)
		}
		if of := r.of([]int{0, 7}); !reflect.DeepEqual(of, map[int]int64{0: -1, 7: -1}) {
			t.Errorf("offsets that are not there are %v", of)
		}
	}
	producers.Topics[0].Partitions[0].ErrorCode = int16(kafka.NotLeaderForPartition)
	if r, err := decodeHolders(answerOf(answerTo(producers))); err != nil || !errors.Is(r.err, kafka.NotLeaderForPartition) {
		t.Errorf("producers: %+v, %v", r, err)
	}
	transactions.TransactionStates[0].ErrorCode = int16(kafka.TransactionalIDNotFound)
	if r, err := decodeDescribed(answerOf(answerTo(transactions))); err != nil || !errors.Is(r.err, kafka.TransactionalIDNotFound) {
		t.Errorf("transactions: %+v, %v", r, err)
	}
	if transactions.TransactionStates = nil; true {
		if r, err := decodeDescribed(answerOf(answerTo(transactions))); err == nil {
			t.Errorf("no transaction: %+v", r)
		}
	}
	for _, c := range []struct {
		code       kafka.Error
		partitions bool
		want       shapeResponse
	}{
		{kafka.UnknownTopicOrPartition, false, shapeResponse{}},
		{kafka.UnknownTopicOrPartition, true, shapeResponse{}},
		{kafka.LeaderNotAvailable, true, shapeResponse{shape: shape{mt.TopicID, 3}}}, // of some partition: temporary
		{kafka.LeaderNotAvailable, false, shapeResponse{shape: shape{mt.TopicID, 0}, err: kafka.LeaderNotAvailable}},
		{0, false, shapeResponse{shape: shape{mt.TopicID, 0}}},
	} {
		topics.Topics[0].ErrorCode, topics.Topics[0].Partitions = int16(c.code), nil
		if c.partitions {
			topics.Topics[0].Partitions = mt.Partitions
		}
		if r, err := decodeShape(answerOf(answerTo(topics))); err != nil || !reflect.DeepEqual(*r, c.want) {
			t.Errorf("error %d, partitions %v: %+v, %v; want %+v", c.code, c.partitions, r, err, c.want)
		}
	}
	topics.Topics = nil
	if r, err := decodeShape(answerOf(answerTo(topics))); !errors.Is(err, errShortShape) {
		t.Errorf("no topic: %+v, %v", r, err)
	}
}

// Fields that would end after their answer leave nothing to read.
func TestFlexibleFields(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		read  func(d *flexible) any
		want  any
		rest  int // -1: too short
	}{
		{[]byte{3, 1, 2, 9}, func(d *flexible) any { return d.length() }, 2, 3},
		{[]byte{4, 1, 2, 9}, func(d *flexible) any { return d.length() }, 3, 3},
		{[]byte{5, 1, 2, 9}, func(d *flexible) any { return d.length() }, 0, -1},
		{[]byte{0, 1}, func(d *flexible) any { return d.length() }, 0, 1}, // null
		{[]byte{1}, func(d *flexible) any { return d.length() }, 0, 0},
		{[]byte{0x80}, func(d *flexible) any { return d.varint() }, uint64(0), -1},
		{nil, func(d *flexible) any { return d.varint() }, uint64(0), -1},
		{[]byte{0xac, 2, 7}, func(d *flexible) any { return d.varint() }, uint64(300), 1},
		{bytes.Repeat([]byte{0xff}, 11), func(d *flexible) any { return d.varint() }, uint64(0), -1},
		{[]byte{1, 2, 3}, func(d *flexible) any { return d.uint(2) }, uint64(258), 1},
		{[]byte{1}, func(d *flexible) any { return d.uint(2) }, uint64(0), -1},
		{[]byte{1, 2}, func(d *flexible) any { return len(d.next(2)) }, 2, 0},
		{[]byte{1, 2}, func(d *flexible) any { return len(d.next(3)) }, 0, -1},
		{[]byte{1, 2}, func(d *flexible) any { return len(d.next(-1)) }, 0, -1},
		{[]byte{1, 2}, func(d *flexible) any { return len(d.next(0)) }, 0, 2},
		{[]byte{0, 7}, func(d *flexible) any { d.tags(); return nil }, nil, 1},
		{[]byte{2, 5, 1, 'a', 6, 0, 7}, func(d *flexible) any { d.tags(); return nil }, nil, 1},
		{[]byte{1, 5, 2, 'a'}, func(d *flexible) any { d.tags(); return nil }, nil, -1},
		{[]byte{1, 5, 1, 'a'}, func(d *flexible) any { d.tags(); return nil }, nil, 0},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, func(d *flexible) any { d.tags(); return nil }, nil, -1},
		{[]byte{0, 0}, func(d *flexible) any { return d.code() }, nil, 0},
		{[]byte{0, 3}, func(d *flexible) any { return d.code() }, kafka.UnknownTopicOrPartition, 0},
	} {
		d := &flexible{rest: c.bytes}
		got := c.read(d)
		if got != c.want || d.short != (c.rest < 0) || len(d.rest) != max(c.rest, 0) {
			t.Errorf("% x: %v, %d bytes left, short %v; want %v", c.bytes, got, len(d.rest), d.short, c.want)
		}
	}
}

// A topic counts as another one if it had an id both times and the ids differ.
func TestAnotherTopic(t *testing.T) {
	one, two, none := shape{[16]byte{1}, 1}, shape{[16]byte{2}, 1}, shape{partitions: 1}
	for _, c := range []struct {
		a, b shape
		want bool
	}{{one, two, true}, {one, one, false}, {one, none, false}, {none, one, false}, {none, none, false}, {one, shape{[16]byte{1}, 7}, false}} {
		if c.a.another(c.b) != c.want {
			t.Errorf("%v and %v: another %v", c.a, c.b, !c.want)
		}
	}
}

// The library's group connections create no topic. The last byte of their Metadata requests is
// changed, and nothing else.
func TestNoCreation(t *testing.T) {
	be := binary.BigEndian
	request := func(key protocol.ApiKey, version uint16) []byte {
		b := append(requestHeader(key, version, "me"), 0, 0, 0, 1, 0, 1, 't', 1)
		be.PutUint32(b, uint32(len(b)-4))
		return b
	}
	changed := func(b []byte) []byte { c := bytes.Clone(b); c[len(c)-1] = 0; return c }
	half := request(protocol.Metadata, 6)
	be.PutUint32(half, uint32(len(half)))
	for name, c := range map[string]struct{ b, want []byte }{
		"the first version": {request(protocol.Metadata, 4), changed(request(protocol.Metadata, 4))},
		"the last":          {request(protocol.Metadata, 7), changed(request(protocol.Metadata, 7))},
		"an older":          {request(protocol.Metadata, 3), request(protocol.Metadata, 3)},
		"a later":           {request(protocol.Metadata, 8), request(protocol.Metadata, 8)},
		"another request":   {request(protocol.Fetch, 6), request(protocol.Fetch, 6)},
		"half a request":    {half, half},
		"few bytes":         {[]byte{0, 0, 0, 4, 0, 3, 0, 6}, []byte{0, 0, 0, 4, 0, 3, 0, 6}},
		"the fewest":        {[]byte{0, 0, 0, 5, 0, 3, 0, 6, 1}, []byte{0, 0, 0, 5, 0, 3, 0, 6, 0}},
	} {
		before := bytes.Clone(c.b)
		talk := &talkingConn{}
		if n, err := (noCreation{Conn: talk}).Write(c.b); n != len(c.b) || err != nil || !bytes.Equal(talk.sent.Bytes(), c.want) || !bytes.Equal(c.b, before) {
			t.Errorf("%s: % x, want % x (%v)", name, talk.sent.Bytes(), c.want, err)
		}
	}
}

// A broker before 2.3 is not asked for permissions.
func TestPermissionsOfOldBrokers(t *testing.T) {
	for version, want := range map[int16]bool{7: true, 8: false, 12: false} {
		r := &aclRequest{Request: metadata.Request{TopicNames: []string{"t"}}}
		if !r.Required(map[protocol.ApiKey]int16{protocol.Metadata: version}) || r.unsupported != want {
			t.Errorf("version %d: not supported %v", version, r.unsupported)
		}
		talk := &conversation{answer: bytes.NewReader(nil)}
		if _, err := r.RawExchange(talk); errors.Is(err, kafka.UnsupportedVersion) != want || (talk.sent.Len() == 0) != want {
			t.Errorf("version %d: %v", version, err)
		}
	}
	for versions, want := range map[bool]error{true: io.EOF, false: kafka.UnsupportedVersion} {
		r, known := &sessionRequest{}, map[protocol.ApiKey]int16{}
		if versions {
			known[protocol.InitProducerId] = 1
		}
		r.Required(known)
		if _, err := r.RawExchange(&conversation{answer: bytes.NewReader(nil)}); !errors.Is(err, want) && !(versions && errors.Is(err, io.ErrUnexpectedEOF)) {
			t.Errorf("a producer's id, known %v: %v", versions, err)
		}
	}
}
