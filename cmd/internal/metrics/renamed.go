package metrics

import (
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"
)

// renamed is a metric with another name before version 0.1. For one version the metric is served
// under both names, so that old dashboards and alerts keep working.
type renamed struct {
	old, name string
	// times is the factor from the new metric's value to the old one's.
	times float64
}

var renames = []renamed{
	{"events_in_total", "events_read_total", 1},
	{"position_gaps_total", "offset_gaps_total", 1},
	{"moves_told_total", "moves_published_total", 1},
	{"messages_passed_over_total", "messages_skipped_total", 1},
	{"map_moves_percent", "map_moves_ratio", 100},
	{"map_drift_percent", "map_drift_ratio", 100},
	{"map_novel_share", "map_novel_ratio", 1},
	{"map_label_error", "map_label_error_ratio", 1},
}

// relabelled are labels that had another name before version 0.1. Their metrics keep their names. A
// series has both labels, so sums are unchanged.
var relabelled = []struct{ metric, old, label string }{
	{"retries_total", "what", "op"},
	{"reference_total", "what", "op"},
	{"snapshots_refused_total", "why", "reason"},
}

// oldValues maps values of these labels to those of the old labels.
var oldValues = map[string]string{"committed offsets": "positions"}

// gather collects all metrics, also under their previous names and labels.
func (m *Metrics) gather() ([]*dto.MetricFamily, error) {
	families, err := m.registry.Gather()
	byName := map[string]*dto.MetricFamily{}
	for _, f := range families {
		byName[strings.TrimPrefix(f.GetName(), "unfold_")] = f
	}
	for _, r := range renames {
		if f := byName[r.name]; f != nil {
			families = append(families, r.before(f))
		}
	}
	for _, r := range relabelled {
		for _, series := range byName[r.metric].GetMetric() {
			for _, l := range series.Label {
				if l.GetName() == r.label {
					value := l.GetValue()
					if old, renamed := oldValues[value]; renamed {
						value = old
					}
					// The labels belong to the metric, so they are copied instead of changed.
					series.Label = append(slices.Clip(series.Label), &dto.LabelPair{Name: proto.String(r.old), Value: proto.String(value)})
					slices.SortFunc(series.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
					break
				}
			}
		}
	}
	slices.SortFunc(families, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	return families, err
}

// before returns a family under its previous name.
func (r renamed) before(f *dto.MetricFamily) *dto.MetricFamily {
	old := proto.Clone(f).(*dto.MetricFamily)
	old.Name = proto.String("unfold_" + r.old)
	old.Help = proto.String("Deprecated, removed in version 0.2: use unfold_" + r.name + ".")
	for _, series := range old.Metric {
		if g := series.Gauge; g != nil {
			g.Value = proto.Float64(r.times * g.GetValue())
		}
	}
	return old
}
