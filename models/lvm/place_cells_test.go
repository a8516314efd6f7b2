package lvm_test

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/sparse/knn/auto"
)

// On a map that is searched by cells, places and novelties equal those of an exact search to the
// bit. A few events differ slightly.
func TestPlacesByCells(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 5, 6000, 12, 0, 2)
	s.CellRecall = auto.IndexRecall
	events := modeltest.Events(8, 1000, 12)
	for _, rule := range []placing.Rule{placing.Robust, placing.LLE, placing.Median} {
		on := s
		if rule != placing.Median {
			on = modeltest.Heavy(s)
		}
		exact := mustPlace(t, on, placing.Options{Rule: rule, Search: auto.Settings{Method: auto.Exact}}, events)
		got := mustPlace(t, on, placing.Options{Rule: rule}, events)
		same, far := 0, 0
		for i := range events.Rows {
			if slices.Equal(got.Mu.Row(i), exact.Mu.Row(i)) && got.Sigma[i] == exact.Sigma[i] &&
				got.NoveltyLocal[i] == exact.NoveltyLocal[i] && got.NoveltyGlobal[i] == exact.NoveltyGlobal[i] {
				same++
			}
			// The spread of a cluster on the map is 1.
			if math.Sqrt(vec.SquaredDistance(got.Mu.Row(i), exact.Mu.Row(i))) > 0.1 || math.Abs(float64(got.NoveltyGlobal[i]-exact.NoveltyGlobal[i])) > 0.01 {
				far++
			}
		}
		if same < 900 || far > 5 {
			t.Errorf("%v: %d of %d events are placed as by an exact search, and %d far from there", rule, same, events.Rows, far)
		}
	}
}

// A search by cells gives an event the same result alone, in batches of any size, and on any number
// of threads.
func TestPlacesByCellsAreOfTheirEvents(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 5, 4000, 12, 0, 2)
	s = modeltest.Heavy(s)
	s.CellRecall = 0.95
	x := modeltest.Events(8, 300, 12)
	set := placing.Options{Threads: 1}
	want := mustPlace(t, s, set, x)
	for _, threads := range []int{2, 3} {
		set.Threads = threads
		if got := mustPlace(t, s, set, x); !slices.Equal(got.Mu.Data, want.Mu.Data) || !slices.Equal(got.NoveltyLocal, want.NoveltyLocal) {
			t.Errorf("other places with %d threads", threads)
		}
	}
	p, err := lvm.NewPlacer(s, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 7, 65, 130} {
		for from := 0; from < x.Rows; from += size {
			to := min(x.Rows, from+size)
			got, err := p.Place(t.Context(), x.Slice(from, to))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Mu.Data, want.Mu.Slice(from, to).Data[:2*(to-from)]) || !slices.Equal(got.Sigma, want.Sigma[from:to]) {
				t.Fatalf("events %d to %d have other places in a batch of their own", from, to-1)
			}
		}
	}
}
