package cli

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// dlq list shows dead letters with their origin and reason. dlq replay writes each of them once,
// unchanged.
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
	// The filter accepts the names that the list prints, and the program's own names.
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
	if out := must(t, "dlq", "replay", "-c", configuration); !strings.Contains(out, "1 dead letter written to topic events, 0 skipped") {
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

// A dead letter that is too large for its topic refers to its source offset. A replay fetches the
// message there. It reports an error if the offset is gone or has another message.
func TestDLQElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead")
	client := kafkatest.NewClient(t, brokers)
	client.Set(t, "dead", "max.message.bytes", "4000")
	junk := make([]byte, 20_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range junk {
		junk[i] = byte(rng.Uint32())
	}
	for p := range 2 {
		client.Produce(t, "events", p, stream.Message{Key: []byte("key"), Value: junk[p:], Headers: []stream.Header{{Key: "mine", Value: []byte("1")}}})
	}
	produce(t, brokers, 0, 20)
	runUntil(t, configuration, `map version 1`, func(address string) {
		streamtest.Await(t, "the dead letters are there", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, `unfold_messages_dead_lettered_total{stage="VALUE_CONVERTER"} 3`)
		})
	})
	if out := must(t, "dlq", "list", "-c", configuration); strings.Count(out, "(the value is there only)") != 2 || !strings.Contains(out, "19.5 KiB (the value is there only)") {
		t.Errorf("the list:\n%s", out)
	}
	if out := must(t, "dlq", "list", "-c", configuration, "--json"); strings.Count(out, `"bytes":20000,"elsewhere":true`) != 1 {
		t.Errorf("as JSON:\n%s", out)
	}
	client.DeleteBefore(t, "events", 1, 1)
	before := contents(t, brokers, "events")
	code, out, stderr := run(t, "dlq", "replay", "-c", configuration)
	if code != 1 || !strings.Contains(out, "2 dead letters written to topic events, 0 skipped") || !strings.Contains(stderr, "topic events, partition 1, offset 0: the message is there no more") {
		t.Errorf("exit %d, %s, %s", code, out, stderr)
	}
	found := 0
	for _, m := range contents(t, brokers, "events") {
		if bytes.Equal(m.Value, junk) {
			found++
			if string(m.Key) != "key" || len(m.Headers) != 1 || m.Headers[0].Key != "mine" {
				t.Errorf("it came back as key %q, headers %v", m.Key, m.Headers)
			}
		}
	}
	if after := len(contents(t, brokers, "events")); found != 2 || after != len(before)+2 {
		t.Errorf("the message is there %d times, %d messages after the replay, %d before", found, after, len(before))
	}
}

// lint and the start of a stage report topics with a smaller message limit than the source's.
func TestSizesAreCompared(t *testing.T) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead")
	client := kafkatest.NewClient(t, brokers)
	produce(t, brokers, 0, 20)
	if out := must(t, "lint", "-c", configuration); !strings.Contains(out, "ok       the sizes that topics take: batches of up to 1.0 MiB fit all of them\n") {
		t.Errorf("all alike:\n%s", out)
	}
	client.Set(t, "places", "max.message.bytes", "4000")
	client.Set(t, "dead", "max.message.bytes", "500000")
	notes := []string{"the topic of the sink, places, takes batches of up to 3.9 KiB", "come in parts", "the topic of dead letters, dead, takes batches of up to 488.3 KiB", "without their value"}
	out := must(t, "lint", "-c", configuration)
	for _, note := range notes {
		if !strings.Contains(out, note) {
			t.Errorf("lint does not say %q:\n%s", note, out)
		}
	}
	log := runUntil(t, configuration, `map version 1`, func(string) {})
	for _, note := range notes {
		if !strings.Contains(log, note) {
			t.Errorf("run does not say %q:\n%s", note, log)
		}
	}
	if out := must(t, "lint", "-c", configuration, "--sink-kafka-too-large", "dead-letter"); !strings.Contains(out, "become dead letters") {
		t.Errorf("with dead letters:\n%s", out)
	}
}

// lint and the start of a stage report topics that reject some records: compacted topics, and
// topics that limit message timestamps.
func TestRefusalsAreForeseen(t *testing.T) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead")
	client := kafkatest.NewClient(t, brokers)
	produce(t, brokers, 0, 20)
	client.Set(t, "places", "cleanup.policy", "compact,delete")
	client.Set(t, "dead", "cleanup.policy", "compact")
	client.Set(t, "events", "message.timestamp.before.max.ms", "864000000")
	client.Set(t, "places", "message.timestamp.before.max.ms", "360000000")
	notes := []string{"the topic of the sink, places, is compacted", "messages without a key become dead letters", "the topic of dead letters, dead, is compacted",
		"a dead letter without a key ends the stage", "places, has message.timestamp.before.max.ms 360000000, the source's 864000000"}
	said := func(who, text string) {
		for _, note := range notes {
			if strings.Count(text, note) != 1 {
				t.Errorf("%s does not say %q once:\n%s", who, note, text)
			}
		}
	}
	said("lint", must(t, "lint", "-c", configuration))
	said("run", runUntil(t, configuration, `map version 1`, func(string) {}))
	client.Set(t, "places", "cleanup.policy", "delete")
	client.Set(t, "places", "message.timestamp.type", "LogAppendTime")
	client.Set(t, "dead", "cleanup.policy", "delete")
	if out := must(t, "lint", "-c", configuration); !strings.Contains(out, "ok       the sizes that topics take") {
		t.Errorf("all alike:\n%s", out)
	}
}

// contents returns all messages of a topic.
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
