package stream_test

import (
	"strconv"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// TestBatchSettings: the settings limit what is written together. They also set the pause at the
// end of a partition: none, or until there is a batch.
func TestBatchSettings(t *testing.T) {
	for name, s := range map[string]struct {
		settings stream.Settings
		want     int // messages in the largest batch
	}{
		"by number":             {stream.Settings{BatchMessages: 3}, 3},
		"by bytes":              {stream.Settings{BatchBytes: 4}, 4},
		"without a pause":       {stream.Settings{BatchMessages: 3, Linger: -1}, 3},
		"with a short pause":    {stream.Settings{BatchMessages: 3, Linger: time.Millisecond}, 3},
		"a batch of 4096 bytes": {stream.Settings{BatchBytes: 4096}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			b := streamtest.NewBroker()
			for _, topic := range []string{"in", "out", "dlq"} {
				b.CreateTopic(topic, 1)
			}
			for i := range 20 {
				b.Append("in", 0, stream.Message{Value: []byte(strconv.Itoa(i % 10))})
			}
			p := start(t, b, &streamtest.Learner{Min: 1})
			largest := 0
			p.pipeline.Settings = s.settings
			p.pipeline.Hooks.Placed = func(_ stream.TopicPartition, n int, _ time.Duration) { largest = max(largest, n) }
			run := p.run(t)
			streamtest.Await(t, "all is delivered", func() bool { return p.delivered.Load() == 20 })
			if err := run.Stop(); err != nil {
				t.Fatal(err)
			}
			if largest != s.want {
				t.Errorf("a batch of %d messages, want %d", largest, s.want)
			}
		})
	}
}
