package placing

import (
	"testing"

	"unfold/models/modeltest"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/ivf"
)

// A map with an index, or a recall for cells, is searched by cells, unless an index is asked for;
// one that is searched exactly, or has few points, is not.
func TestCells(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 5, 5000, 12, 0, 2)
	kept := auto.Settings{Recall: 0.98}
	ix, err := auto.Build(t.Context(), s.Reference, 41, kept, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	few, _ := modeltest.Snapshot(t, 5, 500, 12, 0, 2)
	for name, c := range map[string]struct {
		set     auto.Settings
		own     bool
		recall  float64
		few     bool
		byCells bool
	}{
		"its own":                {own: true, byCells: true},
		"its own, other recall":  {set: auto.Settings{Recall: 0.9}, own: true, byCells: true},
		"its own, asked for":     {set: auto.Settings{Method: auto.HNSW}, own: true},
		"by recall":              {recall: 0.99, byCells: true},
		"by another recall":      {set: auto.Settings{Recall: 0.9}, recall: 0.99, byCells: true},
		"by recall, exact":       {set: auto.Settings{Method: auto.Exact}, recall: 0.99},
		"by recall, too few":     {recall: 0.99, few: true},
		"made":                   {set: auto.Settings{Method: auto.HNSW}},
		"none":                   {},
		"its own, exact":         {set: auto.Settings{Method: auto.Exact}, own: true},
		"its own, all":           {set: auto.Settings{Recall: 1}, own: true},
		"made, of a few":         {set: auto.Settings{Method: auto.HNSW}, few: true},
		"made, with full recall": {set: auto.Settings{Method: auto.HNSW, Recall: 0.999}},
	} {
		on := s
		if c.few {
			on = few
		}
		on.CellRecall = c.recall
		if on.Index = nil; c.own {
			on.Index = ix
		}
		f, err := New(on, 41, Settings{Search: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if _, by := f.index.(*ivf.Index); by != c.byCells {
			t.Errorf("%s: cells %v, want %v", name, by, c.byCells)
		}
	}
}
