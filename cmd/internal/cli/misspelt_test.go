package cli

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// misspeltEvents returns JSON events, one a line.
func misspeltEvents(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"event_id": "e%d", "embedding": [%d, %d.5, 2, 1], "kind": "k%d", "size": %d}`, i, i%7, i%11, i%3, i))
	}
	return lines
}

// lint compares every column named in the configuration with the messages. The error names the
// setting, the nearest column and all columns.
func TestLintComparesNamedColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "one.jsonl", misspeltEvents(1)[0])
	write(t, "more.jsonl", strings.Join(misspeltEvents(20), "\n"))
	for _, c := range []struct{ source, wrong string }{
		{"id: event_id, keep: [kind, size]", ""},
		{"id: event_id, vector: embedding, label: kind", ""},
		{"id: event_id, columns: [size, 'k*']", ""},
		{"id: event_id, label: comment", ""}, // only some events have labels
		{"id: event_id, keep: [comment], types: ['comment:text']", ""},
		{"id: event_id, types: ['later:text']", ""},
		{"id: event_id, columns: [size, comment], missing: mean", ""}, // no similar name, and values may be missing
		{"id: event_id, types: ['sizes:float']", `source.types: column "sizes": there is no such column; did you mean "size"?`},
		{"id: eventid", `source.id: column "eventid": there is no such column; did you mean "event_id"?`},
		{"id: nothing_like_it", `source.id: column "nothing_like_it": there is no such column; the columns are event_id, embedding, kind, size`},
		{"id: event_id, vector: embeding", `source.vector: column "embeding": there is no such column; did you mean "embedding"?`},
		{"id: event_id, columns: [sise]", `source.columns: column "sise": there is no such column; did you mean "size"?`},
		{"id: event_id, label: kinds", `source.label: column "kinds": there is no such column; did you mean "kind"?`},
		{"id: event_id, keep: [kind, sizes]", `source.keep: column "sizes": there is no such column; did you mean "size"?`},
		{"id: event_id, keep: [comment]", `source.keep: column "comment": there is no such column; the columns are event_id, embedding, kind, size; if it comes`},
	} {
		write(t, "unfold.yaml", "source: {kafka: {brokers: ['127.0.0.1:1'], topic: events}, "+c.source+"}\nsink: {kafka: {topic: places}}\n")
		for _, sample := range []string{"one.jsonl", "more.jsonl"} {
			code, out, stderr := run(t, "lint", "-c", "unfold.yaml", "--sample", sample)
			if (code == 0) != (c.wrong == "") || !strings.Contains(out, c.wrong) || strings.Contains(out, "wrong") != (c.wrong != "") {
				t.Errorf("%s, %s: exit %d\n%s%s\nwant %q", c.source, sample, code, out, stderr, c.wrong)
			}
		}
	}
	// An error is reported for an event without an id.
	write(t, "unfold.yaml", "source: {kafka: {brokers: ['127.0.0.1:1'], topic: events}, id: event_id}\nsink: {kafka: {topic: places}}\n")
	write(t, "some.jsonl", strings.Join(append(misspeltEvents(3), `{"embedding": [1, 2, 3, 4]}`), "\n"))
	if code, out, _ := run(t, "lint", "-c", "unfold.yaml", "--sample", "some.jsonl"); code != 1 || !strings.Contains(out, `some.jsonl, line 4: column "event_id": there is no such column; the columns are embedding`) {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// misspeltTopic fills a topic with JSON events, and returns a configuration that names other
// columns.
func misspeltTopic(t *testing.T, n int) (configuration string) {
	t.Helper()
	brokers, configuration := broker(t, "events", "places", "dead")
	var messages []stream.Message
	for _, line := range misspeltEvents(n) {
		messages = append(messages, stream.Message{Value: []byte(line)})
	}
	send(t, brokers, 0, 0, nil, messages...)
	return configuration
}

// lint reads messages of the topic, and checks that the HTTP address is free.
func TestLintOfATopicWithOtherColumns(t *testing.T) {
	configuration := misspeltTopic(t, 5)
	lint := func(more ...string) (int, string) {
		code, out, _ := run(t, append([]string{"lint", "-c", configuration, "--source-vector", ""}, more...)...)
		return code, out
	}
	if code, out := lint("--source-id", "event_id"); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out := lint("--source-id", "eventid"); code != 1 || !strings.Contains(out, `wrong    a message of the source: source.id: column "eventid": there is no such column; did you mean "event_id"?`) {
		t.Errorf("exit %d\n%s", code, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := l.Addr().String()
	if code, out := lint("--source-id", "event_id", "--http", address); code != 1 || !strings.Contains(out, "wrong    the address of http, "+address+": ") || !strings.Contains(out, "address already in use") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// A stage ends immediately if no event has the configured id or vector column. The error names it,
// and nothing is delivered.
func TestRunRefusesNamesThatNoEventHas(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"id", []string{"--source-id", "eventid"}, `column "eventid": there is no such column; did you mean "event_id"?`},
		{"columns", []string{"--source-id", "event_id", "--source-columns", "sise"}, `column "sise": there is no such column; did you mean "size"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration := misspeltTopic(t, 150)
			code, _, stderr := run(t, append([]string{"run", "-c", configuration, "--source-vector", "", "--reference-min", "120"}, c.flags...)...)
			if code == 0 || !strings.Contains(stderr, `none of the first 100 events has a column that the configuration names`) || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d: %s", code, stderr)
			}
			if out := must(t, "dlq", "list", "-c", configuration); !strings.Contains(out, "0 dead letters") {
				t.Errorf("dead letters:\n%s", out)
			}
		})
	}
}

