package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// knowing returns a gauge with a topic's known limits that sends no requests.
func knowing(s Sizes) *gauge { return &gauge{topic: "out", known: s, asked: time.Now()} }

// lotOf returns messages for one partition with values of these sizes.
func lotOf(g *gauge, sizes ...int) *lot {
	l := &lot{tp: stream.TopicPartition{Topic: "out", Partition: 2}, gauge: g}
	for i, n := range sizes {
		l.messages = append(l.messages, &stream.Message{Value: make([]byte, n), Time: time.UnixMilli(1000)})
		l.indices = append(l.indices, 10*i)
	}
	return l
}

// A batch is limited by the topic, by the size of a request without its head, and by sizes that a
// broker refused.
func TestLimits(t *testing.T) {
	const head = requestRoom + len("out")
	for _, c := range []struct {
		known   Sizes
		refused int
		want    int
	}{
		{Sizes{}, 0, defaultRequest - head},
		{Sizes{Batch: 1000}, 0, 1000},
		{Sizes{Request: 5000}, 0, 5000 - head},
		{Sizes{Batch: 1000, Request: 5000}, 0, 1000},
		{Sizes{Batch: 9000, Request: 5000}, 0, 5000 - head},
		{Sizes{Batch: 1000}, 900, 899},
		{Sizes{Batch: 1000}, 2000, 1000},
		{Sizes{Batch: 1}, 0, 1},
		{Sizes{Request: head + 1}, 0, 1},
		{Sizes{}, 1, 0},
	} {
		g := knowing(c.known)
		g.refused = c.refused
		if got := g.limit(); got != c.want {
			t.Errorf("%+v, %d refused: %d bytes, want %d", c.known, c.refused, got, c.want)
		}
	}
	for kept, want := range map[string]kafka.Compression{"": kafka.Gzip, "producer": kafka.Gzip, "uncompressed": 0, "zstd": kafka.Zstd, "unheard of": kafka.Gzip} {
		g := knowing(Sizes{Compression: kept})
		g.compression, g.transactional = kafka.Gzip, true
		if f := g.format(); f.compression != want || !f.transactional {
			t.Errorf("brokers keep %q: %+v", kept, f)
		}
	}
	for text, want := range map[string]int{"": 0, "12": 12, "x": 0} {
		if got := number(text); got != want {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// Messages are sent in order, in the largest possible batches. Batches that are refused as too
// large are sent in smaller ones, and a message that a broker does not take ends the write.
func TestInBatches(t *testing.T) {
	const each = 140 // recordSize of 100 bytes
	for _, c := range []struct {
		limit, topic int
		from, to     int
		most         int // a broker's limit, in messages
		want         []int
		done         int
	}{
		{batchHeader + 3*each, 0, 0, 7, 9, []int{3, 3, 1}, 7},
		{batchHeader + 3*each - 1, 0, 0, 7, 9, []int{2, 2, 2, 1}, 7},
		{batchHeader + 3*each, batchHeader + 2*each, 0, 4, 9, []int{2, 2}, 4},
		{1, 0, 0, 2, 9, []int{1, 1}, 2}, // a large message is sent alone
		{1000, 0, 2, 4, 9, []int{2}, 2},
		{1000, 0, 3, 3, 9, nil, 0},
		{batchHeader + 4*each, 0, 0, 5, 2, []int{-4, 1, 1, 1, 1, 1}, 5},
		{batchHeader + 4*each, 0, 0, 3, 0, []int{-3, -1}, 0},
	} {
		l := lotOf(knowing(Sizes{Batch: c.topic}), slices.Repeat([]int{100}, 7)...)
		var sizes []int
		at := c.from
		done, err := l.inBatches(c.from, c.to, c.limit, func(batch []*stream.Message, before int) error {
			if before != at-c.from || !slices.Equal(batch, l.messages[at:at+len(batch)]) {
				t.Errorf("%+v: a batch of %d behind %d", c, len(batch), before)
			}
			if len(batch) > c.most {
				sizes = append(sizes, -len(batch))
				return kafka.MessageSizeTooLarge
			}
			sizes = append(sizes, len(batch))
			at += len(batch)
			return nil
		})
		if failed := c.most == 0; done != c.done || failed != (err != nil) || !slices.Equal(sizes, c.want) {
			t.Errorf("%+v: %d sent in %v, %v", c, done, sizes, err)
		} else if failed && err.Error() != "writing 1 messages to topic out, partition 2: "+kafka.MessageSizeTooLarge.Error() {
			t.Error(err)
		}
	}
}

// Messages too large to send are named before sending, by their index. Messages that may be too
// large are compressed once, and sent in that form.
func TestWeigh(t *testing.T) {
	g := knowing(Sizes{Batch: 1000})
	packs := func(n int) int { // a batch of one message of the given size
		b, err := g.format().pack([]*stream.Message{{Value: make([]byte, n), Time: time.UnixMilli(1000)}})
		if err != nil {
			t.Fatal(err)
		}
		return batchSize(b)
	}
	fits := 800
	for packs(fits+1) <= 1000 {
		fits++
	}
	l := lotOf(g, 10, fits, fits+1, 5000)
	large, err := g.weigh(t.Context(), l)
	want := []stream.Refused{{Index: 20, Topic: "out", Size: 1001, Limit: 1000}, {Index: 30, Topic: "out", Size: packs(5000), Limit: 1000}}
	if err != nil || !reflect.DeepEqual(large, want) {
		t.Errorf("%+v, %v; want %+v", large, err, want)
	}
	if len(l.packed) != 1 || l.packed[l.messages[1]] == nil {
		t.Errorf("%d messages are packed", len(l.packed))
	}
	session := kafka.ProducerSession{ProducerID: 7, ProducerEpoch: 3}
	packed, err := l.encode(l.messages[1:2], session, 5)
	again, err2 := g.format().encode(l.messages[1:2], session, 5)
	if err != nil || err2 != nil || !bytes.Equal(packed, again) {
		t.Errorf("what was packed is not what is sent: %v", err)
	}
	if both, err := l.encode(l.messages[1:3], session, 5); err != nil || bytes.Equal(both, packed) {
		t.Errorf("two messages are sent as one: %v", err)
	}
	first, second := lotOf(g, 5000, 10), lotOf(g, 10, 6000)
	first.indices, second.indices = []int{5, 6}, []int{1, 2}
	var refused *stream.RefusedError
	if err := tooLargeIn(t.Context(), []*lot{first, second}); !errors.As(err, &refused) || len(refused.Messages) != 2 || refused.Messages[0].Index != 2 || refused.Messages[1].Index != 5 {
		t.Errorf("%v", err)
	}
	if err := tooLargeIn(t.Context(), []*lot{lotOf(g, 10)}); err != nil {
		t.Error(err)
	}
}

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
			var told []string
			c.r.recovered(func(what string) { told = append(told, what) })
			c.r.recovered(nil)
			if want := c.r.attempt > 0; (len(told) == 1) != want {
				t.Errorf("%s: %q recovered", name, told)
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

// Reports of open transactions name the producer, the partition and a remedy.
func TestReportsOfTransactions(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	e := &BlockedError{Position: stream.Position{TopicPartition: stream.TopicPartition{Topic: "t", Partition: 3}, Offset: 7}, Producer: -1, Since: at, brokers: []string{"a:1", "b:2"}}
	what := "kafka: topic t, partition 3: an open transaction of %s holds reading back at offset 7 since 2026-03-01T10:00:00Z: let its program end it, " +
		"or abort it (kafka-transactions.sh --bootstrap-server a:1,b:2 abort --topic t --partition 3 --start-offset 7)"
	if want := fmt.Sprintf(what, "a producer that the brokers do not name"); e.Error() != want {
		t.Errorf("%v, want %s", e, want)
	}
	e.Producer, e.Wrote = 0, at.Add(time.Second)
	if want := fmt.Sprintf(what, "producer id 0, which wrote last at 2026-03-01T10:00:01Z"); e.Error() != want {
		t.Errorf("%v, want %s", e, want)
	}
	for want, u := range map[string]hanging{
		"": {}, "the group's offset": {position: true}, "topic a, partitions [1 2]; topic b, partitions [0]; the group's offset": {outputs: map[string][]int{"b": {0}, "a": {1, 2}}, position: true},
		"topic a, partitions [1]": {outputs: map[string][]int{"a": {1}}},
	} {
		if u.String() != want || u.any() != (want != "") {
			t.Errorf("%q, any %v; want %q", u, u.any(), want)
		}
	}
	if got := fmt.Sprint(unknown, committed, aborted); got != "unknown committed aborted" {
		t.Error(got)
	}
	for want, m := range map[string]Member{"stage 7": {ID: "x", Client: "c", Host: "/h", Who: "stage 7"}, "c at h": {ID: "x", Client: "c", Host: "/h"}} {
		if m.String() != want {
			t.Errorf("%v, want %s", m, want)
		}
	}
	for err, want := range map[error]bool{kafka.UnsupportedVersion: true, kafka.TopicAuthorizationFailed: true, kafka.NotLeaderForPartition: false, nil: false} {
		if undisclosed(err) != want {
			t.Errorf("%v: undisclosed %v", err, !want)
		}
	}
}

// A sink uses the same producers as the previous Write from the same partition. A concurrent Write
// has its own, which is reused.
func TestProducersAreKept(t *testing.T) {
	s := &Sink{producers: map[stream.TopicPartition]*idempotent{}}
	a, b := stream.TopicPartition{Topic: "in"}, stream.TopicPartition{Topic: "in", Partition: 1}
	first := s.borrow(a)
	if !first.stale.Load() {
		t.Error("a new producer has an id")
	}
	second := s.borrow(a)
	third := s.borrow(b)
	if first == second || second == third {
		t.Error("two that are at work have one producer")
	}
	s.giveBack(a, first)
	s.giveBack(a, second)
	s.giveBack(b, third)
	if len(s.spare) != 1 || s.spare[0] != second {
		t.Errorf("%d producers are spare", len(s.spare))
	}
	if s.borrow(b) != third || s.borrow(a) != first || s.borrow(a) != second || len(s.spare) != 0 {
		t.Error("producers are not those of the Write before")
	}
	// A batch in doubt is recognised by its bytes.
	g := knowing(Sizes{})
	l := lotOf(g, 1, 2, 3)
	l.messages[1].Value[0] = 1
	session := kafka.ProducerSession{ProducerID: 7}
	doubt, err := l.encode(l.messages[:2], session, 40)
	if err != nil {
		t.Fatal(err)
	}
	producer := &idempotent{session: session}
	for name, c := range map[string]struct {
		n    numbers
		l    *lot
		want bool
	}{
		"the same":       {numbers{40, doubt, 2}, l, true},
		"just those":     {numbers{40, doubt, 2}, &lot{gauge: g, messages: l.messages[:2]}, true},
		"too few":        {numbers{40, doubt, 2}, &lot{gauge: g, messages: l.messages[:1]}, false},
		"another number": {numbers{41, doubt, 2}, l, false},
		"others":         {numbers{40, doubt, 2}, &lot{gauge: g, messages: l.messages[1:]}, false},
	} {
		if got := s.again(producer, &c.n, c.l); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for err, want := range map[error]bool{kafka.OutOfOrderSequenceNumber: true, kafka.UnknownProducerId: true, kafka.InvalidTransactionState: true, kafka.ProducerFenced: true, kafka.NotLeaderForPartition: false} {
		if forgotten(err) != want {
			t.Errorf("%v: forgotten %v", err, !want)
		}
	}
	all := []int{0, 1, 2}
	if p := partition(&stream.Message{TopicPartition: stream.TopicPartition{Partition: 5}}, all); p != 2 {
		t.Errorf("a message without a key goes to partition %d", p)
	}
	if p, want := partition(&stream.Message{Key: []byte("key"), TopicPartition: b}, all), (kafka.Murmur2Balancer{}).Balance(kafka.Message{Key: []byte("key")}, 0, 1, 2); p != want {
		t.Errorf("a message with a key goes to partition %d, want %d", p, want)
	}
	if got := indices(3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v", got)
	}
}

// asWritten records the writes, one after the other.
type asWritten struct {
	sizes  []int
	all    []byte
	broken int // fails from this write on, if it is not 0
}

func (a *asWritten) Write(b []byte) (int, error) {
	if a.sizes = append(a.sizes, len(b)); len(a.sizes) == a.broken {
		return 0, io.ErrClosedPipe
	}
	a.all = append(a.all, b...)
	return len(b), nil
}

// Records reach a compressor in pieces, large values without a copy. The compressor gets the bytes
// of an uncompressed batch.
func TestRecordsInPieces(t *testing.T) {
	small := func(n int) *stream.Message { return &stream.Message{Value: make([]byte, n)} }
	const head = 16 // at most this many bytes of a record besides a value whose length takes two bytes
	for name, c := range map[string]struct {
		messages []*stream.Message
		sizes    func(sizes []int) bool
	}{
		"few":           {[]*stream.Message{small(1), small(2)}, func(s []int) bool { return len(s) == 1 }},
		"just too few":  {[]*stream.Message{small(direct - 2*head), small(1)}, func(s []int) bool { return len(s) == 1 && s[0] < direct+head }},
		"a large value": {[]*stream.Message{small(1), small(direct), small(1)}, func(s []int) bool { return len(s) == 3 && s[1] == direct }},
		"nearly large":  {[]*stream.Message{small(direct - 1), small(1)}, func(s []int) bool { return len(s) == 2 && s[0] > direct && s[0] < direct+head }},
		"many": {slices.Repeat([]*stream.Message{small(1000)}, 100), func(s []int) bool {
			return len(s) == 4 && s[0] >= direct && slices.Max(s) < direct+1000+head && min(s[0], s[1], s[2]) >= direct
		}},
	} {
		a := &asWritten{}
		pieces, whole := recordsInto(nil, a), recordsInto(nil, nil)
		for i, m := range c.messages {
			pieces.appendRecord(m, 0, int64(i))
			whole.appendRecord(m, 0, int64(i))
		}
		pieces.flush()
		if pieces.err != nil || pieces.total != len(whole.b) || !bytes.Equal(a.all, whole.b) || !c.sizes(a.sizes) {
			t.Errorf("%s: %d bytes of %d in pieces of %v, %v", name, pieces.total, len(whole.b), a.sizes, pieces.err)
		}
	}
	for broken := 1; broken <= 2; broken++ {
		a := &asWritten{broken: broken}
		r := recordsInto(nil, a)
		for _, m := range []*stream.Message{small(1), small(direct), small(direct), small(1)} {
			r.appendRecord(m, 0, 0)
		}
		if r.flush(); !errors.Is(r.err, io.ErrClosedPipe) || len(a.sizes) != broken {
			t.Errorf("after %d writes, of which the last failed: %v", len(a.sizes), r.err)
		}
	}
}

// The head of a batch as another implementation decodes it.
func TestBatchHeads(t *testing.T) {
	messages := []*stream.Message{{Value: []byte("a"), Time: time.UnixMilli(5000)}, {Value: []byte("b"), Time: time.UnixMilli(9000)}, {Value: []byte("c"), Time: time.UnixMilli(4000)}}
	b, err := format{transactional: true}.encode(messages, kafka.ProducerSession{ProducerID: 1 << 40, ProducerEpoch: 7}, 12)
	if err != nil {
		t.Fatal(err)
	}
	var got kmsg.RecordBatch
	if err := got.ReadFrom(b[4:]); err != nil {
		t.Fatal(err)
	}
	want := kmsg.RecordBatch{Length: int32(len(b) - 4 - lengthEnds), PartitionLeaderEpoch: -1, Magic: 2, CRC: got.CRC, Attributes: 0x10, LastOffsetDelta: 2,
		FirstTimestamp: 5000, MaxTimestamp: 9000, ProducerID: 1 << 40, ProducerEpoch: 7, FirstSequence: 12, NumRecords: 3, Records: got.Records}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	size := 4 + batchHeader
	for _, m := range messages {
		size += recordSize(m)
	}
	if cap(b) != size {
		t.Errorf("room for %d bytes was made, %d are enough", cap(b), size)
	}
	begin := time.Now().UnixMilli()
	if at := millis(time.Time{}); at < begin || at > time.Now().UnixMilli() {
		t.Errorf("a message without a time gets %d", at)
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
