package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"unfold/stream"
)

func (m *Metrics) ofTheClasses() {
	for _, g := range []struct {
		name, help string
		of         func(stream.ClassStats) float64
	}{
		{"classes", "Classes that are predicted; 0: none.", func(f stream.ClassStats) float64 { return float64(f.Classes) }},
		{"class_training_seconds", "Time to learn the classifier of the newest map.", func(f stream.ClassStats) float64 { return f.Took.Seconds() }},
		{"class_training_sweeps", "Sweeps of expectation propagation in that.", func(f stream.ClassStats) float64 { return float64(f.Sweeps) }},
		{"class_training_events", "Labelled events that it took.", func(f stream.ClassStats) float64 { return float64(f.Used) }},
		{"class_training_warm_events", "Labelled events that were taken for the map before, too.", func(f stream.ClassStats) float64 { return float64(f.Warm) }},
		{"class_training_negative", "Visits that would have met or left a negative variance, and were left out.", func(f stream.ClassStats) float64 { return float64(f.Negative) }},
		{"labelled_events_behind", "Labelled events that came while that was being learnt.", func(f stream.ClassStats) float64 { return float64(f.Behind) }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "unfold_" + g.name, Help: g.help}, m.figure(func(f *stream.Stats) float64 { return g.of(f.Classes) })))
	}
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "unfold_labelled_events_total", Help: "Events with a label, as of the newest map."},
		m.figure(func(f *stream.Stats) float64 { return float64(f.Classes.Labelled) })))
}
