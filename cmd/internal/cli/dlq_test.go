package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// Dead letters are listed with where they came from and why, and replayed once, as
// they were.
func TestDLQ(t *testing.T) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead")
	produce(t, brokers, 0, 20)
	runUntil(t, configuration, `map version 1`, func(address string) {
		streamtest.Await(t, "a dead letter is there", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, `unfold_messages_dead_lettered_total{stage="VALUE_CONVERTER"} 1`)
		})
	})
	out := must(t, "dlq", "list", "-c", configuration)
	if !strings.Contains(out, "1 dead letter\n") || !strings.Contains(out, "from events/0, offset") || !strings.Contains(out, " 9 B: this is not an Arrow IPC stream") || !strings.Contains(out, "VALUE_CONVERTER *ingest.Error") {
		t.Errorf("the list:\n%s", out)
	}
	if out := must(t, "dlq", "list", "-c", configuration, "--stage", "place"); !strings.HasPrefix(out, "0 dead letters") {
		t.Errorf("of another stage:\n%s", out)
	}
	// What the list prints can be given to it, and the program's own words.
	_, counts, _ := strings.Cut(out, "1 dead letter\n")
	for _, stage := range []string{strings.Fields(counts)[1], "decode", "value_converter"} {
		if out := must(t, "dlq", "list", "-c", configuration, "--stage", stage); !strings.Contains(out, "1 dead letter\n") {
			t.Errorf("of stage %s:\n%s", stage, out)
		}
	}
	if code, _, stderr := run(t, "dlq", "list", "-c", configuration, "--stage", "VALUE"); code != 2 || !strings.Contains(stderr, `"VALUE" is none of KAFKA_CONSUME, VALUE_CONVERTER, TRANSFORMATION`) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if out := must(t, "dlq", "list", "-c", configuration, "--json"); !strings.Contains(out, `"topic":"events"`) || strings.Count(out, "\n") != 1 {
		t.Errorf("as JSON:\n%s", out)
	}
	before := contents(t, brokers, "events")
	if out := must(t, "dlq", "replay", "-c", configuration, "--dry-run"); !strings.Contains(out, "1 dead letter would be written to topic events") {
		t.Errorf("a dry run says %s", out)
	}
	if n := len(contents(t, brokers, "events")); n != len(before) {
		t.Errorf("a dry run wrote %d messages", n-len(before))
	}
	if out := must(t, "dlq", "replay", "-c", configuration); !strings.Contains(out, "1 dead letter written to topic events, 0 passed over") {
		t.Errorf("replay says %s", out)
	}
	after := contents(t, brokers, "events")
	bad := 0
	for _, m := range after {
		if string(m.Value) == "not Arrow" {
			bad++
			if len(m.Headers) != 0 {
				t.Errorf("it has the headers %v", m.Headers)
			}
		}
	}
	if len(after) != len(before)+1 || bad != 2 {
		t.Errorf("%d messages after the replay, %d before; the bad one %d times", len(after), len(before), bad)
	}
	if out := must(t, "dlq", "replay", "-c", configuration); !strings.Contains(out, "0 dead letters written") {
		t.Errorf("a second replay says %s", out)
	}
	if code, _, stderr := run(t, "dlq", "list", "-c", configuration, "--dead-letter-topic", "nowhere"); code != 1 || !strings.Contains(stderr, "topic nowhere") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// contents reads a topic.
func contents(t *testing.T, brokers []string, topic string) (all []stream.Message) {
	t.Helper()
	r, err := kafka.OpenTopic(context.Background(), kafka.TopicSettings{Cluster: kafka.Cluster{Brokers: brokers}, Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		messages, err := r.Next(context.Background())
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, messages...)
	}
}
