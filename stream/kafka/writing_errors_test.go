package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/stream"
)

// The error of a refusal names the refused messages, the broker's reason and a remedy. If the
// broker names none in a batch of several, smaller batches find them.
func TestRefusals(t *testing.T) {
	key := []byte("k")
	keyed := func(l *lot) *lot {
		for _, m := range l.messages {
			m.Key = key
		}
		return l
	}
	const keyless = "the message has no key, and a compacted topic takes none without: set the topic's cleanup.policy to delete"
	const other = "compare the topic's settings with those of the source's topic"
	invalid := func(records map[int]error) error { return &unfitError{kafka.InvalidRecord, records} }
	why := kafka.InvalidRecord.Error()
	for name, c := range map[string]struct {
		l    *lot
		n    int // messages of the batch, from the second on
		err  error
		want map[int]string // by index; nil: the error as it is
	}{
		"one without a key":    {lotOf(knowing(Sizes{}), 1, 1), 1, invalid(nil), map[int]string{10: why + " (" + keyless + ")"}},
		"one with a key":       {keyed(lotOf(knowing(Sizes{}), 1, 1)), 1, invalid(nil), map[int]string{10: why + " (" + other + ")"}},
		"two of three":         {keyed(lotOf(knowing(Sizes{}), 1, 1, 1, 1)), 3, invalid(map[int]error{0: errors.New("bad"), 2: errors.New("")}), map[int]string{10: why + ": bad (" + other + ")", 30: why + " (" + other + ")"}},
		"of one for no reason": {keyed(lotOf(knowing(Sizes{}), 1, 1)), 1, invalid(map[int]error{0: nil}), map[int]string{10: why + " (" + other + ")"}},
		"some, it is not said": {lotOf(knowing(Sizes{}), 1, 1, 1), 2, invalid(nil), nil},
		"a time":               {lotOf(knowing(Sizes{}), 1, 1), 1, &unfitError{kafka.InvalidTimestamp, nil}, map[int]string{10: kafka.InvalidTimestamp.Error() + " (the message's time is 1970-01-01T00:00:01Z: raise the topic's message.timestamp.before.max.ms and message.timestamp.after.max.ms, or set its message.timestamp.type to LogAppendTime)"}},
		"what passes":          {lotOf(knowing(Sizes{}), 1, 1), 1, kafka.NotLeaderForPartition, nil},
		"too large together":   {lotOf(knowing(Sizes{}), 1, 1, 1), 2, kafka.MessageSizeTooLarge, nil},
	} {
		err := c.l.refused(t.Context(), c.l.messages[1:1+c.n], 1, nil, c.err)
		var refused *stream.RefusedError
		if c.want == nil {
			if err != c.err || divisible(err) != (c.n > 1) {
				t.Errorf("%s: %v, divisible %v", name, err, divisible(err))
			}
			continue
		}
		if !errors.As(err, &refused) || len(refused.Messages) != len(c.want) || divisible(err) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, m := range refused.Messages {
			if m.Topic != "out" || m.Why.Error() != c.want[m.Index] {
				t.Errorf("%s: message %d: %v, want %s", name, m.Index, m.Why, c.want[m.Index])
			}
		}
	}
	one := func(index int, err error) error {
		return fmt.Errorf("x: %w", &stream.RefusedError{Messages: []stream.Refused{{Index: index}}, Err: err})
	}
	var all *stream.RefusedError
	if err := refusedOf([]error{one(7, io.EOF), io.ErrClosedPipe, one(3, nil)}); !errors.As(err, &all) || len(all.Messages) != 2 || all.Messages[0].Index != 3 || all.Messages[1].Index != 7 || !errors.Is(all.Err, io.EOF) {
		t.Errorf("%v", err)
	}
	if err := refusedOf([]error{io.EOF}); err != nil {
		t.Errorf("nothing was refused: %v", err)
	}
	from := []stream.Message{{}, {TopicPartition: stream.TopicPartition{Topic: "in", Partition: 3}, Offset: 9}}
	if err := made(from, one(1, nil)); !strings.HasPrefix(err.Error(), from[1].Where()+": ") {
		t.Errorf("%v", err)
	}
	if err := made(from, io.EOF); err != io.EOF {
		t.Errorf("%v", err)
	}
}

