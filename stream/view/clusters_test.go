package view

import (
	"encoding/json"
	"math"
	"testing"
)

// Readers get the cluster information when they join and when it changes, and no repetition of
// equal information.
func TestClustersAreHeard(t *testing.T) {
	h := New(Settings{})
	heard := func(r *Reader) (all []Clusters) {
		for {
			m, ok, _ := r.poll()
			if !ok {
				return all
			}
			var said struct {
				Type string
				Clusters
			}
			if err := json.Unmarshal(m.Data, &said); err != nil {
				t.Fatal(err)
			}
			if said.Type == "clusters" {
				all = append(all, said.Clusters)
			}
		}
	}
	first := h.Join()
	defer first.Close()
	if all := heard(first); len(all) != 0 {
		t.Errorf("of none there is said %+v", all)
	}
	living := []Cluster{{ID: "1", Name: "a", Size: 3, X: float32(math.NaN()), Y: 1}}
	for range 2 {
		h.SetClusters(Clusters{Column: "cluster", Living: living})
	}
	second := h.Join()
	defer second.Close()
	for name, r := range map[string]*Reader{"one that was there": first, "one that came": second} {
		all := heard(r)
		if len(all) != 1 || len(all[0].Living) != 1 || all[0].Living[0] != (Cluster{ID: "1", Name: "a", Size: 3}) || all[0].Events == nil {
			t.Errorf("%s hears %+v", name, all)
		}
	}
	if !math.IsNaN(float64(living[0].X)) {
		t.Error("what was given was changed")
	}
	if h.Clusters().Column != "cluster" {
		t.Error("they are not kept")
	}
}
