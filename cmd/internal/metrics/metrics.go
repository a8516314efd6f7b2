package metrics

import (
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"unfold/stream"
)

// Metrics are the metrics of one stage.
type Metrics struct {
	registry *prometheus.Registry

	messages            *prometheus.CounterVec
	events, placed      prometheus.Counter
	delivered, split    prometheus.Counter
	dead, retries       *prometheus.CounterVec
	skipped, eventless  *prometheus.CounterVec
	lag, committed      *prometheus.GaugeVec
	place, delivery     prometheus.Histogram
	refresh             prometheus.Histogram
	failures            prometheus.Counter
	lost, gaps          prometheus.Counter
	version, epoch, ref prometheus.Gauge
	published           atomic.Int64 // when, in Unix nanoseconds; 0 before the first

	moved prometheus.Counter
	kinds *prometheus.CounterVec
	fleet fleetStats
	// latest are the figures of the newest map.
	latest atomic.Pointer[stream.Stats]
	// drift is the result of the last drift test.
	drift atomic.Pointer[stream.Drift]
}

// New registers all metrics; version is the program's version.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "unfold_" + name, Help: help})
		m.registry.MustRegister(c)
		return c
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "unfold_" + name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "unfold_" + name, Help: help})
		m.registry.MustRegister(g)
		return g
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "unfold_" + name, Help: help}, labels)
		m.registry.MustRegister(g)
		return g
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "unfold_" + name, Help: help, Buckets: buckets})
		m.registry.MustRegister(h)
		return h
	}
	m.messages = counters("messages_read_total", "Messages that could be decoded, by format.", "format")
	m.events = counter("events_read_total", "Events read.")
	m.placed = counter("events_placed_total", "Events placed.")
	m.delivered = counter("messages_delivered_total", "Messages acknowledged by the sink.")
	m.split = counter("messages_split_total", "Messages whose output was too large for its topic and came in parts.")
	m.dead = counters("messages_dead_lettered_total", "Messages that could not be read or placed.", "stage")
	m.eventless = counters("messages_without_events_total", "Messages that hold no event and were skipped, such as a connector's heartbeats.", "kind")
	m.skipped = counters("messages_skipped_total", "Messages that a process which only learns could not use, and skipped.", "stage")
	m.retries = counters("retries_total", "Operations that were retried.", "op")
	m.lag = gauges("lag_messages", "Messages between the committed offset and the log's end.", "topic", "partition")
	m.committed = gauges("committed_offset", "The group's committed offset.", "topic", "partition")
	m.place = histogram("place_seconds", "Time to place one batch.", prometheus.ExponentialBuckets(0.0005, 2, 14))
	m.delivery = histogram("delivery_seconds", "Time from fetched to acknowledged.", prometheus.ExponentialBuckets(0.001, 2, 16))
	m.refresh = histogram("refresh_seconds", "Time to learn a map.", prometheus.ExponentialBuckets(0.05, 2, 14))
	m.failures = counter("refresh_failures_total", "Maps that could not be learnt.")
	m.lost = counter("events_lost_total", "Messages that were deleted from the source's topic before they were read.")
	m.gaps = counter("offset_gaps_total", "Committed offsets of the group that were outside of the source's topic.")
	m.version = gauge("snapshot_version", "Version of the map that events are placed on; 0 before the first.")
	m.epoch = gauge("map_epoch", "Coordinate frame of that map.")
	m.ref = gauge("snapshot_points", "Reference points of that map.")
	m.moved = counter("moves_published_total", "Reference points published downstream because they moved.")
	m.kinds = counters("refreshes_total", "Maps learnt, by kind.", "kind")
	m.ofTheMap()
	m.ofDrift()
	m.ofTheFleet(counter, counters, gauge, histogram)
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "unfold_snapshot_age_seconds", Help: "Age of that map; 0 before the first."}, m.age),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "unfold_build_info", Help: "Version of the program.",
			ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()}}, func() float64 { return 1 }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

func (m *Metrics) age() float64 {
	at := m.published.Load()
	if at == 0 {
		return 0
	}
	return time.Since(time.Unix(0, at)).Seconds()
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(prometheus.GathererFunc(m.gather), promhttp.HandlerOpts{})
}

// Hooks returns hooks that update the metrics.
func (m *Metrics) Hooks() stream.Hooks {
	labels := func(tp stream.TopicPartition) prometheus.Labels {
		return prometheus.Labels{"topic": tp.Topic, "partition": strconv.Itoa(tp.Partition)}
	}
	return stream.Hooks{
		// Partitions that another member of the group now owns are no longer reported.
		Revoked: func(partitions []stream.TopicPartition) {
			for _, tp := range partitions {
				m.lag.Delete(labels(tp))
				m.committed.Delete(labels(tp))
			}
		},
		Gap: func(gap *stream.OffsetError) {
			m.gaps.Inc()
			m.lost.Add(float64(gap.Lost()))
		},
		Lag:       func(tp stream.TopicPartition, n int64) { m.lag.With(labels(tp)).Set(float64(n)) },
		MessageIn: func(_ stream.TopicPartition, format string) { m.messages.WithLabelValues(format).Inc() },
		EventsIn:  func(_ stream.TopicPartition, n int) { m.events.Add(float64(n)) },
		Placed: func(_ stream.TopicPartition, n int, took time.Duration) {
			m.placed.Add(float64(n))
			m.place.Observe(took.Seconds())
		},
		Delivered: func(_ stream.TopicPartition, messages, _ int, latency time.Duration) {
			m.delivered.Add(float64(messages))
			m.delivery.Observe(latency.Seconds())
		},
		Split:        func(stream.Message, int) { m.split.Inc() },
		DeadLettered: func(_ stream.Message, stage stream.Stage, _ error) { m.dead.WithLabelValues(string(stage)).Inc() },
		Skipped:      m.skip,
		Committed:    func(p stream.Position) { m.committed.With(labels(p.TopicPartition)).Set(float64(p.Offset)) },
		Retrying:     func(what string, _ int, _ error, _ time.Duration) { m.retries.WithLabelValues(what).Inc() },
		Published: func(p *stream.Published, took time.Duration) {
			m.version.Set(float64(p.Version))
			m.epoch.Set(float64(p.Epoch))
			m.ref.Set(float64(p.Points))
			m.published.Store(p.At.UnixNano())
			m.latest.Store(&p.Stats)
			if took > 0 {
				m.refresh.Observe(took.Seconds())
				m.kinds.WithLabelValues(p.Stats.Kind).Inc()
			}
		},
		Drifted:       func(d stream.Drift) { m.drift.Store(&d) },
		Moved:         func(points int) { m.moved.Add(float64(points)) },
		RefreshFailed: func(error) { m.failures.Inc() },
	}
}

func (m *Metrics) skip(_ stream.Message, stage stream.Stage, reason error) {
	var skipped *stream.SkippedError
	if errors.As(reason, &skipped) {
		m.eventless.WithLabelValues(skipped.Kind).Inc()
		return
	}
	m.skipped.WithLabelValues(string(stage)).Inc()
}
