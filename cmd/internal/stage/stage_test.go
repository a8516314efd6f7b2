package stage

import (
	"testing"
	"time"

	"unfold/cmd/internal/config"
	"unfold/stream"
)

func TestHooksAreJoined(t *testing.T) {
	var calls []string
	tp := stream.TopicPartition{Topic: "t"}
	note := func(who string) stream.Hooks {
		return stream.Hooks{
			Lag:       func(stream.TopicPartition, int64) { calls = append(calls, who+" lag") },
			Published: func(*stream.Published, time.Duration) { calls = append(calls, who+" published") },
		}
	}
	only := note("b")
	only.Retrying = func(string, int, error, time.Duration) { calls = append(calls, "b retrying") }
	h := join(note("a"), only)
	h.Lag(tp, 1)
	h.Published(nil, 0)
	h.Retrying("write", 1, nil, 0)
	want := []string{"a lag", "b lag", "a published", "b published", "b retrying"}
	if len(calls) != len(want) {
		t.Fatalf("calls %v, expected %v", calls, want)
	}
	for i := range want {
		if calls[i] != want[i] {
			t.Errorf("call %d is %q, expected %q", i, calls[i], want[i])
		}
	}
	if h.Assigned != nil || h.EventsIn != nil || h.Delivered != nil {
		t.Error("a hook that nobody wants is there")
	}
}

func TestRefreshNew(t *testing.T) {
	c := config.Defaults()
	if got := refreshNew(c); got != 0.01 {
		t.Errorf("by default a share of %v new events is worth a map", got)
	}
	c.Refresh.New = 0
	if got := refreshNew(c); !(got > 0 && got*1e6 < 1) {
		t.Errorf("a share of 0 becomes %v: want one new event of a million to do", got)
	}
}

func TestSinkBrokers(t *testing.T) {
	c := config.Defaults()
	c.Source.Kafka.Brokers = []string{"a:1"}
	if got, err := SinkCluster(c, nil); err != nil || len(got.Brokers) != 1 || got.Brokers[0] != "a:1" {
		t.Errorf("without brokers of its own the sink goes to %v (%v)", got.Brokers, err)
	}
	c.Sink.Kafka.Brokers = []string{"b:2"}
	if got, err := SinkCluster(c, nil); err != nil || got.Brokers[0] != "b:2" {
		t.Errorf("the sink goes to %v (%v)", got.Brokers, err)
	}
}
