package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"unfold/stream"
)

// ofTheMap registers the metrics of the newest map.
func (m *Metrics) ofTheMap() {
	for _, g := range []struct {
		name, help string
		of         func(*stream.Stats) float64
	}{
		{"map_loglik_per_pair", "Logarithm of the map's likelihood per pair of points.", func(f *stream.Stats) float64 { return f.LoglikPair }},
		{"map_diameter", "Diameter of the map, in its own units.", func(f *stream.Stats) float64 { return f.Diameter }},
		{"map_novel_ratio", "Share of the last new points beyond the 95% percentile of local novelty.", func(f *stream.Stats) float64 { return f.Novel }},
		{"map_alarm_refreshes", "Refreshes since novel events raised the alarm; 0: there is none.", func(f *stream.Stats) float64 { return float64(f.Alarm) }},
		{"map_label_error_ratio", "Share of labelled events whose label the map before would have predicted wrong by its nearest points.", func(f *stream.Stats) float64 { return f.LabelError() }},
		{"reference_oldest_seconds", "How much older the oldest reference point is than the newest event.", func(f *stream.Stats) float64 { return f.OldestAge.Seconds() }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "unfold_" + g.name, Help: g.help}, m.figure(g.of)))
	}
	m.ofTheClasses()
	m.ofTheClusters()
	for _, g := range []struct {
		name, help string
		of         func(*stream.Stats) stream.Quantiles
	}{
		{"map_moves_ratio", "How far points moved in the last refresh, as a share of the diameter.", func(f *stream.Stats) stream.Quantiles { return f.Moves }},
		{"map_drift_ratio", "How far points are from where they were when the epoch began or at their first major refresh, as a share of the diameter.", func(f *stream.Stats) stream.Quantiles { return f.Drift }},
	} {
		for _, q := range []struct {
			label string
			of    func(stream.Quantiles) float64
		}{
			{"0.5", func(q stream.Quantiles) float64 { return q.Median }},
			{"0.9", func(q stream.Quantiles) float64 { return q.P90 }},
			{"0.99", func(q stream.Quantiles) float64 { return q.P99 }},
		} {
			m.registry.MustRegister(prometheus.NewGaugeFunc(
				prometheus.GaugeOpts{Name: "unfold_" + g.name, Help: g.help, ConstLabels: prometheus.Labels{"quantile": q.label}},
				m.figure(func(f *stream.Stats) float64 { return q.of(g.of(f)) / 100 })))
		}
	}
	for _, c := range []struct {
		op string
		of func(*stream.Stats) uint64
	}{
		{"taken", func(f *stream.Stats) uint64 { return f.Events }},
		{"duplicate", func(f *stream.Stats) uint64 { return f.Duplicates }},
		{"upsert", func(f *stream.Stats) uint64 { return f.Upserts }},
		{"delete", func(f *stream.Stats) uint64 { return f.Deletes }},
		{"unknown_delete", func(f *stream.Stats) uint64 { return f.UnknownDeletes }},
		{"evicted", func(f *stream.Stats) uint64 { return f.Evicted }},
		{"expired", func(f *stream.Stats) uint64 { return f.Expired }},
		{"unusable", func(f *stream.Stats) uint64 { return f.Unusable }},
		{"long_id", func(f *stream.Stats) uint64 { return f.LongIDs }},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: "unfold_reference_total", Help: "What happened to the reference set, as of the newest map.", ConstLabels: prometheus.Labels{"op": c.op}},
			m.figure(func(f *stream.Stats) float64 { return float64(c.of(f)) })))
	}
}

// figure returns a function that reads the newest map's figures, 0 before the first map.
func (m *Metrics) figure(of func(*stream.Stats) float64) func() float64 {
	return func() float64 {
		if f := m.latest.Load(); f != nil {
			return of(f)
		}
		return 0
	}
}
