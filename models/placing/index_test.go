package placing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/modeltest"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// A snapshot gets cells where the map is searched by cells, links where it is not or where they are
// requested, and no index where exact search is faster. An earlier index is removed.
func TestSetIndex(t *testing.T) {
	blobs := modeltest.Events(3, 8000, 100) // n (dim + 30) is above a million
	var bits vec.Matrix[float32]
	noise, rng := vec.New[float32](5000, 200), rand.New(rand.NewPCG(1, 2)) // cells would have to read most of it
	for i := range noise.Data {
		noise.Data[i] = float32(rng.NormFloat64())
	}
	narrow := vec.New[float32](12_000, 60)
	copy(narrow.Data, noise.Data)
	for _, c := range []struct {
		name string
		x    vec.Matrix[float32]
		set  auto.Settings
		by   string // cells, links, "" for none, or the text of an error
		edit func(s *snapshot.Snapshot)
	}{
		{name: "cells", x: blobs, by: "cells"},
		{name: "few", x: blobs.Slice(0, 4096)},
		{name: "links asked for", x: blobs.Slice(0, 300), set: auto.Settings{Method: auto.HNSW}, by: "links"},
		{name: "all", x: blobs, set: auto.Settings{Recall: 1}},
		{name: "exact", x: blobs, set: auto.Settings{Method: auto.Exact}},
		{name: "another distance", x: blobs, edit: func(s *snapshot.Snapshot) { s.Distance = distance.Jaccard }},
		{name: "a graph", x: blobs, edit: func(s *snapshot.Snapshot) { s.Graph = &snapshot.Graph{} }},
		{name: "wrong", x: blobs, set: auto.Settings{Recall: -1}, by: "recall"},
		{name: "bits", x: bits, by: ""},
		{name: "wide noise", x: noise, by: ""},
		{name: "links of wide noise", x: noise.Slice(0, 300), set: auto.Settings{Method: auto.HNSW}, by: "links"},
		{name: "narrow noise", x: narrow, by: "links"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.x.Rows == 0 {
				c.x = vec.New[float32](8000, 130)
				for i := range c.x.Data {
					c.x.Data[i] = float32(i * 0x9e3779b1 >> 20 & 1)
				}
			}
			s := &snapshot.Snapshot{Reference: c.x, CellRecall: 0.5}
			if c.edit != nil {
				c.edit(s)
			}
			err := SetIndex(t.Context(), s, nil, 9, c.set, knn.Settings{Threads: 2})
			if c.by == "recall" {
				if err == nil || s.CellRecall != 0.5 {
					t.Errorf("%v, want a setting's; the snapshot has the recall %g", err, s.CellRecall)
				}
				return
			}
			if got := indexOf(s); err != nil || got != c.by {
				t.Errorf("by %q, want %q (%v)", got, c.by, err)
			}
			if c.by == "cells" && (s.CellRecall != auto.IndexRecall || s.Cells.K() != 9) {
				t.Errorf("cells for %d neighbours and a recall of %g, stored as %g", s.Cells.K(), s.Cells.Recall(), s.CellRecall)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, m := range []auto.Method{auto.Auto, auto.HNSW} {
		s := &snapshot.Snapshot{Reference: blobs}
		if err := SetIndex(ctx, s, nil, 9, auto.Settings{Method: m}, knn.Settings{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v of a cancelled context", err)
		}
	}
}

// indexOf names the index of a snapshot.
func indexOf(s *snapshot.Snapshot) string {
	switch {
	case s.Index != nil && s.Cells == nil && s.CellRecall == 0:
		return "links"
	case s.Index == nil && s.Cells != nil && s.CellRecall > 0:
		return "cells"
	case s.Index == nil && s.Cells == nil && s.CellRecall == 0:
		return ""
	}
	return fmt.Sprintf("index %v, cells %v, recall %g", s.Index != nil, s.Cells != nil, s.CellRecall)
}

// Links are built from the neighbour lists if these are long and numerous. The lists here belong to
// other rows, so that links built from lists differ.
func TestSetIndexFromLists(t *testing.T) {
	x := modeltest.Events(4, 100, 2)
	for _, c := range []struct {
		n, k int
		from bool
	}{{30_000, 10, true}, {30_000, 9, false}, {29_999, 10, false}} {
		s := &snapshot.Snapshot{Reference: x}
		err := SetIndex(t.Context(), s, knn.NewNeighbors(c.n, c.k), 5, auto.Settings{Method: auto.HNSW}, knn.Settings{})
		if (err != nil) != c.from || (s.Index == nil) != c.from {
			t.Errorf("%d lists of %d: %v", c.n, c.k, err)
		}
	}
}

// A map keeps an index as long as a map of twice its size would have one.
func TestKeepsIndex(t *testing.T) {
	bits := vec.New[float32](4000, 130)
	for i := range bits.Data {
		bits.Data[i] = float32(i & 1)
	}
	for _, c := range []struct {
		name  string
		x     vec.Matrix[float32]
		d     distance.Distance
		set   auto.Settings
		reach int // of 1000 points
		want  bool
	}{
		{name: "half of those that need one", x: halves(4000, 100), reach: 5, want: true},
		{name: "fewer", x: halves(2048, 1000), reach: 5},
		{name: "just enough", x: halves(2049, 1000), reach: 5, want: true},
		{name: "so many neighbours", x: halves(4000, 100), reach: 100},
		{name: "exactly", x: halves(4000, 100), reach: 5, set: auto.Settings{Method: auto.Exact}},
		{name: "wrong", x: halves(4000, 100), reach: 5, set: auto.Settings{Recall: -1}},
		{name: "another distance", x: halves(4000, 100), reach: 5, d: distance.Jaccard},
		{name: "bits", x: bits, reach: 5},
	} {
		s := &snapshot.Snapshot{Reference: c.x, Distance: c.d}
		reach := func(n int) int {
			if n != 2*c.x.Rows {
				t.Errorf("%s: the neighbours of %d points are asked for", c.name, n)
			}
			return c.reach * n / 1000
		}
		if got := KeepsIndex(s, reach, c.set); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// halves returns rows that are not binary.
func halves(n, dim int) vec.Matrix[float32] {
	x := vec.New[float32](n, dim)
	for i := range x.Data {
		x.Data[i] = 0.5
	}
	return x
}
