package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"unfold/stream"
)

// ofTheClusters registers the metrics of the newest map's clusters.
func (m *Metrics) ofTheClusters() {
	for _, g := range []struct {
		name, help string
		of         func(stream.ClusterStats) float64
	}{
		{"clusters", "Clusters of the newest map; 0: none, or none are sought.", func(f stream.ClusterStats) float64 { return float64(f.Clusters) }},
		{"cluster_noise_ratio", "Share of the map's points that are in no cluster.", func(f stream.ClusterStats) float64 { return f.Noise }},
		{"cluster_seconds", "Time to find the clusters of the newest map.", func(f stream.ClusterStats) float64 { return f.Took.Seconds() }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "unfold_" + g.name, Help: g.help}, m.figure(func(f *stream.Stats) float64 { return g.of(f.Clusters) })))
	}
	for _, c := range []struct {
		name, help string
		of         func(stream.ClusterStats) uint64
	}{
		{"cluster_births_total", "Clusters that came, of others or of none, as of the newest map.", func(f stream.ClusterStats) uint64 { return f.Births }},
		{"cluster_deaths_total", "Clusters that ended, in others or in none, as of the newest map.", func(f stream.ClusterStats) uint64 { return f.Deaths }},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "unfold_" + c.name, Help: c.help},
			m.figure(func(f *stream.Stats) float64 { return float64(c.of(f.Clusters)) })))
	}
}
