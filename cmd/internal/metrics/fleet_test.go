package metrics

import (
	"errors"
	"strings"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/fleet"
)

func TestFleetCounts(t *testing.T) {
	m := New("v1")
	h := m.Fleet()
	a := fleet.Announcement{Version: 7, Bytes: 4096}
	h.Announced(a, time.Second)
	h.Removed(3)
	a.Version = 9
	h.Heard(a)
	h.Refused(a, "damaged", errors.New("bad"))
	h.Malformed(stream.Message{}, errors.New("bad"))
	h.Retrying("store", 1, errors.New("gone"), time.Second)
	m.Hooks().Skipped(stream.Message{}, stream.StageDecode, errors.New("bad"))
	for _, want := range []string{
		"unfold_snapshots_announced_total 1", "unfold_snapshots_removed_total 3", "unfold_snapshot_announced_version 9", "unfold_snapshot_bytes 4096",
		`unfold_snapshots_refused_total{reason="damaged",why="damaged"} 1`, "unfold_snapshot_refused 1", "unfold_announcements_malformed_total 1",
		`unfold_retries_total{op="store",what="store"} 1`, `unfold_messages_skipped_total{stage="VALUE_CONVERTER"} 1`, "unfold_snapshot_transfer_seconds_count 1",
	} {
		if !strings.Contains(page(t, m), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	h.Installed(a, time.Second)
	if !strings.Contains(page(t, m), "unfold_snapshot_refused 0") {
		t.Error("after a good map the page still says that one is refused")
	}
}
