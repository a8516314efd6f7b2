package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// States of a transactional id, as DescribeTransactions names them. All others are
// those of one that has no transaction, or whose transaction is being ended.
const (
	stateOngoing   = "Ongoing"
	stateCommitted = "CompleteCommit"
	stateAborted   = "CompleteAbort"
	stateEmpty     = "Empty"
	stateDead      = "Dead"
)

// describe asks the cluster how the last transaction of the producer's name stands, and
// which producer's it was.
func (p *producer) describe(ctx context.Context) (state string, by int64, err error) {
	r, err := p.link.transport.RoundTrip(ctx, p.link.addr, &describeRequest{id: p.id, client: p.link.cluster.ClientID})
	if err != nil {
		return "", -1, err
	}
	d := r.(*describeResponse)
	return d.state, d.producer, d.err
}

// describeRequest is DescribeTransactions in version 0, for one transactional id. The
// library does not know it; it writes itself to the connection.
type describeRequest struct {
	client, id string
	// unsupported: the broker does not know it either.
	unsupported bool
}

// describeTransactions is the request's key.
const describeTransactions = protocol.ApiKey(65)

// ApiKey implements protocol.Message.
func (r *describeRequest) ApiKey() protocol.ApiKey { return describeTransactions }

// Transaction implements protocol.TransactionalMessage.
func (r *describeRequest) Transaction() string { return r.id }

// Required implements protocol.RawExchanger.
func (r *describeRequest) Required(versions map[protocol.ApiKey]int16) bool {
	_, known := versions[describeTransactions]
	r.unsupported = !known
	return true
}

// RawExchange implements protocol.RawExchanger.
func (r *describeRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	if r.unsupported {
		return &describeResponse{err: kafka.UnsupportedVersion}, nil
	}
	answer, err := exchange(rw, r.encode(), maxDescribed)
	if err != nil {
		return nil, err
	}
	return decodeDescribed(answer)
}

// maxDescribed bounds an answer, which names the partitions of an open transaction.
const maxDescribed = 1 << 24

func (r *describeRequest) encode() []byte {
	b := append(requestHeader(describeTransactions, 0, r.client), 0)
	b = binary.AppendUvarint(b, 2) // one id
	b = binary.AppendUvarint(b, uint64(len(r.id)+1))
	b = append(b, r.id...)
	b = append(b, 0)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// describeResponse answers a describeRequest.
type describeResponse struct {
	state    string
	producer int64
	err      error
}

// ApiKey implements protocol.Message.
func (r *describeResponse) ApiKey() protocol.ApiKey { return describeTransactions }

var errShortDescription = errors.New("kafka: an answer about a transaction that ends too early")

// decodeDescribed reads an answer, about one id, without its length; what stands
// behind the producer is left out.
func decodeDescribed(answer []byte) (*describeResponse, error) {
	d := &flexible{rest: answer}
	d.take(4) // correlation id
	d.tags()
	d.take(4) // throttle time
	if d.length() == 0 {
		return nil, errShortDescription
	}
	code := kafka.Error(int16(d.uint(2)))
	d.take(d.length()) // the id
	r := &describeResponse{state: string(d.take(d.length()))}
	d.take(4 + 8) // the transaction's timeout, when it began
	r.producer = int64(d.uint(8))
	if d.short {
		return nil, errShortDescription
	}
	if code != 0 {
		r.err = code
	}
	return r, nil
}
