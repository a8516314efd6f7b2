package metrics

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/fleet"
)

func page(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestHooksCount(t *testing.T) {
	m := New("v1.2.3")
	h := m.Hooks()
	tp := stream.TopicPartition{Topic: "events", Partition: 3}
	h.MessageIn(tp, "json")
	h.MessageIn(tp, "json")
	h.EventsIn(tp, 40)
	h.EventsIn(tp, 2)
	h.Placed(tp, 42, 3*time.Millisecond)
	h.Delivered(tp, 7, 42, time.Second)
	h.Lag(tp, 11)
	h.Committed(stream.Position{TopicPartition: tp, Offset: 99})
	h.Split(stream.Message{}, 3)
	h.DeadLettered(stream.Message{}, stream.StageDecode, errors.New("bad"))
	h.Retrying("write", 1, errors.New("gone"), time.Second)
	h.RefreshFailed(errors.New("few"))
	h.Drifted(stream.Drift{Window: 200, Tree: 1.5, Neighbors: 4.5, Degree: -2, Level: 4.5, Bound: 2.5, Alarms: 2, Events: 1000, Skipped: 30})
	f := stream.Stats{
		Kind: "gentle", LoglikPair: -2.5, Diameter: 40, Moves: stream.Quantiles{Median: .1, P90: .2, P99: .3},
		Drift: stream.Quantiles{P99: 7}, Novel: .06, Alarm: 3, Voted: 40, Wrong: 10, OldestAge: time.Minute, Events: 9, Upserts: 4, UnknownDeletes: 5,
		Classes: stream.ClassStats{Classes: 7, Took: 1500 * time.Millisecond, Used: 600, Warm: 550, Sweeps: 3, Negative: 2, Labelled: 801, Behind: 8},
	}
	h.Published(&stream.Published{Version: 5, Epoch: 2, Points: 1234, At: time.Now().Add(-time.Minute), Stats: f}, 2*time.Second)
	h.Published(&stream.Published{Version: 6, Epoch: 2, Points: 1234, At: time.Now().Add(-time.Minute), Stats: f}, 0)
	h.Moved(17)
	got := page(t, m)
	for _, want := range []string{
		`unfold_messages_read_total{format="json"} 2`, "unfold_events_read_total 42", "unfold_events_placed_total 42", "unfold_messages_delivered_total 7",
		`unfold_lag_messages{partition="3",topic="events"} 11`, `unfold_committed_offset{partition="3",topic="events"} 99`,
		"unfold_messages_split_total 1", `unfold_messages_dead_lettered_total{stage="VALUE_CONVERTER"} 1`, `unfold_retries_total{op="write",what="write"} 1`,
		"unfold_refresh_failures_total 1", "unfold_snapshot_version 6", "unfold_map_epoch 2", "unfold_snapshot_points 1234",
		"unfold_refresh_seconds_count 1", `unfold_place_seconds_bucket{le="0.004"} 1`, "unfold_delivery_seconds_count 1",
		"unfold_snapshot_age_seconds 6", `unfold_refreshes_total{kind="gentle"} 1`, "unfold_moves_published_total 17", "unfold_moves_told_total 17", "unfold_map_novel_share 0.06", "unfold_map_label_error 0.25",
		"unfold_map_loglik_per_pair -2.5", "unfold_map_diameter 40", `unfold_map_moves_ratio{quantile="0.9"} 0.002`, `unfold_map_moves_percent{quantile="0.9"} 0.2`,
		"unfold_drift_level 4.5", "unfold_drift_bound 2.5", `unfold_drift_deviations{test="degree"} -2`, "unfold_drift_alarms_total 2", "unfold_drift_events_skipped_total 30",
		`unfold_map_drift_ratio{quantile="0.99"} 0.07`, `unfold_map_drift_percent{quantile="0.99"} 7`, "unfold_map_novel_ratio 0.06", "unfold_map_alarm_refreshes 3", "unfold_map_label_error_ratio 0.25",
		"unfold_reference_oldest_seconds 60", `unfold_reference_total{op="taken",what="taken"} 9`, `unfold_reference_total{op="upsert",what="upsert"} 4`,
		`unfold_reference_total{op="unknown_delete",what="unknown_delete"} 5`, "unfold_classes 7", "unfold_class_training_seconds 1.5",
		"unfold_class_training_sweeps 3", "unfold_class_training_events 600", "unfold_class_training_warm_events 550",
		"unfold_class_training_negative 2", "unfold_labelled_events_total 801", "unfold_labelled_events_behind 8", `version="v1.2.3"`, "go_goroutines",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestRevokedPartitionsAreForgotten(t *testing.T) {
	m := New("test")
	h := m.Hooks()
	a, b := stream.TopicPartition{Topic: "t", Partition: 0}, stream.TopicPartition{Topic: "t", Partition: 1}
	h.Lag(a, 5)
	h.Lag(b, 6)
	h.Revoked([]stream.TopicPartition{a})
	got := page(t, m)
	if strings.Contains(got, `unfold_lag_messages{partition="0"`) || !strings.Contains(got, `unfold_lag_messages{partition="1"`) {
		t.Errorf("after partition 0 was revoked:\n%s", got)
	}
}

func TestTwoStagesDoNotMix(t *testing.T) {
	a, b := New("test"), New("test")
	a.Hooks().EventsIn(stream.TopicPartition{}, 1)
	if got := page(t, b); !strings.Contains(got, "unfold_events_read_total 0") {
		t.Error("one stage's events are counted by the other")
	}
	if got := page(t, b); !strings.Contains(got, "unfold_snapshot_age_seconds 0") {
		t.Error("a map that is not there has an age")
	}
}

// If an embedder starts with a damaged newest map and uses an older one, the newest counts as
// rejected until a newer one is in use.
func TestRefusedAtTheStart(t *testing.T) {
	m := New("v")
	f := m.Fleet()
	refused := func() bool { return strings.Contains(page(t, m), "\nunfold_snapshot_refused 1\n") }
	old, bad, good := fleet.Announcement{Version: 1, SHA256: "a"}, fleet.Announcement{Version: 2, SHA256: "b"}, fleet.Announcement{Version: 3, SHA256: "c"}
	f.Heard(old)
	f.Heard(bad)
	f.Refused(bad, "damaged", nil)
	f.Installed(old, time.Second)
	if !refused() {
		t.Error("with an older map in use the newest is not counted as refused")
	}
	f.Heard(good)
	f.Installed(good, time.Second)
	if refused() {
		t.Error("with the newest in use one is counted as refused")
	}
}
