package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"unfold/cmd/internal/logs"
	"unfold/stream/streamtest"
)

// TestLog runs the stage with a JSON log: each line is an object, even that of a failure. Entries
// about an event name its message.
func TestLog(t *testing.T) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead")
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, string(text)+"log: {format: json, level: debug}\n")
	produce(t, brokers, 0, 40)
	m := join(t, "-c", configuration)
	address := m.said(`"msg":"answering on http://\S+ .*"address":"([^"]+)"`)[1]
	streamtest.Await(t, "all is delivered and committed", func() bool {
		_, body := get(t, address, "/metrics")
		return strings.Contains(body, "unfold_messages_delivered_total 40\n") && strings.Contains(body, "unfold_messages_dead_lettered_total{stage=\"VALUE_CONVERTER\"} 1\n")
	})
	code, _, stderr := run(t, "run", "-c", configuration, "--http", "off") // the first process has locked the state
	if code != 1 || m.leave() != 0 {
		t.Fatalf("exit %d of the second, %d of the first", code, m.code)
	}
	second := objects(t, stderr)
	if last := second[len(second)-1]; last[logs.Event] != logs.Failed || !strings.Contains(last[logs.Error].(string), "in use by another stage") {
		t.Errorf("the second stage ended with %v", last)
	}
	seen := map[any]map[string]any{}
	for _, o := range objects(t, m.log.String()) {
		seen[o[logs.Event]] = o
	}
	for _, event := range []string{logs.Starting, logs.Serving, logs.NoMap, logs.Assigned, logs.MapPublished, logs.Delivered, logs.Committed, logs.DeadLettered, logs.Stopping, logs.Stopped, logs.Revoked} {
		if seen[event] == nil {
			t.Errorf("the log has no %s", event)
		}
	}
	if d := seen[logs.DeadLettered]; d[logs.Topic] != "events" || d[logs.Partition] == nil || d[logs.Offset] == nil || d[logs.Stage] != "VALUE_CONVERTER" {
		t.Errorf("the dead letter: %v", d)
	}

	// A wrong log level is reported like any other setting.
	if code, _, stderr := run(t, "run", "-c", configuration, "--log-level", "warm"); code != 2 || !strings.Contains(stderr, "did you mean warn?") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// objects parses the lines of a JSON log.
func objects(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, o)
	}
	return all
}
