package metrics

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"unfold/stream"
	"unfold/stream/fleet"
)

// fleetStats are the metrics of a process that announces or follows maps.
type fleetStats struct {
	announced, malformed, removed prometheus.Counter
	refused                       *prometheus.CounterVec
	version, bytes, stale         prometheus.Gauge
	// newest is the last announcement received or sent.
	newest   atomic.Pointer[fleet.Announcement]
	transfer prometheus.Histogram
}

func (m *Metrics) ofTheFleet(counter func(name, help string) prometheus.Counter, counters func(name, help string, labels ...string) *prometheus.CounterVec,
	gauge func(name, help string) prometheus.Gauge, histogram func(name, help string, buckets []float64) prometheus.Histogram) {
	f := &m.fleet
	f.announced = counter("snapshots_announced_total", "Maps that this process has announced.")
	f.removed = counter("snapshots_removed_total", "Old maps that this process has removed from the store.")
	f.malformed = counter("announcements_malformed_total", "Messages of the topic of announcements that are none.")
	f.refused = counters("snapshots_refused_total", "Announced maps that this process refused to use.", "reason")
	f.version = gauge("snapshot_announced_version", "Version of the newest map that was announced; 0 before the first.")
	f.bytes = gauge("snapshot_bytes", "Size of that map's snapshot.")
	f.stale = gauge("snapshot_refused", "1 while the newest map that was announced is refused and an older one stays in use.")
	f.transfer = histogram("snapshot_transfer_seconds", "Time to store and announce a map, or to fetch and open one.", prometheus.ExponentialBuckets(0.005, 2, 14))
}

// Fleet returns hooks that update the metrics.
func (m *Metrics) Fleet() fleet.Hooks {
	f := &m.fleet
	newest := func(a fleet.Announcement) {
		f.version.Set(float64(a.Version))
		f.bytes.Set(float64(a.Bytes))
		f.newest.Store(&a)
	}
	// An embedder without a map that rejects the newest one uses an older one; this still counts as
	// one rejection.
	isNewest := func(a fleet.Announcement) bool {
		n := f.newest.Load()
		return n == nil || n.Version == a.Version && n.SHA256 == a.SHA256
	}
	return fleet.Hooks{
		Announced: func(a fleet.Announcement, took time.Duration) {
			f.announced.Inc()
			f.transfer.Observe(took.Seconds())
			newest(a)
		},
		Removed: func(n int) { f.removed.Add(float64(n)) },
		Heard:   newest,
		Installed: func(a fleet.Announcement, took time.Duration) {
			f.transfer.Observe(took.Seconds())
			if isNewest(a) {
				f.stale.Set(0)
			}
		},
		Refused: func(a fleet.Announcement, why string, _ error) {
			f.refused.WithLabelValues(why).Inc()
			if isNewest(a) {
				f.stale.Set(1)
			}
		},
		Malformed: func(stream.Message, error) { f.malformed.Inc() },
		Retrying:  func(what string, _ int, _ error, _ time.Duration) { m.retries.WithLabelValues(what).Inc() },
	}
}
