package kafka

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// answering returns a connection with checked answers to a peer that answers each request by f, which
// gets the correlation id.
func answering(t testing.TB, f func(id uint32) []byte) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		for {
			head := make([]byte, requestHead)
			if _, err := io.ReadFull(theirs, head); err != nil {
				return
			}
			if _, err := io.CopyN(io.Discard, theirs, int64(binary.BigEndian.Uint32(head))+4-requestHead); err != nil {
				return
			}
			if _, err := theirs.Write(f(binary.BigEndian.Uint32(head[8:]))); err != nil {
				return
			}
		}
	}()
	c := &checkedAnswers{Conn: ours}
	t.Cleanup(func() { c.Close() })
	return c
}

// framed returns an answer with its length and correlation id.
func framed(id uint32, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))
	return append(binary.BigEndian.AppendUint32(b, id), body...)
}

// goodMetadata returns the body of an answer with two brokers and one partition.
func goodMetadata(version int16) []byte {
	m := kmsg.NewPtrMetadataResponse()
	m.Version = version
	for i := range int32(2) {
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = i, "host", 9092
		m.Brokers = append(m.Brokers, b)
	}
	name := "events"
	topic, part := kmsg.NewMetadataResponseTopic(), kmsg.NewMetadataResponseTopicPartition()
	topic.Topic, topic.Partitions = &name, append(topic.Partitions, part)
	m.Topics = append(m.Topics, topic)
	return m.AppendTo(nil)
}

// Answers that claim lists of thousands of millions of elements, negative lengths or other requests
// are errors, before kafka-go allocates anything for them. Good ones are passed on.
func TestAnswersAreChecked(t *testing.T) {
	const version = 6
	good := goodMetadata(version)
	with := func(at int, n uint32) []byte {
		b := append([]byte{}, good...)
		binary.BigEndian.PutUint32(b[at:], n)
		return b
	}
	for name, c := range map[string]struct {
		answer func(id uint32) []byte
		ok     bool
	}{
		"good":                    {func(id uint32) []byte { return framed(id, good) }, true},
		"many brokers":            {func(id uint32) []byte { return framed(id, with(4, 0x7fffffff)) }, false},
		"half":                    {func(id uint32) []byte { return framed(id, good[:len(good)/2]) }, false},
		"another request":         {func(id uint32) []byte { return framed(id+7, good) }, false},
		"two gigabytes":           {func(id uint32) []byte { return binary.BigEndian.AppendUint32([]byte{0x7f, 0xff, 0xff, 0xff}, id) }, false},
		"a negative length":       {func(id uint32) []byte { return binary.BigEndian.AppendUint32([]byte{0, 0, 0, 2}, id) }, false},
		"an answer in plain text": {func(uint32) []byte { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n") }, false},
	} {
		conn := answering(t, c.answer)
		for range 2 { // one after the other
			r, err := protocol.RoundTrip(conn, version, 3, "test", &metadata.Request{TopicNames: []string{"events"}})
			if (err == nil) != c.ok || err != nil && !errors.Is(err, errAnswer) {
				t.Errorf("%s: %v", name, err)
				break
			}
			if err == nil && len(r.(*metadata.Response).Brokers) != 2 {
				t.Errorf("%s: %+v", name, r)
			}
			if !c.ok {
				break
			}
		}
		conn.Close()
	}
}

// A leader that is not among the members of its group would assign nothing to itself.
func TestLeaderIsAMember(t *testing.T) {
	join := func(leader string, code int16, members ...string) []byte {
		r := kmsg.NewPtrJoinGroupResponse()
		r.Version, r.ErrorCode, r.LeaderID, r.MemberID = 1, code, leader, "me"
		for _, id := range members {
			m := kmsg.NewJoinGroupResponseMember()
			m.MemberID = id
			r.Members = append(r.Members, m)
		}
		return append([]byte{0, 0, 0, 7}, r.AppendTo(nil)...)
	}
	for name, c := range map[string]struct {
		answer []byte
		ok     bool
	}{
		"a leader among others":       {join("me", 0, "another", "me"), true},
		"a leader that is left out":   {join("me", 0, "another"), false},
		"a leader without members":    {join("me", 0), false},
		"a follower, without members": {join("another", 0), true},
		"an error":                    {join("me", 27), true},
	} {
		r := askedRequest{id: 7, key: protocol.JoinGroup, version: 1}
		if err := r.check(c.answer); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzAnswers lets a peer answer anything. kafka-go neither panics nor allocates more than a
// multiple of the bytes that come.
func FuzzAnswers(f *testing.F) {
	kinds := []protocol.Message{&metadata.Request{TopicNames: []string{"events"}}}
	for version := range int16(9) {
		f.Add(goodMetadata(version), version)
	}
	f.Fuzz(func(t *testing.T, body []byte, version int16) {
		version = max(0, min(version, 8))
		conn := answering(t, func(id uint32) []byte { return framed(id, body) })
		defer conn.Close()
		for _, request := range kinds {
			if r, err := protocol.RoundTrip(conn, version, 3, "test", request); err == nil {
				if n := len(r.(*metadata.Response).Brokers); n > len(body) {
					t.Fatalf("%d brokers in %d bytes", n, len(body))
				}
			}
		}
	})
}
