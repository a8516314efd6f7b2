package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

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