// A stage that restarts with an id that no event has ends as at its first start, instead of writing
// a dead letter for every event. With the right name it continues.
func TestRestartRefusesAnIDThatNoEventHas(t *testing.T) {
	configuration := misspeltTopic(t, 150)
	brokers := []string{brokerOf(t, configuration)}
	start := func(id string) *member {
		return join(t, "-c", configuration, "--source-vector", "", "--source-id", id, "--reference-min", "120")
	}
	placed := func(m *member, events int) {
		streamtest.Await(t, "events are placed", func() bool {
			_, body := get(t, m.address(), "/metrics")
			return strings.Contains(body, fmt.Sprintf("unfold_events_placed_total %d\n", events))
		})
		if code := m.leave(); code != 0 {
			t.Errorf("exit %d", code)
		}
	}
	placed(start("event_id"), 150)
	var more []stream.Message
	for _, line := range misspeltEvents(130) {
		more = append(more, stream.Message{Value: []byte(line)})
	}
	send(t, brokers, 0, 0, nil, more...)
	m := start("eventid")
	if code := m.wait(); code == 0 || !strings.Contains(m.log.String(), "none of the first 1") || !strings.Contains(m.log.String(), ` events has a column that the configuration names`) ||
		!strings.Contains(m.log.String(), `column "eventid": there is no such column; did you mean "event_id"?`) {
		t.Errorf("exit %d", code)
	}
	if out := must(t, "dlq", "list", "-c", configuration); !strings.Contains(out, "0 dead letters") {
		t.Errorf("dead letters:\n%s", out)
	}
	placed(start("event_id"), 130)
}

// brokerOf returns the broker named in a configuration.
func brokerOf(t *testing.T, configuration string) string {
	t.Helper()
	var c struct {
		Source struct{ Kafka struct{ Brokers []string } }
	}
	if err := yaml.Unmarshal([]byte(page(t, configuration)), &c); err != nil || len(c.Source.Kafka.Brokers) != 1 {
		t.Fatalf("%s: %v", configuration, err)
	}
	return c.Source.Kafka.Brokers[0]
}
