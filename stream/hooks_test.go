package stream_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

func TestHooks(t *testing.T) {
	b := newBroker(1)
	for n := range 10 {
		b.Append("in", 0, stream.Message{Value: fmt.Append(nil, n)})
	}
	p := start(t, b, &streamtest.Learner{})
	var mu sync.Mutex
	seen := map[string]int{}
	count := func(name string, n int) {
		mu.Lock()
		defer mu.Unlock()
		seen[name] += n
	}
	lag := int64(-1)
	ctx, cancel := context.WithCancel(context.Background())
	p.pipeline.Hooks = stream.Hooks{
		Assigned: func(tps []stream.TopicPartition) { count("assigned", len(tps)) },
		Revoked:  func(tps []stream.TopicPartition) { count("revoked", len(tps)) },
		Fetched:  func(_ stream.TopicPartition, n int) { count("fetched", n) },
		EventsIn: func(_ stream.TopicPartition, n int) { count("events", n) },
		Placed:   func(_ stream.TopicPartition, n int, _ time.Duration) { count("placed", n) },
		Delivered: func(_ stream.TopicPartition, m, e int, latency time.Duration) {
			count("messages", m)
			count("delivered", e)
			if latency <= 0 || latency > time.Hour {
				t.Errorf("latency %v", latency)
			}
		},
		Lag: func(_ stream.TopicPartition, n int64) {
			mu.Lock()
			defer mu.Unlock()
			if lag = n; n == 0 && seen["committed"] > 0 {
				cancel()
			}
		},
		Committed: func(stream.Position) { count("committed", 1) },
	}
	p.pipeline.Settings.LagEvery = time.Millisecond
	if err := p.pipeline.Run(ctx); err != nil {
		t.Fatal(err)
	}
	p.source.Close()
	for name, want := range map[string]int{"assigned": 1, "revoked": 1, "fetched": 10, "events": 10, "placed": 10, "messages": 10, "delivered": 10} {
		if seen[name] != want {
			t.Errorf("%s: %d, want %d", name, seen[name], want)
		}
	}
	if lag != 0 || seen["committed"] == 0 {
		t.Errorf("lag %d, %d commits", lag, seen["committed"])
	}
}

func TestSettings(t *testing.T) {
	b := newBroker(1)
	for name, s := range map[string]stream.Settings{
		"negative": {BatchBytes: -1}, "retry": {RetryMin: time.Second, RetryMax: time.Millisecond}, "drain": {DrainTimeout: -1},
	} {
		p := start(t, b, &streamtest.Learner{})
		p.pipeline.Settings = s
		if err := p.pipeline.Run(context.Background()); err == nil {
			t.Errorf("%s: no error", name)
		}
		p.source.Close()
	}
	if err := (&stream.Pipeline{}).Run(context.Background()); err == nil {
		t.Error("an empty pipeline runs")
	}
}

func TestOrigin(t *testing.T) {
	if _, _, ok := stream.Origin(&stream.Message{}); ok {
		t.Error("a message without headers has an origin")
	}
	m := &stream.Message{Headers: []stream.Header{
		{Key: stream.HeaderSourceTopic, Value: []byte("in")}, {Key: stream.HeaderSourcePartition, Value: []byte("2")},
		{Key: stream.HeaderSourceOffset, Value: []byte("77")}, {Key: stream.HeaderModelVersion, Value: []byte("5")}}}
	want := stream.Position{TopicPartition: stream.TopicPartition{Topic: "in", Partition: 2}, Offset: 77}
	if p, v, ok := stream.Origin(m); !ok || v != 5 || p != want {
		t.Errorf("%v, version %d, %v", p, v, ok)
	}
}
