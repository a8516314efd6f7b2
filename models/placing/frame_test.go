package placing

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"unfold/models/modeltest"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/ivf"
)

// A map with an index, or with a recall for cells, is searched by cells, unless the settings ask
// for another index. A map that is searched exactly or has few points is not.
func TestCells(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 5, 2500, 12, 0, 2)
	kept := auto.Settings{Recall: 0.98}
	ix, err := auto.Build(t.Context(), s.Reference, 41, kept, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	few, _ := modeltest.Snapshot(t, 5, 500, 12, 0, 2)
	query := modeltest.Events(6, 50, 12)
	copy(query.Row(0), few.Reference.Row(77))
	nearest := map[*snapshot.Snapshot][]int32{}
	for _, on := range []*snapshot.Snapshot{s, few} {
		for i := range query.Rows {
			index, _ := brute(on, query.Row(i), 1)
			nearest[on] = append(nearest[on], index[0])
		}
	}
	at := func(recall float64) auto.Settings { return auto.Settings{Recall: recall} }
	const exact, cells, links, tuned = "*knn.Exact", "*ivf.Index", "*hnsw.Index", "auto.tuned"
	for name, c := range map[string]struct {
		set    auto.Settings
		own    bool
		recall float64 // of the snapshot's cells
		few    bool
		by     string
		cells  float64 // the recall for which the cells are built
	}{
		"its own":                {own: true, by: cells, cells: auto.Recall(41, ix.Settings().Ef)},
		"its own, other recall":  {set: at(0.9), own: true, by: cells, cells: 0.9},
		"its own, before cells":  {own: true, recall: 0.97, by: cells, cells: auto.Recall(41, ix.Settings().Ef)},
		"its own, asked for":     {set: auto.Settings{Method: auto.HNSW}, own: true, by: links},
		"its own, asked to find": {set: auto.Settings{Method: auto.HNSW, Recall: 0.99}, own: true, by: tuned},
		"by recall":              {recall: 0.99, by: cells, cells: 0.99},
		"by another recall":      {set: at(0.9), recall: 0.99, by: cells, cells: 0.9},
		"by recall, exact":       {set: auto.Settings{Method: auto.Exact}, recall: 0.99, by: exact},
		"by recall, too few":     {recall: 0.99, few: true, by: links},
		"made":                   {set: auto.Settings{Method: auto.HNSW}, by: links},
		"none":                   {by: exact},
		"none, with a recall":    {set: at(0.9), by: exact},
		"its own, exact":         {set: auto.Settings{Method: auto.Exact}, own: true, by: exact},
		"its own, all":           {set: at(1), own: true, by: exact},
		"made, of a few":         {set: auto.Settings{Method: auto.HNSW}, few: true, by: links},
		"made, with full recall": {set: auto.Settings{Method: auto.HNSW, Recall: 0.999}, by: tuned},
	} {
		on := s
		if c.few {
			on = few
		}
		on.CellRecall = c.recall
		if on.Index = nil; c.own {
			on.Index = ix
		}
		f, err := New(on, 41, Options{Search: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if by := fmt.Sprintf("%T", f.index); by != c.by || (f.equal == nil) != (by == exact) {
			t.Errorf("%s: by %s, want %s; equal rows are known: %v", name, by, c.by, f.equal != nil)
		}
		if made, by := f.index.(*ivf.Index); by && (made.K() != 41 || made.Recall() != c.cells) {
			t.Errorf("%s: cells for %d and %g, want 41 and %g", name, made.K(), made.Recall(), c.cells)
		}
		if c.own && c.by == links && f.index != knn.Index(ix) {
			t.Errorf("%s: another index", name)
		}
		found := 0
		if _, err := f.Place(t.Context(), query, func(b Block) error {
			for i := b.From; i < b.To; i++ {
				if _, index, _ := b.Event(i); index[0] == nearest[on][i] {
					found++
				}
			}
			return nil
		}); err != nil || found < 46 || found < 50 && c.by == exact {
			t.Errorf("%s: the nearest of %d of 50 is found (%v)", name, found, err)
		}
	}
}

// Cells of the snapshot are used if they fit the number of neighbours, the recall and the method.
// Otherwise new ones are built.
func TestCellsOfTheSnapshot(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 5, 3000, 12, 0, 2)
	ready, err := auto.Cells(t.Context(), s.Reference, 41, auto.Settings{Recall: 0.98}, 0)
	if err != nil || ready == nil {
		t.Fatal(err)
	}
	s.Cells, s.CellRecall = ready, 0.98
	for _, c := range []struct {
		reach int
		set   auto.Settings
		same  bool
	}{
		{41, auto.Settings{}, true}, {41, auto.Settings{Recall: 0.98}, true}, {40, auto.Settings{}, false},
		{41, auto.Settings{Recall: 0.97}, false}, {41, auto.Settings{Method: auto.Descent}, false}, {41, auto.Settings{Method: auto.HNSW}, false},
	} {
		f, err := New(s, c.reach, Options{Search: c.set})
		if err != nil || f.index == nil || (f.index == knn.Index(ready)) != c.same {
			t.Errorf("%+v: the snapshot's cells: %v, want %v (%v)", c, f.index == knn.Index(ready), c.same, err)
		}
	}
	// A failure to build an index is an error.
	s, _ = modeltest.Snapshot(t, 5, 50, 12, 0, 2)
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		s.Reference.Row(3)[4] = float32(bad)
		if _, err := New(s, 5, Options{Search: auto.Settings{Method: auto.HNSW}}); err == nil || !strings.HasPrefix(err.Error(), "placing: ") {
			t.Errorf("%v of a reference point with %g", err, bad)
		}
	}
}
