package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// States of a transactional id in DescribeTransactions. All other states mean that there is no
// transaction, or that it is being ended.
const (
	stateOngoing   = "Ongoing"
	stateCommitted = "CompleteCommit"
	stateAborted   = "CompleteAbort"
	stateEmpty     = "Empty"
	stateDead      = "Dead"
)

// describe returns the state of the last transaction of the producer's transactional id, and the id
// of its producer.
func (p *producer) describe(ctx context.Context) (state string, by int64, err error) {
	r, err := p.link.transport.RoundTrip(ctx, p.link.addr, &describeRequest{recent{key: describeTransactions, client: p.link.cluster.ClientID}, p.id})
	if err != nil {
		return "", -1, err
	}
	d := r.(*describeResponse)
	return d.state, d.producer, d.err
}

// describeRequest is DescribeTransactions in version 0 for one transactional id. kafka-go does not
// support it.
type describeRequest struct {
	recent
	id string
}

// describeTransactions is the key of the request.
const describeTransactions = protocol.ApiKey(65)

// Transaction implements protocol.TransactionalMessage.
func (r *describeRequest) Transaction() string { return r.id }

// RawExchange implements protocol.RawExchanger.
func (r *describeRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	return converse(&r.recent, rw, r.encode(), &describeResponse{err: kafka.UnsupportedVersion}, decodeDescribed)
}

func (r *describeRequest) encode() []byte {
	b := binary.AppendUvarint(flexibleRequest(describeTransactions, 0, r.client), 2) // one id
	return sealed(append(appendText(b, r.id), 0))
}

// describeResponse is the answer to a describeRequest.
type describeResponse struct {
	state    string
	producer int64
	err      error
}

// ApiKey implements protocol.Message.
func (r *describeResponse) ApiKey() protocol.ApiKey { return describeTransactions }

var errShortDescription = errors.New("kafka: truncated answer about a transaction")

// decodeDescribed decodes an answer about one id. It ignores the fields after the producer.
func decodeDescribed(d *flexible) (*describeResponse, error) {
	if d.length() == 0 {
		return nil, errShortDescription
	}
	r := &describeResponse{err: d.code()}
	d.next(d.length()) // the id
	r.state = string(d.next(d.length()))
	d.next(4 + 8) // the transaction's timeout and start time
	r.producer = int64(d.uint(8))
	if d.short {
		return nil, errShortDescription
	}
	return r, nil
}
