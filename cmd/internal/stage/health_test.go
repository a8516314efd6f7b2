package stage

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/kafka"
)

var tp = stream.TopicPartition{Topic: "in", Partition: 3}

// Revoked partitions are reported differently from partitions that were never assigned.
func TestShareless(t *testing.T) {
	h := newHealth()
	hooks := h.hooks()
	if err := h.shareless(); err.Error() != "no share of the source yet" {
		t.Errorf("at the start: %v", err)
	}
	hooks.Assigned([]stream.TopicPartition{tp})
	hooks.Revoked([]stream.TopicPartition{tp})
	h.lost = h.lost.Add(-9 * time.Second)
	if err := h.shareless(); !strings.HasPrefix(err.Error(), "no share of the source since ") || !strings.Contains(err.Error(), "(9.0s): the group's coordinator has not") {
		t.Errorf("given back: %v", err)
	}
	hooks.Assigned(nil)
	if err := h.shareless(); err.Error() != "no share of the source yet" {
		t.Errorf("a member without partitions: %v", err)
	}
}

// A stage that should read all partitions but owns none is not ready, and reports why: the topic
// was deleted, or the reason is unknown. One of several members may own none.
func TestEmpty(t *testing.T) {
	h := newHealth()
	h.topic, h.sole = "in", true
	hooks := h.hooks()
	if err := h.empty(); err != nil {
		t.Errorf("before a share: %v", err)
	}
	gone := fmt.Errorf("topic in: %w", stream.ErrUnknownTopic)
	hooks.Retrying("topic", 1, gone, time.Second)
	hooks.Assigned(nil)
	trouble := h.troubles["topic"]
	trouble.since = trouble.since.Add(-time.Minute)
	h.troubles["topic"] = trouble
	hooks.Retrying("topic", 60, gone, time.Second)
	if err := h.away(nil, true); !errors.Is(err, stream.ErrUnknownTopic) || !strings.Contains(err.Error(), "(1m0s)") || strings.Contains(err.Error(), "away") {
		t.Errorf("without a topic: %v", err)
	}
	if err := h.empty(); err == nil || !strings.HasPrefix(err.Error(), "no partition of topic in is read since ") {
		t.Errorf("without a partition: %v", err)
	}
	h.sole = false
	if err := h.empty(); err != nil {
		t.Errorf("one of several members: %v", err)
	}
	h.sole = true
	hooks.Assigned([]stream.TopicPartition{tp})
	if err := errors.Join(h.empty(), h.away(nil, true)); err != nil {
		t.Errorf("with a partition: %v", err)
	}
}

// Reports while the source cannot be read, and none after it recovers.
func TestAway(t *testing.T) {
	h := newHealth()
	hooks := h.hooks()
	brokers := []string{"one:9092", "two:9092"}
	if err := h.away(brokers, false); err != nil {
		t.Errorf("without any trouble: %v", err)
	}
	refused := errors.New("connection refused")
	hooks.Retrying("fetch", 1, errors.New("first"), time.Second)
	hooks.Retrying("fetch", 2, refused, time.Second)
	if err := h.away(brokers, true); err != nil {
		t.Errorf("at once, with a share: %v", err)
	}
	if err := h.away(brokers, false); err == nil || !strings.Contains(err.Error(), "brokers, one:9092, two:9092, are away since") || !strings.HasSuffix(err.Error(), "fetch failed: connection refused") {
		t.Errorf("without a share: %v", err)
	}
	f := h.troubles["fetch"]
	f.since = f.since.Add(-time.Minute)
	h.troubles["fetch"] = f
	hooks.Retrying("fetch", 3, refused, time.Second)
	if err := h.away(brokers, true); err == nil || !strings.Contains(err.Error(), "(1m0s)") {
		t.Errorf("after a minute: %v", err)
	}
	hooks.Fetched(tp, 1)
	if err := h.away(brokers, false); err != nil {
		t.Errorf("when it is over: %v", err)
	}
	hooks.Retrying("join", 1, &kafka.OccupiedError{Group: "g", Members: []kafka.Member{{Who: "host, process 7"}}}, time.Second)
	if err := h.away(brokers, false); err == nil || strings.Contains(err.Error(), "away") || !strings.HasSuffix(err.Error(), "group g is taken by host, process 7") {
		t.Errorf("another has the group: %v", err)
	}
	hooks.Assigned(nil)
	if err := h.away(brokers, false); err != nil {
		t.Errorf("when the other has gone: %v", err)
	}
}

