package placing

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/novelty"
	"unfold/models/snapshot"
	"unfold/sparse"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// brute returns the k nearest reference points of z by sorting all of them.
func brute(s *snapshot.Snapshot, z []float32, k int) (index []int32, dist2 []float64) {
	index, all := make([]int32, s.Reference.Rows), make([]float64, s.Reference.Rows)
	for j := range index {
		index[j] = int32(j)
		for c, v := range s.Reference.Row(j) {
			d := float64(z[c]) - float64(v)
			all[j] += d * d
		}
	}
	sort.SliceStable(index, func(a, b int) bool { return all[index[a]] < all[index[b]] })
	for _, j := range index[:k] {
		dist2 = append(dist2, all[j])
	}
	return index[:k], dist2
}

// near reports whether two numbers differ by rounding only.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a), math.Abs(b)) }

// Events of a frame have their true neighbours, and results stand at the event's row, for any
// number of events, threads and blocks. Novelty follows its definition, leave-one-out.
func TestSearcherPlaces(t *testing.T) {
	for _, c := range []struct{ n, q, reach, want int }{
		{200, 0, 3, novelty.DefaultK + 1}, {200, 4, 15, 15}, {12, 0, 40, 12},
	} {
		s, x := modeltest.Snapshot(t, 7, c.n, 6, c.q, 3)
		f, err := New(s, c.reach, Options{Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		if f.Dim() != 6 || f.Dims() != 3 || f.Version() != s.Version || f.Epoch() != s.Epoch || f.MapID() != s.MapID {
			t.Errorf("dim %d, dims %d, version %d, epoch %d, map %q", f.Dim(), f.Dims(), f.Version(), f.Epoch(), f.MapID())
		}
		all := modeltest.Events(8, 130, 6)
		copy(all.Row(129), x.Row(5)) // an event equal to a reference point
		tables := novelty.Of(s)
		for _, rows := range []int{1, 63, 64, 65, 128, 130} {
			events := all.Slice(130-rows, 130)
			var mu sync.Mutex
			seen := make([]int, rows)
			out, err := f.Place(t.Context(), events, func(b Block) error {
				if b.To-b.From > size || b.From%size != 0 || b.Seen().Rows != b.To-b.From {
					t.Errorf("a block of %d to %d, which sees %d", b.From, b.To, b.Seen().Rows)
				}
				mu.Lock()
				defer mu.Unlock()
				for i := b.From; i < b.To; i++ {
					seen[i]++
					z, index, dist2 := b.Event(i)
					if !slices.Equal(z, b.Seen().Row(i-b.From)) {
						t.Errorf("event %d is seen as two", i)
					}
					wi, wd := brute(s, z, c.want)
					if !slices.Equal(index, wi) {
						t.Errorf("event %d of %d has the neighbours %v at %v, want %v at %v", i, rows, index, dist2, wi, wd)
					}
					b.Publish(i, []float64{float64(z[0]), float64(i), dist2[0]}, float64(i*i))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				z := f.project.Apply(events.Slice(i, i+1), 1).Row(0)
				index, dist2 := brute(s, z, c.want)
				row := out.Mu.Row(i)
				if seen[i] != 1 || row[0] != z[0] || row[1] != float32(i) || !near(float64(row[2]), dist2[0]) || out.Sigma[i] != float32(i) {
					t.Errorf("event %d of %d is %d times at %v with %g", i, rows, seen[i], row, out.Sigma[i])
				}
				if dist2[0] < 1e-12 {
					index, dist2 = index[1:], dist2[1:]
				}
				local, global := tables.Percentiles(tables.Score(index, dist2))
				if !near(float64(out.NoveltyLocal[i]), local) || !near(float64(out.NoveltyGlobal[i]), global) {
					t.Errorf("event %d has the novelty %g and %g, want %g and %g", i, out.NoveltyLocal[i], out.NoveltyGlobal[i], local, global)
				}
				if !slices.Equal(out.Seen.Row(i), z) {
					t.Errorf("event %d is reported as %v, want %v", i, out.Seen.Row(i), z)
				}
				if got, _ := out.Near.Row(i); got[0] != index[0] && dist2[0] > 1e-12 && c.n > 12 && i != rows-1 {
					t.Errorf("event %d has the reported neighbour %d, want %d", i, got[0], index[0])
				}
			}
		}
	}
}

// fixed is an index that returns the same rows for every query, or fails.
type fixed struct {
	knn.Index
	fail error
	ks   *[]int
}

func (f fixed) Search(_ context.Context, q vec.Matrix[float32], k int, _ knn.Settings) (*knn.Neighbors, error) {
	if f.ks != nil {
		*f.ks = append(*f.ks, k)
	}
	nb := knn.NewNeighbors(q.Rows, k)
	for i := range nb.Index {
		nb.Index[i], nb.Dist2[i] = int32(i%k), float64(1+i%k)
	}
	return nb, f.fail
}

// If the search misses a reference point equal to an event, the point still comes first, in every
// block. Errors of the search, of a block and of the context are returned.
func TestSearcherEndsAndCorrects(t *testing.T) {
	s, x := modeltest.Snapshot(t, 7, 300, 6, 0, 2)
	f, err := New(s, 3, Options{Search: auto.Settings{Method: auto.HNSW}})
	if err != nil {
		t.Fatal(err)
	}
	var ks []int
	f.index = fixed{ks: &ks}
	nothing := func(Block) error { return nil }
	out, err := f.Place(t.Context(), x.Slice(100, 300), func(b Block) error {
		for i := b.From; i < b.To; i++ {
			_, index, dist2 := b.Event(i)
			if int(index[0]) != 100+i || dist2[0] != 0 || index[1] != 0 || dist2[1] != 1 {
				t.Errorf("event %d has the neighbours %v at %v", i, index[:2], dist2[:2])
			}
		}
		return nil
	})
	if err != nil || out.Near.N != 200 || !slices.Equal(ks, []int{f.reach}) {
		t.Errorf("%v, searched for %v", err, ks)
	}
	if _, err := f.Nearest(t.Context(), x, 5); err != nil || ks[1] != 5 {
		t.Errorf("%v, searched for %v", err, ks)
	}

	first, second := errors.New("first"), errors.New("second")
	if _, err := f.Place(t.Context(), x, func(b Block) error {
		switch b.From {
		case 64:
			return first
		case 192:
			return second
		}
		return nil
	}); !errors.Is(err, first) {
		t.Errorf("%v, want the first block's", err)
	}
	f.index = fixed{fail: second}
	if out, err := f.Place(t.Context(), x, nothing); !errors.Is(err, second) || !strings.HasPrefix(err.Error(), "placing: ") || out.Mu.Rows > 0 {
		t.Errorf("%v, want the search's", err)
	}
	f.index = fixed{}
	ctx, cancel := context.WithCancel(t.Context())
	out, err = f.Place(ctx, x.Slice(0, 0), nothing)
	if err != nil || out.Mu.Cols != 2 || out.Near != nil {
		t.Errorf("no events: %v", err)
	}
	calls := 0
	f.threads = 1
	if out, err := f.Place(ctx, x, func(Block) error { calls++; cancel(); return nil }); !errors.Is(err, context.Canceled) || calls != 1 || out.Mu.Rows > 0 {
		t.Errorf("%v after %d blocks, the context was cancelled in the first", err, calls)
	}
	if _, err := f.Place(ctx, x.Slice(0, 0), nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of no events with a cancelled context", err)
	}
}

// The error names the events that cannot be placed.
func TestProjectRefuses(t *testing.T) {
	s, x := modeltest.Snapshot(t, 7, 100, 3, 2, 2)
	s.Names = []string{"a", "b", "c"}
	f, err := New(s, 3, Options{})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(x vec.Matrix[float32], want string) {
		t.Helper()
		_, err := f.Place(t.Context(), x, func(Block) error { t.Error("a block is placed"); return nil })
		if !models.IsBadInput(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	refused(vec.New[float32](1, 2), "vectors of 2 elements")
	bad := x.Slice(0, 2).Clone()
	bad.Row(1)[2] = float32(math.NaN())
	refused(bad, "row 1, element 2 (c) of the vector is NaN")
	for q := range 2 {
		for c := range 3 {
			bad.Row(1)[c] = float32(math.Copysign(math.MaxFloat32, float64(s.Components.Row(q)[c])))
		}
		refused(bad, "too large to be projected")
	}
	f.snap.Distance = distance.Jaccard
	refused(vec.Of(1, 3, []float32{0, 1, 0.5}), "placing: ")
}

// Publish converts a place to single precision. The scale is a square root and stays finite.
func TestPublish(t *testing.T) {
	out := models.Placed{Mu: vec.New[float32](2, 2), Sigma: make([]float32, 2), NoveltyLocal: make([]float32, 2), NoveltyGlobal: make([]float32, 2)}
	Publish(out, 0, []float64{1, -2}, 9, 0.25, 0.75)
	Publish(out, 1, []float64{0.1, 4}, math.MaxFloat64, 0, 1)
	if !slices.Equal(out.Mu.Data, []float32{1, -2, 0.1, 4}) || !slices.Equal(out.Sigma, []float32{3, math.MaxFloat32}) ||
		!slices.Equal(out.NoveltyLocal, []float32{0.25, 0}) || !slices.Equal(out.NoveltyGlobal, []float32{0.75, 1}) {
		t.Errorf("%+v", out)
	}
}

// Projected vectors are reconstructed by the components, and their scales are spread over the
// elements. Without a projection both stay as they are.
func TestUnproject(t *testing.T) {
	for _, q := range []int{0, 2} {
		s, _ := modeltest.Snapshot(t, 7, 50, 5, q, 2)
		f, err := New(s, 3, Options{})
		if err != nil {
			t.Fatal(err)
		}
		z := s.Reference.Slice(3, 6)
		got := f.Unproject(z, []float32{1, 2, 3})
		for i := range 3 {
			want, scale := slices.Clone(z.Row(i)), float64(i+1)
			if q > 0 {
				scale *= math.Sqrt(2. / 5)
				want = slices.Clone(s.Mean)
				for p, w := range z.Row(i) {
					for c, v := range s.Components.Row(p) {
						want[c] += w * v
					}
				}
			}
			for c, v := range want {
				if !near(float64(got.X.Row(i)[c]), float64(v)) {
					t.Errorf("q = %d: row %d is led back to %v, want %v", q, i, got.X.Row(i), want)
				}
			}
			if !near(float64(got.Sigma[i]), scale) {
				t.Errorf("q = %d: row %d has the scale %g, want %g", q, i, got.Sigma[i], scale)
			}
		}
	}
}

// Invalid models and events are refused with the model's name.
func TestCheck(t *testing.T) {
	change := func(f func(s *snapshot.Snapshot)) *snapshot.Snapshot {
		s, _ := modeltest.Snapshot(t, 7, 30, 5, 0, 2)
		f(s)
		return s
	}
	fine := change(func(*snapshot.Snapshot) {})
	for _, c := range []struct {
		s         *snapshot.Snapshot
		rule      Rule
		neighbors int
		set       auto.Settings
		want      string
		bad       bool // the error is the snapshot's
	}{
		{s: fine}, {s: fine, rule: LLE, neighbors: 1}, {s: fine, set: auto.Settings{Recall: 1}},
		{s: change(func(s *snapshot.Snapshot) { s.Kind = "" }), want: "m: the snapshot does not fit: ", bad: true},
		{s: fine, neighbors: -1, want: "m: placing by -1 neighbours"},
		{s: fine, rule: LLE + 1, want: "m: unknown rule"}, {s: fine, rule: -1, want: "m: unknown rule"},
		{s: fine, set: auto.Settings{Recall: 2}, want: "recall"},
	} {
		err := Check("m", c.s, Options{Rule: c.rule, Neighbors: c.neighbors, Search: c.set})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || c.bad && !models.IsBadInput(err) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// The map of a graph is searched along its edges, whatever the settings.
func TestSearcherOfGraph(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 7, 12, 2, 0, 2)
	lengths := sparse.FromTriplets(4, 4, []int32{0, 1, 1, 2, 2, 3}, []int32{1, 0, 2, 1, 3, 2}, []float64{1, 1, 2, 2, 4, 4})
	s.Graph, s.CellRecall = &snapshot.Graph{Weights: graph.Distance, Lengths: lengths}, 0.9
	s.Reference, s.Dim, s.NoveltyK = vec.New[float32](4, 0), 4, 1
	f, err := New(s, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	nb, err := f.Search(t.Context(), vec.Of(1, 4, []float32{0, 0.5, 0, 0})) // half an edge length from node 1
	if err != nil {
		t.Fatal(err)
	}
	if index, dist2 := nb.Row(0); !slices.Equal(index, []int32{1, 0}) || !near(dist2[0], 0.25) || !near(dist2[1], 2.25) || f.equal != nil {
		t.Errorf("the neighbours are %v at %v", index, dist2)
	}
}
