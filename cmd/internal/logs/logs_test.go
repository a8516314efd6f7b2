package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/stream"
	"unfold/stream/fleet"
)

var (
	where   = stream.TopicPartition{Topic: "events", Partition: 1}
	message = stream.Message{TopicPartition: where, Offset: 7}
)

// everything calls every hook once.
func everything(r *Reporter) {
	h, f := r.Hooks(), r.Fleet()
	h.Assigned([]stream.TopicPartition{where, {Topic: "events", Partition: 3}})
	h.Revoked([]stream.TopicPartition{where})
	h.Placed(where, 10, time.Millisecond)
	h.Delivered(where, 2, 10, time.Second/2)
	h.Committed(stream.Position{TopicPartition: where, Offset: 8})
	h.Split(message, 3)
	h.DeadLettered(message, stream.StageDecode, errors.New(message.Where()+": row 3\nis bad"))
	h.Skipped(message, stream.StagePlace, errors.New("too long"))
	h.Gap(&stream.OffsetError{TopicPartition: where, Offset: 1, First: 50, End: 60})
	h.CreatedAgain("events")
	h.Resumed(stream.Position{TopicPartition: where, Offset: 9}, time.Unix(0, 0))
	h.Retrying("write", 3, errors.New("no leader"), 2*time.Second)
	h.Published(&stream.Published{MapID: "0123456789abcdef0123456789abcdef", Version: 4, Epoch: 2, Points: 100}, time.Second)
	h.Encoded(nil, nil)
	h.Encoded([]ingest.Left{{Column: "city", Why: "text"}, {Column: "row", Why: "an id"}}, &ingest.Dominant{Column: "price", Share: .99})
	h.RefreshFailed(errors.New("not finite"))
	h.Drifted(stream.Drift{Version: 4, Window: 200, Reference: 2000, Level: 2, Bound: 3})
	h.Drifted(stream.Drift{Version: 4, Window: 200, Reference: 2000, Level: 4, Bound: 3, Alarm: true, Raised: true,
		Clusters: []stream.ClusterDrift{{Cluster: 3, Neighbors: -1}, {Cluster: 8, Neighbors: 2}, {Cluster: 9, Neighbors: 1}}})
	h.Drifted(stream.Drift{Problem: "too few points"})
	f.Announced(fleet.Announcement{MapID: "0123456789abcdef0123456789abcdef", Version: 4, Epoch: 2, Bytes: 1000}, time.Second)
	f.Refused(fleet.Announcement{Version: 5}, "checksum", errors.New("damaged"))
	f.Malformed(message, errors.New("not JSON"))
	r.Total(time.Minute)
}

// lines returns the lines of all events, as objects by event.
func lines(t *testing.T, level string) map[string]map[string]any {
	t.Helper()
	var b bytes.Buffer
	log, err := New(&b, Settings{Level: level, Format: JSON})
	if err != nil {
		t.Fatal(err)
	}
	everything(NewReporter(log))
	out := map[string]map[string]any{}
	for line := range strings.Lines(b.String()) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		event, ok := o[Event].(string)
		if at, err := time.Parse(time.RFC3339Nano, o["time"].(string)); !ok || out[event] != nil || err != nil || time.Since(at) > time.Hour || o["msg"] == "" {
			t.Errorf("line %q", line)
		}
		out[event] = o
	}
	return out
}

