package kafka

import (
	"context"
	"errors"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
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
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{p.id}
	r, err := ask[*kmsg.DescribeTransactionsResponse](ctx, p.link, toOwner{p.link.newer(req, describeTransactions, 0), p.id})
	if err != nil {
		return "", -1, err
	}
	if len(r.TransactionStates) == 0 {
		return "", -1, errNoTransaction
	}
	t := r.TransactionStates[0]
	return t.State, t.ProducerID, coded(t.ErrorCode)
}

// describeTransactions is the key of the request.
const describeTransactions = protocol.ApiKey(65)

var errNoTransaction = errors.New("kafka: an answer about no transaction")
