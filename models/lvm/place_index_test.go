package lvm_test

import (
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// An event equal to a reference point is placed there, even if the index misses the point. An index
// that returns all points gives the results of an exact search.
func TestIndexFindsReferencePoints(t *testing.T) {
	s, x := modeltest.Snapshot(t, 5, 3000, 30, 0, 2)
	s = modeltest.Heavy(s)
	ix, err := auto.Build(t.Context(), s.Reference, 41, auto.Settings{Recall: 0.01}, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s.Index = ix
	placed := mustPlace(t, s, placing.Options{}, x)
	for i := range x.Rows {
		for c, m := range placed.Mu.Row(i) {
			if m != float32(s.Mu.Row(i)[c]) {
				t.Fatalf("reference point %d is placed at %v, want %v", i, placed.Mu.Row(i), s.Mu.Row(i))
			}
		}
	}
	events := modeltest.Events(8, 200, 30)
	all := mustPlace(t, s, placing.Options{Search: auto.Settings{Recall: 0.99999}}, events)
	exact := mustPlace(t, s, placing.Options{Search: auto.Settings{Method: auto.Exact}}, events)
	same := 0
	for i := range events.Rows {
		if slices.Equal(all.Mu.Row(i), exact.Mu.Row(i)) && all.NoveltyGlobal[i] == exact.NoveltyGlobal[i] {
			same++
		}
	}
	if same < 195 {
		t.Errorf("%d of %d places are those of an exact search", same, events.Rows)
	}
}

// The placer builds the same index that a snapshot stores.
func TestIndexIsThatOfTheSnapshot(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 6, 2000, 12, 0, 2)
	s = modeltest.Heavy(s)
	set := auto.Settings{Method: auto.HNSW, Recall: 0.9}
	events := modeltest.Events(8, 100, 12)
	made := mustPlace(t, s, placing.Options{Search: set}, events)
	err := lvm.SetIndex(t.Context(), s, nil, set, knn.Settings{Threads: 1})
	if err != nil || s.Index == nil || s.CellRecall != 0 {
		t.Fatalf("index %v, error %v", s.Index, err)
	}
	if held := mustPlace(t, s, placing.Options{Search: auto.Settings{Method: auto.HNSW}}, events); !slices.Equal(held.Mu.Data, made.Mu.Data) {
		t.Error("the same index places otherwise")
	}
	for _, set := range []auto.Settings{{}, {Recall: 1}, {Method: auto.Exact}} {
		if err := lvm.SetIndex(t.Context(), s, nil, set, knn.Settings{}); s.Approximate() || err != nil {
			t.Errorf("%+v: an index of 2,000 points, error %v", set, err)
		}
	}
	if lvm.SetIndex(t.Context(), s, nil, auto.Settings{Recall: 2}, knn.Settings{}) == nil {
		t.Error("a recall of 2")
	}
	if _, err := lvm.NewPlacer(s, placing.Options{Search: auto.Settings{Recall: -1}}); err == nil {
		t.Error("a recall of -1")
	}
}

// A map that shrinks keeps its index until a map of twice its size would have none.
func TestKeepsIndex(t *testing.T) {
	for _, c := range []struct {
		rows int
		set  auto.Settings
		want bool
	}{
		{7000, auto.Settings{}, true}, {6000, auto.Settings{}, false}, {100_000, auto.Settings{Recall: 1}, false},
		{10, auto.Settings{Method: auto.HNSW}, true}, {100_000, auto.Settings{Recall: 2}, false},
	} {
		reference := vec.New[float32](c.rows, 50)
		reference.Data[0] = .5 // not binary; binary rows are searched exactly up to a larger size
		s := &snapshot.Snapshot{Reference: reference, Neighbors: 6, NoveltyK: 10, Student: &snapshot.Student{}}
		if got := lvm.KeepsIndex(s, c.set); got != c.want {
			t.Errorf("%d points, %+v: %v, want %v", c.rows, c.set, got, c.want)
		}
	}
}