// Every event is one line, with the attributes that a program needs.
func TestEvents(t *testing.T) {
	got := lines(t, "debug")
	want := map[string]map[string]any{
		Assigned:      {"level": "INFO", Topic: "events", Partitions: []any{1., 3.}},
		Revoked:       {"level": "INFO", Topic: "events", Partitions: []any{1.}},
		Delivered:     {"level": "DEBUG", Topic: "events", Partition: 1., Messages: 2., Events: 10., Seconds: .5},
		Committed:     {"level": "DEBUG", Topic: "events", Partition: 1., Offset: 8.},
		Split:         {"level": "WARN", Topic: "events", Partition: 1., Offset: 7., Parts: 3.},
		DeadLettered:  {"level": "WARN", Topic: "events", Partition: 1., Offset: 7., Stage: "VALUE_CONVERTER", Error: "row 3\nis bad"},
		PassedOver:    {"level": "WARN", Topic: "events", Partition: 1., Offset: 7., Stage: string(stream.StagePlace), Error: "too long"},
		Gap:           {"level": "ERROR", Topic: "events", Partition: 1., Offset: 1., FirstOffset: 50., EndOffset: 60.},
		CreatedAgain:  {"level": "WARN", Topic: "events"},
		Resumed:       {"level": "WARN", Topic: "events", Partition: 1., Offset: 9.},
		Retrying:      {"level": "WARN", What: "write", Attempt: 3., Pause: 2., Error: "no leader"},
		MapPublished:  {"level": "INFO", MapID: "0123456789abcdef0123456789abcdef", Version: 4., Epoch: 2., Points: 100., Seconds: 1.},
		Columns:       {"level": "INFO", LeftOut: []any{"city", "row"}},
		Dominating:    {"level": "WARN", Column: "price", Share: .99},
		RefreshFailed: {"level": "ERROR", Error: "not finite"},
		Drifted:       {"level": "WARN", Version: 4., Window: 200., Reference: 2000., Level: 4., Bound: 3., Cluster: 8.},
		DriftProblem:  {"level": "WARN", Error: "too few points"},
		MapAnnounced:  {"level": "INFO", MapID: "0123456789abcdef0123456789abcdef", Version: 4., Epoch: 2., Bytes: 1000., Seconds: 1.},
		MapRefused:    {"level": "ERROR", Version: 5., Reason: "checksum", Error: "damaged"},
		Malformed:     {"level": "WARN", Topic: "events", Partition: 1., Offset: 7., Error: "not JSON"},
		Stopped:       {"level": "INFO", Events: 10., Messages: 2., Letters: 1., Seconds: 60.},
	}
	for event, attrs := range want {
		for name, v := range attrs {
			if g, err := json.Marshal(got[event][name]); err != nil || string(g) != marshal(t, v) {
				t.Errorf("%s: %s is %s, want %v", event, name, g, v)
			}
		}
		if len(got[event]) != len(attrs)+3 { // in addition to time, msg and event
			t.Errorf("%s has other attributes: %v", event, got[event])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d kinds of events, want %d: %v", len(got), len(want), got)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLevels(t *testing.T) {
	for level, want := range map[string]int{"debug": 21, "": 19, "info": 19, "warn": 13, "error": 3} {
		if got := lines(t, level); len(got) != want {
			t.Errorf("level %q logs %d kinds of events, want %d: %v", level, len(got), want, got)
		}
	}
	for _, s := range []Settings{{Level: "loud"}, {Format: "xml"}} {
		if _, err := New(nil, s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// An event is one line also in text format, for any error message.
func TestText(t *testing.T) {
	var b bytes.Buffer
	log, err := New(&b, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	NewReporter(log).Hooks().DeadLettered(message, stream.StageDecode, errors.New("bad\nrow"))
	const want = `level=WARN msg="dead letter" event=dead_letter topic=events partition=1 offset=7 stage=VALUE_CONVERTER error="bad\nrow"` + "\n"
	if _, got, _ := strings.Cut(b.String(), " "); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// At most one line of a kind is written a second. The next one has the number of suppressed lines.
// Other kinds are not delayed.
func TestFloods(t *testing.T) {
	var b bytes.Buffer
	r := NewReporter(slog.New(slog.NewJSONHandler(&b, nil)))
	now := time.Now()
	r.floods.now = func() time.Time { return now }
	h := r.Hooks()
	retry := func(what string) { h.Retrying(what, 1, errors.New("away"), time.Second) }
	for range 5 {
		retry("write")
	}
	retry("commit")
	now = now.Add(time.Second)
	retry("write")
	var held []any
	for line := range strings.Lines(b.String()) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		held = append(held, o[What], o[Held])
	}
	if got := marshal(t, held); got != `["write",null,"commit",null,"write",4]` {
		t.Errorf("the log has %s", got)
	}
}

func TestChangeInAFewWords(t *testing.T) {
	f := &stream.Stats{Kind: "gentle", Born: 5, Gone: 1234, Moves: stream.Quantiles{Median: .123, P90: .5, P99: 1}}
	if got := Change(f, time.Second); got != ", gentle refresh: 5 came, 1,234 went, the others moved by 0.12 / 0.5 / 1 %" {
		t.Error(got)
	}
	f.Alarm, f.Novel, f.Judged = 1, .08, 1000
	if got := Change(f, time.Second); !strings.HasSuffix(got, "; alarm: 8% of the last 1,000 new points are strange") {
		t.Error(got)
	}
	if got := Change(f, 0) + Change(&stream.Stats{Kind: "first"}, time.Second); got != "" {
		t.Error(got)
	}
}
