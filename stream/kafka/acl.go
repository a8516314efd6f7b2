package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/describegroups"

	"unfold/stream"
)

// CheckWritable is Check for topics that will be written. It also returns an error if this client
// lacks the right to write. It writes nothing.
func CheckWritable(ctx context.Context, c Cluster, topics ...string) error {
	return check(ctx, c, func(ctx context.Context, l *link, topic string) error { return l.mayWrite(ctx, topic) }, topics)
}

// connectToWrite is connect for topics to read and topics to write.
func connectToWrite(ctx context.Context, c Cluster, read []string, written ...string) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	l, err := connect(ctx, c, append(read, written...)...)
	if err != nil {
		return nil, err
	}
	if err := l.mayWrite(ctx, written...); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// mayWrite returns an error if this client may not write to topics. Clusters before 2.3 cannot be
// asked and are assumed to allow it; the first message then shows.
func (l *link) mayWrite(ctx context.Context, topics ...string) error {
	for _, topic := range topics {
		retry := &retry{what: "permissions"}
		err := retry.until(ctx, func() error {
			allowed, err := l.operations(ctx, topic)
			if err == nil && allowed != math.MinInt32 && allowed&(1<<opWrite) == 0 {
				return kafka.TopicAuthorizationFailed
			}
			return err
		})
		switch {
		case err == nil, errors.Is(err, kafka.UnsupportedVersion):
		case errors.Is(err, kafka.TopicAuthorizationFailed):
			return fmt.Errorf("kafka: topic %s on %s: this client may not write to it: %w (it needs the permissions Write and Describe)",
				topic, strings.Join(l.cluster.Brokers, ","), err)
		default:
			return fmt.Errorf("kafka: asking for the permissions on topic %s: %w", topic, err)
		}
	}
	return nil
}

// CheckGroup checks whether this client may join a group and, if transactions is set, use the
// transactional ids of its topic. It does not join.
func CheckGroup(ctx context.Context, c Cluster, topic, group string, transactions bool) error {
	return visit(ctx, c, func(ctx context.Context, l *link) error {
		retry := &retry{what: "permissions"}
		err := retry.until(ctx, func() error {
			if err := l.mayJoin(ctx, group); err != nil || !transactions {
				return err
			}
			return l.mayTransact(ctx, transactionalID(group, stream.TopicPartition{Topic: topic}))
		})
		if err != nil {
			return fmt.Errorf("kafka: %w", err)
		}
		return nil
	})
}

// mayTransact checks the permission with the coordinator of a transactional id.
func (l *link) mayTransact(ctx context.Context, id string) error {
	_, _, err := newProducer(l, id, 0).describe(ctx)
	if err == nil || errors.Is(err, kafka.TransactionalIDNotFound) || errors.Is(err, kafka.UnsupportedVersion) {
		return nil
	}
	return fmt.Errorf("transactional id %s: %w", id, lacking(err, "Write"))
}

// mayJoin checks the permission with the group's coordinator.
func (l *link) mayJoin(ctx context.Context, group string) error {
	r, err := l.transport.RoundTrip(ctx, l.addr, &describegroups.Request{Groups: []string{group}, IncludeAuthorizedOperations: true})
	if err != nil {
		return fmt.Errorf("group %s: %w", group, err)
	}
	for _, g := range r.(*describegroups.Response).Groups {
		err := error(nil)
		if g.ErrorCode != 0 {
			err = kafka.Error(g.ErrorCode)
		} else if g.AuthorizedOperations != 0 && g.AuthorizedOperations != math.MinInt32 && g.AuthorizedOperations&(1<<opRead) == 0 {
			err = kafka.GroupAuthorizationFailed
		}
		if err != nil && !errors.Is(err, kafka.GroupIdNotFound) {
			return fmt.Errorf("group %s: %w", group, lacking(err, "Read"))
		}
	}
	return nil
}

// DeniedError is the error of a missing right. The wrapping error names the resource.
type DeniedError struct {
	Err   error
	Right string
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("%v (this client needs the right %s)", e.Err, e.Right)
}

func (e *DeniedError) Unwrap() error { return e.Err }

// lacking converts an authorization error to a DeniedError. operation is the missing right for
// errors about topics.
func lacking(err error, operation string) error {
	for refused, right := range map[error]string{
		kafka.TopicAuthorizationFailed: operation, kafka.GroupAuthorizationFailed: "Read", kafka.TransactionalIDAuthorizationFailed: "Write",
	} {
		if known := new(DeniedError); errors.Is(err, refused) && !errors.As(err, &known) {
			return &DeniedError{err, right}
		}
	}
	return err
}

// opRead and opWrite are the bits of these operations in Kafka's protocol.
const (
	opRead  = 3
	opWrite = 4
)

// operations returns the operations that this client may perform on a topic, a bit each.
func (l *link) operations(ctx context.Context, topic string) (int32, error) {
	t, err := l.askTopic(ctx, topic, topicOperations)
	return t.AuthorizedOperations, cmp.Or(err, coded(t.ErrorCode))
}
