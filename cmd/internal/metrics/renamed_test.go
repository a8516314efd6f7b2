package metrics

import (
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"unfold/stream"
)

// Every previous name is served with the value of the new one, and the page is valid.
func TestOldNames(t *testing.T) {
	m := New("test")
	h := m.Hooks()
	h.EventsIn(stream.TopicPartition{}, 3)
	h.Moved(17)
	h.Retrying("write", 1, nil, 0)
	h.Retrying("committed offsets", 1, nil, 0)
	h.Skipped(stream.Message{}, stream.StagePlace, nil)
	h.Gap(&stream.OffsetError{})
	families, err := m.gather()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*dto.MetricFamily{}
	last := ""
	for _, f := range families {
		if f.GetName() <= last {
			t.Errorf("%s stands behind %s", f.GetName(), last)
		}
		last = f.GetName()
		byName[strings.TrimPrefix(last, "unfold_")] = f
	}
	for _, r := range renames {
		old, now := byName[r.old], byName[r.name]
		if old == nil || now == nil || len(old.Metric) != len(now.Metric) || len(now.Metric) == 0 {
			t.Fatalf("%s and %s: %v, %v", r.old, r.name, old, now)
		}
		if a, b := old.Metric[0].GetCounter().GetValue(), now.Metric[0].GetCounter().GetValue(); a != b || now.Metric[0].Counter != nil && a == 0 {
			t.Errorf("%s is %v, %s is %v", r.old, a, r.name, b)
		}
		if !strings.Contains(old.GetHelp(), "unfold_"+r.name) {
			t.Errorf("%s is described as %q", r.old, old.GetHelp())
		}
	}
	for i, want := range []struct{ op, what string }{{"committed offsets", "positions"}, {"write", "write"}} {
		labels := map[string]string{}
		for _, l := range byName["retries_total"].Metric[i].Label {
			labels[l.GetName()] = l.GetValue()
		}
		if len(labels) != 2 || labels["op"] != want.op || labels["what"] != want.what {
			t.Errorf("labels of retries: %v, want %+v", labels, want)
		}
	}
}
