package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unfold/stream"
)

// TestPage: saved results are on the page in the order of the scenarios. Pieces of a long run are
// merged, and repeated runs count once.
func TestPage(t *testing.T) {
	f := Folder(filepath.Join(t.TempDir(), "results"))
	save := func(kind, name string, v any) {
		t.Helper()
		if err := f.Save(kind, name, v); err != nil {
			t.Fatal(err)
		}
	}
	save("run", "network seed 2", Run{Scenario: "network", Broker: "embedded", Delivery: "at-least-once", Seed: 2, Faults: map[string]int{"cut": 3, "away": 5},
		Named: 4, Unmet: 1, Lag: new(int64), Inputs: 100, Placed: 94, Letters: 6, Duplicates: 2, Seconds: 90, Begun: time.Date(2026, 11, 22, 13, 5, 0, 0, time.UTC)})
	save("run", "kill seed 1", Run{Scenario: "kill", Seed: 1, Lost: 1, Complaints: []string{"input a is lost"}})
	save("soak", "embedded", Soak{Broker: "embedded", Seconds: 3600, Memory: Trend{100, -1.5}})
	grown := Topics{What: "grown", Broker: "embedded", Delivery: "exactly-once", Seed: 1, Times: 3, Seconds: 60}
	for _, d := range []time.Duration{3 * time.Second, 11 * time.Second, 2 * time.Second, time.Minute} {
		grown.Took(d, d < time.Minute)
	}
	grown.Count([]stream.Message{{Key: []byte("a")}, {Key: []byte("b")}, {Key: []byte("a")}}, map[string]bool{"a": true, "c": true})
	if grown.Judge(); len(grown.Complaints) != 3 {
		t.Errorf("complaints %q", grown.Complaints)
	}
	save("topics", "grown", grown)
	save("inflating", "junk", Inflating{Load: "junk", Broker: "embedded", Inputs: 9, Bytes: 540e6, Letters: 9, Peak: 300e6, Bound: 535e6, Seconds: 6})
	save("mutations", "0", Mutations{First: 0, Lots: 2, Decoded: 10, Refused: 20, Most: 3 << 20, Limit: 16 << 20, Seconds: 30})
	save("mutations", "2", Mutations{First: 2, Lots: 1, Decoded: 1, Refused: 2, Most: 5 << 20, Limit: 16 << 20, Seconds: 30})
	save("mutations", "1", Mutations{First: 1, Lots: 1, Decoded: 5, Refused: 9, Most: 1 << 20, Limit: 16 << 20, Seconds: 15})
	save("mutations", "json 0", Mutations{Format: "json", First: 0, Lots: 1, Decoded: 7, Refused: 1, Most: 1 << 20, Limit: 16 << 20, Seconds: 30})
	var b strings.Builder
	if err := Page(&b, f); err != nil {
		t.Fatal(err)
	}
	rest := b.String()
	for _, want := range []string{
		"2 runs with faults (5 away, 3 cut) read 100 messages: 1 lost, 0 wrong outputs, 0 duplicates with exactly-once delivery. All promises held in 1 of these runs.",
		"- kill, seed 1: input a is lost",
		"| grown | embedded | exactly-once | 1 | 3 | 2 | 1 | 1 | 1 | 3.0 | 11.0 | 1.0 | - | **broken** |",
		"| junk | embedded | 9 | 540 | 0 | 9 | 0 | 300 | 535 | 0.1 | - | kept |",
		"| embedded | - | 60.0 | 0 | 0 | 0 | 0 | 0 | 100.0-1.5 |",
		"| arrow | 33 | 11 | 22 | 0 | 5.0 MiB | 16 MiB | 1.0 |",
		"| json | 8 | 7 | 1 | 0 | 1.0 MiB | 16 MiB | 0.5 |",
		details,
		"| kill |", "| 1 | 0 | 0 | - | 0.0 | - | **broken** |",
		"| network | embedded | at-least-once | 2 | 5 away, 3 cut | 3 | 100 | 94 | 6 | 0 | 2 | 0 | 0 | 1.5 | 2026-11-22 13:05 | kept |",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q is not, or not at its place, on\n%s", want, b.String())
		}
		rest = after
	}
}

// TestNothing: a folder without results leads to no page, and damaged results are named.
func TestNothing(t *testing.T) {
	f := Folder(t.TempDir())
	if err := Page(&strings.Builder{}, f); err == nil {
		t.Error("a page of nothing")
	}
	if err := Folder("").Save("run", "x", Run{}); err != nil {
		t.Error(err)
	}
	file := filepath.Join(string(f), "soak-x.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Page(&strings.Builder{}, f); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
}
