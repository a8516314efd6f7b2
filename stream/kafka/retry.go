package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/internal/backoff"
	"unfold/stream"
)

// retry retries operations after failures that may be temporary.
type retry struct {
	what string
	hook func(what string, attempt int, err error, pause time.Duration)
	// most is the largest number of attempts; 0 means no limit but the context.
	most int
	// granted is true if missing rights existed before; they are then retried. nil means that they
	// did not.
	granted *atomic.Bool
	// attempt counts the failures, strange those of unknown kind.
	attempt, strange int
}

// maxStrange is the number of retries after an error of unknown kind.
const maxStrange = 5

// pauses are the pauses between attempts.
var pauses = backoff.Pauses{Least: 100 * time.Millisecond, Most: 2 * time.Second}

// until calls ask until it succeeds or a retry is useless. It then returns the error.
func (r *retry) until(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if err := r.again(ctx, err); err != nil {
			return err
		}
	}
}

// recovered reports a success after failures.
func (r *retry) recovered(report func(what string)) {
	if r.attempt > 0 && report != nil {
		report(r.what)
	}
}

// again waits and returns nil if a retry is useful, else the error. When the context has ended,
// that is its cause with the last failure.
func (r *retry) again(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return over(err, cause)
	}
	switch kindOf(err) {
	case final:
		denied := lacking(err, cmp.Or(topicRights[r.what], "Read"))
		if missing := new(DeniedError); !errors.As(denied, &missing) || r.granted == nil || !r.granted.Load() {
			return err
		}
		err = denied
	case strange:
		if r.strange++; r.strange >= maxStrange {
			return err
		}
	}
	if r.attempt++; r.attempt == r.most {
		return err
	}
	wait := pauses.After(r.attempt)
	if r.hook != nil {
		r.hook(r.what, r.attempt, err, wait)
	}
	if cause := backoff.Wait(ctx, wait); cause != nil {
		return over(err, cause)
	}
	return nil
}

// topicRights are the rights on a topic that operations need, if not Read.
var topicRights = map[string]string{"topic": "Describe", "offsets": "Describe", "transaction": "Write"}

func over(err, cause error) error {
	if errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

type kind int

const (
	// passing is temporary: network errors, or a leader or coordinator that moves.
	passing kind = iota
	// strange is of unknown kind.
	strange
	// final is permanent: a retry gives the same error.
	final
)

// kindOf classifies an error.
func kindOf(err error) kind {
	var ke kafka.Error
	var ne net.Error
	var taken *OccupiedError
	var stays *lasting
	var te *tokenError
	switch {
	case errors.As(err, &stays):
		return final
	case errors.As(err, &taken):
		return passing
	case errors.As(err, &ke):
		switch ke {
		case kafka.TopicAuthorizationFailed, kafka.GroupAuthorizationFailed, kafka.ClusterAuthorizationFailed,
			kafka.TransactionalIDAuthorizationFailed, kafka.InvalidTransactionTimeout,
			kafka.SASLAuthenticationFailed, kafka.UnsupportedSASLMechanism, kafka.IllegalSASLState, kafka.SecurityDisabled,
			kafka.InvalidSessionTimeout, kafka.InconsistentGroupProtocol, kafka.InvalidGroupId, kafka.GroupMaxSizeReached,
			kafka.UnsupportedVersion, kafka.InvalidTopic, kafka.InvalidRequest, kafka.PolicyViolation, kafka.UnsupportedForMessageFormat,
			kafka.InvalidRecord, kafka.InvalidTimestamp:
			return final
		}
		// Any other error of a broker may occur while it starts, stops or hands over. A broker that
		// shuts down even returns "unknown server error".
		return passing
	case errors.Is(err, kafka.ErrGroupClosed), errors.Is(err, stream.ErrRevoked):
		return final
	case errors.As(err, &ne), errors.As(err, &te), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe),
		errors.Is(err, net.ErrClosed), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EPIPE),
		errors.Is(err, protocol.ErrNoTopic), errors.Is(err, protocol.ErrNoPartition), errors.Is(err, protocol.ErrNoLeader):
		return passing
	}
	return strange
}
