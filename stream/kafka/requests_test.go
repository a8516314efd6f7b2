package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
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

// decodeFetched decodes an answer to a fetch.
func decodeFetched(answer []byte, version int16) (*rawFetched, error) {
	r := kmsg.NewPtrFetchResponse()
	r.Version = version
	if err := decodeAnswer(r, answer); err != nil {
		return nil, err
	}
	return fetchedIn(r)
}

// asBroker decodes a request as a broker does, and checks its header.
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

// A fetch asks for the right data in every version. Its answer is decoded completely, and refused
// if it is cut short.
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
			if m, err := decodeFetched(whole[:n], version); err == nil {
				t.Errorf("version %d: an answer of %d bytes reads as %+v", version, n, m)
			}
		}
		resp.Topics[0].Partitions[0].ErrorCode = int16(kafka.NotLeaderForPartition)
		if m, err := decodeFetched(answerTo(resp), version); err != nil || !errors.Is(m.err, kafka.NotLeaderForPartition) || m.end != 100 {
			t.Errorf("version %d: an error of the partition is %+v, %v", version, m, err)
		}
		resp.Topics = nil
		if _, err := decodeFetched(answerTo(resp), version); !errors.Is(err, protocol.ErrNoPartition) {
			t.Errorf("version %d: an answer about nothing: %v", version, err)
		}
		if resp.ErrorCode = int16(kafka.FetchSessionIDNotFound); version >= 7 {
			if m, err := decodeFetched(answerTo(resp), version); err != nil || !errors.Is(m.err, kafka.FetchSessionIDNotFound) {
				t.Errorf("version %d: an error of the whole is %+v, %v", version, m, err)
			}
		}
		rp.RecordBatches, resp.ErrorCode = nil, 0 // null counts as none
		rt.Partitions = []kmsg.FetchResponseTopicPartition{rp}
		resp.Topics = []kmsg.FetchResponseTopic{rt}
		if m, err := decodeFetched(answerTo(resp), version); err != nil || len(m.records) != 0 || m.end != 100 {
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
func TestConverse(t *testing.T) {
	versions := kmsg.NewPtrApiVersionsResponse()
	versions.ApiKeys = []kmsg.ApiVersionsResponseApiKey{{ApiKey: 0, MaxVersion: 12}, {ApiKey: int16(protocol.Fetch), MinVersion: 4, MaxVersion: 18}}
	whole := sized(answerTo(versions))
	ask := func(c *conversation, most int64) (int16, error) {
		a, err := converse(c, kmsg.NewPtrApiVersionsRequest(), "me", atMost(most))
		if err != nil {
			return 0, err
		}
		return newestIn(a.(*kmsg.ApiVersionsResponse), protocol.Fetch)
	}
	most := int64(len(whole) - 4)
	if v, err := ask(&conversation{answer: bytes.NewReader(append(bytes.Clone(whole), "more"...))}, most); v != 18 || err != nil {
		t.Errorf("version %d, %v", v, err)
	}
	if v, err := newestIn(versions, protocol.Metadata); v != 0 || err != nil {
		t.Errorf("of a request that is not known: version %d, %v", v, err)
	}
	for n := range whole {
		if v, err := ask(&conversation{answer: bytes.NewReader(whole[:n])}, most); err == nil {
			t.Errorf("version %d of %d bytes", v, n)
		}
	}
	for n := range whole[4:] {
		if err := decodeAnswer(kmsg.NewPtrApiVersionsResponse(), whole[4:4+n]); err == nil {
			t.Errorf("%d bytes are an answer", n)
		}
	}
	if _, err := ask(&conversation{answer: bytes.NewReader(whole)}, most-1); err == nil || err.Error() != fmt.Sprintf("kafka: an answer of %d bytes, more than %d", most, most-1) {
		t.Errorf("too much: %v", err)
	}
	gone := errors.New("gone")
	if _, err := ask(&conversation{broken: gone}, most); !errors.Is(err, gone) {
		t.Errorf("writing: %v", err)
	}
	for _, tags := range [][]byte{{1, 5, 2, 'a'}, {0xff, 0xff, 0xff, 0xff, 0x0f}, bytes.Repeat([]byte{0xff}, 11)} {
		if err := decodeAnswer(kmsg.NewPtrDescribeProducersResponse(), append(make([]byte, 4), tags...)); err == nil {
			t.Errorf("tagged fields % x are an answer", tags)
		}
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
		b := be.AppendUint16(be.AppendUint16(make([]byte, 4), uint16(key)), version)
		b = append(b, 0, 0, 0, 0, 0, 2, 'm', 'e', 0, 0, 0, 1, 0, 1, 't', 1)
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

// A Sink's producer gets its id from any broker. One before 0.11 has none, and is not asked.
func TestSession(t *testing.T) {
	answer := kmsg.NewPtrInitProducerIDResponse()
	answer.ProducerID, answer.ProducerEpoch = 1<<33, 7
	b := &toldBy{answer: answer, versions: map[protocol.ApiKey]int16{protocol.InitProducerId: 1}}
	s := &Sink{link: &link{cluster: Cluster{ClientID: "me"}, transport: b}}
	if got, err := s.session(t.Context()); err != nil || got != (kafka.ProducerSession{ProducerID: 1 << 33, ProducerEpoch: 7}) {
		t.Errorf("session %+v, %v", got, err)
	}
	asked := kmsg.NewPtrInitProducerIDRequest()
	if asBroker(t, b.sent.Bytes(), asked); asked.TransactionalID != nil {
		t.Errorf("the broker reads %+v", asked)
	}
	b.versions = nil
	b.sent.Reset()
	if got, err := s.session(t.Context()); err != nil || got.ProducerID != -1 || b.sent.Len() > 0 {
		t.Errorf("of an old broker: %+v, %v; it was sent %d bytes", got, err, b.sent.Len())
	}
}