// Temporary errors are retried without limit, unknown ones a few times, and permanent ones never.
// Missing permissions are waited for if they existed before.
func TestRetry(t *testing.T) {
	odd := errors.New("odd")
	var had, never atomic.Bool
	had.Store(true)
	for name, c := range map[string]struct {
		r     retry
		err   error
		fails int // failures before it works; -1: always
		asked int
		want  string // "" for success
	}{
		"passing":                  {retry{what: "x"}, kafka.NotLeaderForPartition, 50, 51, ""},
		"passing, at most 4":       {retry{what: "x", most: 4}, kafka.NotLeaderForPartition, -1, 4, "Not Leader"},
		"passing, just in time":    {retry{what: "x", most: 4}, kafka.NotLeaderForPartition, 3, 4, ""},
		"strange":                  {retry{what: "x"}, odd, -1, maxStrange, "odd"},
		"strange, just in time":    {retry{what: "x"}, odd, maxStrange - 1, maxStrange, ""},
		"strange from the first":   {retry{what: "x", strange: maxStrange}, odd, -1, 1, "odd"},
		"final":                    {retry{what: "x"}, kafka.InvalidTopic, -1, 1, "Invalid Topic"},
		"a right that never was":   {retry{what: "x", granted: &never}, kafka.TopicAuthorizationFailed, -1, 1, "Topic Authorization Failed"},
		"a right that was":         {retry{what: "x", granted: &had}, kafka.TopicAuthorizationFailed, 7, 8, ""},
		"final though rights were": {retry{what: "x", granted: &had}, kafka.InvalidTopic, -1, 1, "Invalid Topic"},
		"a right, nobody knows":    {retry{what: "x"}, kafka.GroupAuthorizationFailed, -1, 1, "Group Authorization Failed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked, hooked := 0, 0
			c.r.hook = func(what string, attempt int, err error, pause time.Duration) {
				if hooked++; what != "x" || attempt != hooked || !errors.Is(err, c.err) || pause <= 0 {
					t.Errorf("%s: %s %d %v %v", name, what, attempt, err, pause)
				}
			}
			begin := time.Now()
			err := c.r.until(t.Context(), func() error {
				if asked++; asked-1 == c.fails {
					return nil
				}
				return c.err
			})
			if asked != c.asked || (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, c.err) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: asked %d times, %v", name, asked, err)
			}
			if hooked != asked-1 || (time.Since(begin) > 0) != (asked > 1) {
				t.Errorf("%s: %d reports of %d failures in %v", name, hooked, asked, time.Since(begin))
			}
			var reported []string
			c.r.recovered(func(what string) { reported = append(reported, what) })
			c.r.recovered(nil)
			if want := c.r.attempt > 0; (len(reported) == 1) != want {
				t.Errorf("%s: %q recovered", name, reported)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stream.ErrRevoked)
	r := &retry{what: "x"}
	if err := r.again(ctx, odd); !errors.Is(err, stream.ErrRevoked) || !errors.Is(err, odd) {
		t.Errorf("the context is over: %v", err)
	}
	if err := r.again(ctx, fmt.Errorf("x: %w", stream.ErrRevoked)); err.Error() != "x: "+stream.ErrRevoked.Error() {
		t.Errorf("the context's own end: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := (&retry{what: "x"}).again(ctx, odd); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, odd) {
			t.Errorf("the context ends in the pause: %v", err)
		}
	})
}