// A single broken connection, as at the end of a session, does not count as an unreachable broker;
// nor does a missing permission.
func TestNotAway(t *testing.T) {
	h := newHealth()
	hooks := h.hooks()
	hooks.Retrying("fetch", 1, io.EOF, time.Second)
	if err := h.away(nil, false); err != nil {
		t.Errorf("one connection: %v", err)
	}
	hooks.Recovered("fetch")
	if h.trouble(asking) != nil {
		t.Error("it works again, and is still a trouble")
	}
	for attempt := range 3 {
		hooks.Retrying("join", attempt, fmt.Errorf("group g: %w", &kafka.DeniedError{Err: errors.New("refused"), Right: "Read"}), time.Second)
	}
	if err := h.away(nil, false); err == nil || strings.Contains(err.Error(), "away") || !strings.Contains(err.Error(), "join failed: group g") {
		t.Errorf("without a right: %v", err)
	}
}

// Reports about stalled partitions.
func TestStill(t *testing.T) {
	h := newHealth()
	hooks := h.hooks()
	if err := h.still(nil); err != nil {
		t.Errorf("nothing stands still: %v", err)
	}
	list := []stream.Standing{{TopicPartition: tp, Ahead: 17, Since: time.Now().Add(-40 * time.Second)}}
	if err := h.still(list); err == nil || !strings.Contains(err.Error(), "it is not known why") {
		t.Errorf("without a trouble: %v", err)
	}
	for what, over := range map[string]func(){
		"write":       func() { hooks.Delivered(tp, 1, 1, 0) },
		"dead letter": func() { hooks.DeadLettered(stream.Message{}, stream.StageDecode, errors.New("bad")) },
		"transaction": func() { hooks.Delivered(tp, 1, 1, 0) },
		"commit":      func() { hooks.Committed(stream.Position{}) },
	} {
		hooks.Retrying(what, 1, errors.New("too large"), time.Second)
		err := h.still(list)
		if err == nil || !strings.Contains(err.Error(), "topic in, partition 3, since ") || !strings.Contains(err.Error(), "(40s) with 17 messages ahead; "+what+" has failed since ") || !strings.HasSuffix(err.Error(), "too large") {
			t.Errorf("%s: %v", what, err)
		}
		if over(); h.trouble(handing) != nil {
			t.Errorf("%s is still a trouble", what)
		}
	}
	hooks.Retrying("open transaction", 1, errors.New("of producer id 7"), time.Second)
	if err := errors.Join(h.away(nil, true), h.still(list)); err == nil || !strings.HasSuffix(err.Error(), "with 17 messages ahead; of producer id 7") {
		t.Errorf("another program's transaction: %v", err)
	}
	if hooks.Recovered("open transaction"); h.trouble(waiting) != nil {
		t.Error("a transaction that has ended is still a trouble")
	}
	hooks.Retrying("open transaction", 1, errors.New("of producer id 7"), time.Second)
	hooks.Revoked([]stream.TopicPartition{tp})
	hooks.Assigned([]stream.TopicPartition{{Topic: "in", Partition: 4}}) // another one, which it does not block
	if err := h.still(list); err == nil || strings.Contains(err.Error(), "producer id 7") {
		t.Errorf("in another partition: %v", err)
	}
	if err := h.still(make([]stream.Standing, 9)); err == nil || !strings.Contains(err.Error(), "and 5 more") {
		t.Errorf("many: %v", err)
	}
}

// A topic without usable messages is reported until a message is usable.
func TestUseless(t *testing.T) {
	h := newHealth()
	hooks := h.hooks()
	if text := h.useful(); text != "" {
		t.Errorf("before any message: %s", text)
	}
	hooks.DeadLettered(stream.Message{}, stream.StageDecode, errors.New("not Arrow"))
	hooks.Skipped(stream.Message{}, stream.StageDecode, errors.New("too short"))
	hooks.EventsIn(tp, 5) // decoded, but not placed
	hooks.DeadLettered(stream.Message{}, stream.StagePlace, errors.New("no column"))
	if text := h.useful(); !strings.Contains(text, "of 3 messages read since the start none could be used") || !strings.HasSuffix(text, "no column") {
		t.Errorf("after three: %s", text)
	}
	hooks.EventsIn(tp, 5)
	if text := h.useful(); text != "" {
		t.Errorf("after a good one: %s", text)
	}
}
