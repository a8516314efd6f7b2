package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is one message, or one message a line if each line is valid JSON.
func TestMessagesOfFiles(t *testing.T) {
	for _, row := range []struct {
		name, content string
		want          int
	}{
		{"lines", "{\"a\":1}\n{\"a\":2}\n", 2},
		{"lines of Windows, and empty ones", "\r\n {\"a\":1}\r\n\r\n{\"a\":2}\r\n", 2},
		{"lists", "[{\"a\":1}]\n[{\"a\":2}]", 2},
		{"a broken line", "{\"a\":1}\n{\"a\":", 2},
		{"one line", "{\"a\":1}\n", 1},
		{"an object over lines", "{\n \"a\": 1\n}\n", 1},
		{"bytes", "\xff\xff\xff\xff\n{\n", 1},
		{"numbers", "1\n2\n", 1},
		{"nothing", "", 1},
	} {
		if got := messagesOf("f", []byte(row.content)); len(got) != row.want {
			t.Errorf("%s: %d messages, expected %d", row.name, len(got), row.want)
		}
	}
}

// Columns that pass into Avro are shown with the setting that pins their types.
func TestLintShowsPins(t *testing.T) {
	folder := t.TempDir()
	config, sample := filepath.Join(folder, "unfold.yaml"), filepath.Join(folder, "events.jsonl")
	for path, text := range map[string]string{
		config: `source: {kafka: {brokers: ["localhost:1"], topic: events}, id: event_id, keep: [kind, size, ok, mixed, said], types: ["said:text"], vector: v}
registry: {url: "http://localhost:1"}
sink: {kafka: {topic: places}, format: avro}
dead_letter: {topic: dlq}
state: ` + folder + "\n",
		sample: `{"event_id": 1, "kind": "a", "size": 1, "ok": true, "mixed": 1, "said": "x", "v": [1, 2]}
{"event_id": 2, "kind": "b", "size": 1.5, "ok": false, "mixed": "x", "said": "y", "v": [2, 2]}
`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, stdout, stderr := run(t, "lint", "-c", config, "--sample", sample)
	if want := `source: {types: ["event_id:int", "kind:text", "size:float", "ok:bool", "mixed:text"]}`; !strings.Contains(stdout, want) {
		t.Errorf("lint shows\n%s%s\nwant %s", stdout, stderr, want)
	}
}

// Messages without an event, and changes that do not affect the vector, are no errors.
func TestLintOfChanges(t *testing.T) {
	folder := t.TempDir()
	config, sample := filepath.Join(folder, "unfold.yaml"), filepath.Join(folder, "changes.jsonl")
	for path, text := range map[string]string{
		config: `source: {kafka: {brokers: ["localhost:1"], topic: events}, id: id, vector: v}
sink: {kafka: {topic: places}}
dead_letter: {topic: dlq}
state: ` + folder + "\n",
		sample: `{"id": 1, "v": [1, 2]}
{"id": 2, "v": [2, 1]}
{"ts_ms": 1}
{"id": 1, "v": "__debezium_unavailable_value"}
{"id": 2, "__deleted": "true"}
`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := run(t, "lint", "-c", config, "--sample", sample)
	if want := "1 deletion; 1 message without events; 1 change without the vector"; code != 0 || !strings.Contains(stdout, want) {
		t.Errorf("lint exits with %d\n%s%s\nwant %s", code, stdout, stderr, want)
	}
}

// Fields of a change's envelope can be kept by their paths, so lint knows them. A misspelt one is
// still an error.
func TestLintKnowsFieldsOfEnvelopes(t *testing.T) {
	folder := t.TempDir()
	sample := filepath.Join(folder, "changes.jsonl")
	change := `{"before": null, "after": {"id": 1, "title": "a", "v": [1, 2]}, "source": {"lsn": 5, "db": "shop"}, "op": "c", "ts_ms": 1}` + "\n"
	if err := os.WriteFile(sample, []byte(change), 0o600); err != nil {
		t.Fatal(err)
	}
	for keep, want := range map[string]string{
		"[title, source.lsn, op, ts_ms]": "kept",
		"[title, source.lns, op]":        `column "source.lns": there is no such column`,
	} {
		config := filepath.Join(folder, "unfold.yaml")
		text := `source: {kafka: {brokers: ["localhost:1"], topic: events}, id: id, vector: v, keep: ` + keep + `}
sink: {kafka: {topic: places}}
dead_letter: {topic: dlq}
state: ` + folder + "\n"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := run(t, "lint", "-c", config, "--sample", sample)
		if said := stdout + stderr; (code == 0) != (want == "kept") || !strings.Contains(said, want) || code == 0 && strings.Contains(said, "in 0 of 1 event") {
			t.Errorf("keep %s: lint exits with %d\n%s\nwant %q", keep, code, said, want)
		}
	}
}

// A missing label is no error, since only some events have one, even if all names are single
// letters.
func TestLintOfRareLabels(t *testing.T) {
	folder := t.TempDir()
	config, sample := filepath.Join(folder, "unfold.yaml"), filepath.Join(folder, "events.jsonl")
	for path, text := range map[string]string{
		config: `source: {kafka: {brokers: ["localhost:1"], topic: events}, id: i, label: y, vector: v}
sink: {kafka: {topic: places}}
dead_letter: {topic: dlq}
state: ` + folder + "\n",
		sample: "{\"i\": 1, \"v\": [1, 2]}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, stdout, stderr := run(t, "lint", "-c", config, "--sample", sample); code != 0 {
		t.Errorf("lint exits with %d\n%s%s", code, stdout, stderr)
	}
}