// Errors are recognised by kind, also when wrapped.
func TestKindsOfErrors(t *testing.T) {
	for err, want := range map[error]kind{
		errors.New("odd"): strange, kafka.NotLeaderForPartition: passing, kafka.Unknown: passing, kafka.InvalidTopic: final, kafka.InvalidRecord: final,
		kafka.TopicAuthorizationFailed: final, kafka.ErrGroupClosed: final, stream.ErrRevoked: final, io.EOF: passing, io.ErrUnexpectedEOF: passing,
		io.ErrClosedPipe: passing, net.ErrClosed: passing, context.DeadlineExceeded: passing, syscall.ECONNRESET: passing, syscall.ECONNREFUSED: passing, syscall.EPIPE: passing,
		protocol.ErrNoTopic: passing, protocol.ErrNoPartition: passing, protocol.ErrNoLeader: passing, &net.DNSError{}: passing, context.Canceled: strange, os.ErrNotExist: strange,
		&OccupiedError{}: passing,
	} {
		if got := kindOf(fmt.Errorf("deep: %w", err)); got != want {
			t.Errorf("%v is of kind %d, want %d", err, got, want)
		}
	}
	for err, want := range map[error]bool{
		kafka.NotLeaderForPartition: true, kafka.RequestTimedOut: true, io.EOF: true, kafka.OutOfOrderSequenceNumber: false, kafka.UnknownProducerId: false, kafka.InvalidTransactionState: false,
		kafka.TransactionalIDAuthorizationFailed: false, kafka.InvalidProducerEpoch: false, kafka.ProducerFenced: false, kafka.MessageSizeTooLarge: false, kafka.RecordListTooLarge: false,
		kafka.IllegalGeneration: false, kafka.UnknownMemberId: false, errors.New("odd"): false, kafka.TopicAuthorizationFailed: false,
	} {
		if passes(fmt.Errorf("deep: %w", err)) != want {
			t.Errorf("%v passes: %v", err, !want)
		}
	}
	for err, right := range map[error]string{kafka.TopicAuthorizationFailed: "Describe", kafka.GroupAuthorizationFailed: "Read", kafka.TransactionalIDAuthorizationFailed: "Write"} {
		denied := lacking(fmt.Errorf("deep: %w", err), "Describe")
		var known *DeniedError
		if !errors.As(denied, &known) || known.Right != right || !errors.Is(denied, err) || !strings.HasSuffix(denied.Error(), "(this client needs the right "+right+")") {
			t.Errorf("%v: %v", err, denied)
		}
		if again := lacking(denied, "Read"); again != denied {
			t.Errorf("twice: %v", again)
		}
	}
	if err := lacking(io.EOF, "Read"); err != io.EOF {
		t.Errorf("%v", err)
	}
}

// A size that a broker refused below its own limit becomes the limit. If the limit is raised later,
// the message is tried again.
func TestRefusedSizes(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel() // requests fail from here on
	g := knowing(Sizes{Batch: 1000})
	g.link = &link{addr: kafka.TCP("127.0.0.1:1"), transport: &kafka.Transport{}}
	defer g.link.transport.CloseIdleConnections()
	g.asked = time.Time{}
	for _, c := range []struct{ size, want, limit int }{{1500, 1000, 1000}, {1001, 1000, 1000}, {1000, 999, 999}, {500, 499, 499}, {600, 499, 499}} {
		if got := g.refuse(over, c.size); got != c.want || g.limit() != c.limit {
			t.Errorf("%d bytes are refused: the limit is %d, and then %d; want %d, %d", c.size, got, g.limit(), c.want, c.limit)
		}
	}
	if g.asked.IsZero() {
		t.Error("the brokers were not asked")
	}
	var refused *stream.RefusedError
	l := lotOf(g, 10, 20)
	if err := g.refusal(over, l, 1, make([]byte, 404), io.EOF); !errors.As(err, &refused) || !reflect.DeepEqual(refused.Messages, []stream.Refused{{Index: 10, Topic: "out", Size: 400, Limit: 399}}) || !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}
