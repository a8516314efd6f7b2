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

// retry waits out failures that may pass.
type retry struct {
	what string
	hook func(what string, attempt int, err error, pause time.Duration)
	// most is how often it is tried; 0: for as long as the context lasts.
	most int
	// granted says whether rights that are missing were there before: then they are waited
	// for. nil: they were not.
	granted *atomic.Bool
	// attempt counts the failures, strange those of unknown kind.
	attempt, strange int
}

// maxStrange is how often an error of unknown kind is retried.
const maxStrange = 5

// pauses are between attempts.
var pauses = backoff.Pauses{Least: 100 * time.Millisecond, Most: 2 * time.Second}

// until asks until there is an answer, or it makes no sense to ask again; then it
// returns why not.
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

// recovered reports that it works again, if it has failed.
func (r *retry) recovered(report func(what string)) {
	if r.attempt > 0 && report != nil {
		report(r.what)
	}
}

// again returns nil after a pause if it makes sense to try again, else why not. When
// the context is over that is its cause and the failure before.
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

// topicRights are the rights on a topic that operations need, if it is not Read.
var topicRights = map[string]string{"topic": "Describe", "offsets": "Describe", "transaction": "Write"}

func over(err, cause error) error {
	if errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

type kind int

const (
	// passing: the network, a leader or a coordinator that moves.
	passing kind = iota
	// strange: not known to pass.
	strange
	// final: trying again gives the same.
	final
)

// kindOf says what becomes of an error when one waits.
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
		// All else a broker may say while it starts, stops or hands over; a
		// broker that shuts down even says "unknown server error".
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
