package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// checkedAnswers is a connection to a broker whose answers are checked before kafka-go decodes them.
// kafka-go allocates lists of the lengths that an answer claims, and panics at some negative ones.
// So a broker, or another program on its port, could end the process. Answers that this package
// decodes itself are passed on unchecked.
type checkedAnswers struct {
	net.Conn

	mu sync.Mutex
	// asked are the requests without an answer, in order. unchecked is set once the connection has
	// frames without a header.
	asked     []askedRequest
	unchecked bool
	// head is the begin of the request that is being written, and writing the length of its rest.
	head    []byte
	writing int64

	// Only one goroutine reads. rest are checked bytes, and passing is the number of bytes to pass on
	// unchecked.
	rest    []byte
	passing int64
	failed  error
}

// askedRequest identifies the answer to a request.
type askedRequest struct {
	key     protocol.ApiKey
	version int16
	id      uint32
}

// requestHead is the length of a request's length, key, version and correlation id in bytes.
const requestHead = 12

// mostAnswer bounds an answer that kafka-go decodes, in bytes. Its lists take a multiple of that.
const mostAnswer = 4 << 20

// ownRequest is the correlation id of the requests that this package writes (converse). kafka-go
// counts from 1.
const ownRequest = 0

// errAnswer is the error of an answer that violates Kafka's protocol.
var errAnswer = errors.New("kafka: the broker's answer is malformed")

// Write implements net.Conn.
func (c *checkedAnswers) Write(b []byte) (int, error) {
	c.mu.Lock()
	for rest := b; len(rest) > 0 && !c.unchecked; {
		if c.writing > 0 {
			n := min(c.writing, int64(len(rest)))
			c.writing, rest = c.writing-n, rest[n:]
			continue
		}
		n := min(requestHead-len(c.head), len(rest))
		c.head, rest = append(c.head, rest[:n]...), rest[n:]
		if len(c.head) == requestHead {
			c.begin()
		}
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// begin notes the request that begins with head.
func (c *checkedAnswers) begin() {
	be := binary.BigEndian
	r := askedRequest{protocol.ApiKey(be.Uint16(c.head[4:])), int16(be.Uint16(c.head[6:])), be.Uint32(c.head[8:])}
	c.asked = append(c.asked, r)
	c.writing, c.head = max(0, int64(be.Uint32(c.head))+4-requestHead), c.head[:0]
	// After this version of the request come frames without a header.
	c.unchecked = r.key == protocol.SaslHandshake && r.version == 0
}

// Read implements net.Conn.
func (c *checkedAnswers) Read(p []byte) (int, error) {
	c.mu.Lock()
	unchecked := c.unchecked
	c.mu.Unlock()
	for len(c.rest) == 0 && c.passing == 0 && !unchecked {
		if c.failed == nil {
			c.failed = c.next()
		}
		if c.failed != nil && len(c.rest) == 0 {
			return 0, c.failed
		}
	}
	if len(c.rest) > 0 {
		n := copy(p, c.rest)
		c.rest = c.rest[n:]
		return n, nil
	}
	if c.passing > 0 {
		p = p[:min(int64(len(p)), c.passing)]
	}
	n, err := c.Conn.Read(p)
	c.passing = max(0, c.passing-int64(n))
	return n, err
}

// next reads the begin of the next answer, and the whole if it has to be checked.
func (c *checkedAnswers) next() error {
	be := binary.BigEndian
	head := make([]byte, 8)
	if n, err := io.ReadFull(c.Conn, head); err != nil {
		c.rest = head[:n] // kafka-go guesses the reason from it
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return err
	}
	size, id := int64(be.Uint32(head))-4, be.Uint32(head[4:])
	c.mu.Lock()
	i := slices.IndexFunc(c.asked, func(r askedRequest) bool { return r.id == id })
	var r askedRequest
	if i >= 0 {
		r = c.asked[i]
		c.asked = slices.Delete(c.asked, 0, i+1)
	}
	c.mu.Unlock()
	switch {
	case i < 0:
		return fmt.Errorf("%w: it belongs to no request", errAnswer)
	case r.id == ownRequest:
		c.rest, c.passing = head, max(size, 0)
		return nil
	case size < 0 || size > mostAnswer:
		return fmt.Errorf("%w: %v of %d bytes", errAnswer, r.key, size)
	}
	answer := bytes.NewBuffer(head)
	if _, err := io.CopyN(answer, c.Conn, size); err != nil {
		return err
	}
	if err := r.check(answer.Bytes()[4:]); err != nil {
		return fmt.Errorf("%w: %v (version %d): %w", errAnswer, r.key, r.version, err)
	}
	c.rest = answer.Bytes()
	return nil
}

// checkLeader returns an error if the group's leader, to which the answer goes, is not among the
// members. It would assign nothing to itself, and wait for ever.
func checkLeader(join *kmsg.JoinGroupResponse) error {
	if join.ErrorCode != 0 || join.LeaderID != join.MemberID {
		return nil
	}
	for _, m := range join.Members {
		if m.MemberID == join.MemberID {
			return nil
		}
	}
	return fmt.Errorf("the leader %q is not among the %d members of its group", join.LeaderID, len(join.Members))
}

// check decodes an answer without its length, and discards the result.
func (r askedRequest) check(b []byte) error {
	answer := kmsg.ResponseForKey(int16(r.key))
	if answer == nil {
		return errors.New("its kind is unknown")
	}
	answer.SetVersion(r.version)
	body, whole := behindHeader(answer, b)
	if !whole {
		return io.ErrUnexpectedEOF
	}
	err := answer.ReadFrom(body)
	if join, is := answer.(*kmsg.JoinGroupResponse); is && err == nil {
		return checkLeader(join)
	}
	if sync, is := answer.(*kmsg.SyncGroupResponse); is && err == nil && len(sync.MemberAssignment) > 0 {
		// The group's leader wrote this, which is any other client.
		return new(kmsg.ConsumerMemberAssignment).ReadFrom(sync.MemberAssignment)
	}
	if err != nil && r.key == protocol.ApiVersions {
		answer.SetVersion(0) // of a broker that does not support the version
		return answer.ReadFrom(body)
	}
	return err
}
