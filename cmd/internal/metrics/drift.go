package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"unfold/stream"
)

// ofDrift registers the metrics of the last drift test.
func (m *Metrics) ofDrift() {
	figure := func(of func(*stream.Drift) float64) func() float64 {
		return func() float64 {
			if d := m.drift.Load(); d != nil {
				return of(d)
			}
			return 0
		}
	}
	for _, g := range []struct {
		name, help string
		of         func(*stream.Drift) float64
	}{
		{"unfold_drift_level", "How unlike the newest events are a sample of the map's points; 0 while drift is not watched.", func(d *stream.Drift) float64 { return d.Level }},
		{"unfold_drift_bound", "The level that raises an alarm.", func(d *stream.Drift) float64 { return d.Bound }},
		{"unfold_drift_window_events", "Newest events that are looked at together.", func(d *stream.Drift) float64 { return float64(d.Window) }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, figure(g.of)))
	}
	for _, g := range []struct {
		test string
		of   func(*stream.Drift) float64
	}{
		{"tree", func(d *stream.Drift) float64 { return d.Tree }},
		{"neighbors", func(d *stream.Drift) float64 { return d.Neighbors }},
		{"degree", func(d *stream.Drift) float64 { return d.Degree }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "unfold_drift_deviations", Help: "By how many standard deviations a count differs from chance.", ConstLabels: prometheus.Labels{"test": g.test},
		}, figure(g.of)))
	}
	for _, c := range []struct {
		name, help string
		of         func(*stream.Drift) uint64
	}{
		{"unfold_drift_alarms_total", "Times that the level rose above its bound.", func(d *stream.Drift) uint64 { return d.Alarms }},
		{"unfold_drift_events_total", "Events that were looked at for drift.", func(d *stream.Drift) uint64 { return d.Events }},
		{"unfold_drift_events_skipped_total", "Events that came too fast to be looked at for drift.", func(d *stream.Drift) uint64 { return d.Skipped }},
	} {
		of := c.of
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: c.name, Help: c.help}, figure(func(d *stream.Drift) float64 { return float64(of(d)) })))
	}
}
