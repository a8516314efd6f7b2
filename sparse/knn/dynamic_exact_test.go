package knn_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// SearchReverse agrees with the double loop after rows were added and removed.
func TestAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 30).Draw(t, "dim")
		kind := rapid.SampledFrom(knntest.Kinds).Draw(t, "kind")
		s := knn.NewDynamicExact(distance.Euclidean, dim)
		top := rapid.IntRange(2, 2500).Draw(t, "top")
		x := knntest.Points[float32](kind, top, dim, rapid.Uint64().Draw(t, "seed"))
		var all []int32
		for i := range int32(top) {
			all = append(all, i)
		}
		cut := rapid.IntRange(1, top-1).Draw(t, "cut")
		// The upper slots are filled first, and some of the lower ones are removed again.
		put(t, s, all[cut:], x.Slice(cut, top))
		put(t, s, all[:cut], x.Slice(0, cut))
		gone := slices.DeleteFunc(slices.Clone(all), func(i int32) bool { return i%3 != 1 })
		s.Remove(gone)
		have := slices.DeleteFunc(slices.Clone(all), func(i int32) bool { return i%3 == 1 })
		if s.Len() != len(have) || s.Top() != int(have[len(have)-1])+1 {
			t.Fatalf("%d rows below %d", s.Len(), s.Top())
		}

		ask := slices.Clone(have)[:rapid.IntRange(1, min(len(have), 120)).Draw(t, "ask")]
		k := rapid.IntRange(1, 12).Draw(t, "k")
		reach := make([]float64, s.Top())
		for i := range reach {
			switch i % 4 {
			case 0:
				reach[i] = -1
			case 1:
				reach[i] = math.Inf(1)
			default:
				reach[i] = vec.SquaredDistance(x.Row(i), x.Row((i*7+1)%top))
			}
		}
		for _, slot := range ask {
			reach[slot] = -1
		}
		lists, within, err := s.SearchReverse(context.Background(), ask, k, reach, knn.Settings{Threads: rapid.IntRange(1, 2).Draw(t, "threads")})
		if err != nil {
			t.Fatal(err)
		}
		var want []knn.ReverseNeighbor
		for r, slot := range ask {
			var others []knn.ReverseNeighbor
			for _, j := range have {
				d2 := vec.SquaredDistance(x.Row(int(slot)), x.Row(int(j)))
				if j != slot {
					others = append(others, knn.ReverseNeighbor{Row: j, Dist2: d2})
				}
				if d2 <= reach[j] {
					want = append(want, knn.ReverseNeighbor{Row: j, New: slot, Dist2: d2})
				}
			}
			slices.SortFunc(others, func(a, b knn.ReverseNeighbor) int {
				if a.Dist2 != b.Dist2 {
					if a.Dist2 < b.Dist2 {
						return -1
					}
					return 1
				}
				return int(a.Row - b.Row)
			})
			index, dist2 := lists.Row(r)
			for p := range index {
				e := knn.ReverseNeighbor{Row: math.MaxInt32, Dist2: math.Inf(1)}
				if p < len(others) {
					e = others[p]
				}
				if index[p] != e.Row || dist2[p] != e.Dist2 {
					t.Fatalf("%s: neighbour %d of slot %d is %d at %v, want %d at %v", kind, p, slot, index[p], dist2[p], e.Row, e.Dist2)
				}
			}
		}
		slices.SortFunc(want, knn.CompareReverse)
		if !slices.Equal(within, want) {
			t.Fatalf("%s: %d pairs within reach, want %d", kind, len(within), len(want))
		}
		alone, err := s.Within(context.Background(), ask, reach, knn.Settings{Threads: 2})
		if slices.SortFunc(alone, knn.CompareReverse); err != nil || !slices.Equal(alone, want) {
			t.Fatalf("%s: %d pairs alone, want %d: %v", kind, len(alone), len(want), err)
		}
	})
}

func put(t *rapid.T, s *knn.DynamicExact, slots []int32, x vec.Matrix[float32]) {
	if err := s.Put(slots, x, 2); err != nil {
		t.Fatal(err)
	}
}

func TestSlotsRefuse(t *testing.T) {
	s := knn.NewDynamicExact(distance.Euclidean, 2)
	x := vec.New[float32](2, 2)
	if err := s.Put([]int32{0}, x, 1); err == nil {
		t.Fatal("two rows in one slot")
	}
	if err := s.Put([]int32{0}, vec.New[float32](1, 3), 1); err == nil {
		t.Fatal("a row of another dimension")
	}
	x.Data[3] = float32(math.Inf(1))
	if err := s.Put([]int32{0, 1}, x, 1); err == nil || s.Len() != 0 || s.Top() != 0 {
		t.Fatalf("an infinite value: %v, %d rows", err, s.Len())
	}
	x.Data[3] = 1
	if err := s.Put([]int32{3, 1}, x, 1); err != nil {
		t.Fatal(err)
	}
	if !s.Has(3) || !s.Has(1) || s.Has(0) || s.Has(-1) || s.Has(4) || s.Row(3)[1] != 0 || s.Row(1)[1] != 1 {
		t.Fatal("rows are in other slots")
	}
	ctx := context.Background()
	for _, ask := range [][]int32{{0}, {4}, {-1}} {
		if _, _, err := s.SearchReverse(ctx, ask, 1, nil, knn.Settings{}); err == nil {
			t.Fatalf("found neighbours of slots %v", ask)
		}
		if _, err := s.Within(ctx, ask, []float64{1, 1, 1, 1}, knn.Settings{}); err == nil {
			t.Fatalf("found pairs of slots %v", ask)
		}
	}
	if _, _, err := s.SearchReverse(ctx, []int32{1}, 0, nil, knn.Settings{}); err == nil {
		t.Fatal("found no neighbours")
	}
}

// Rows are stored twice, with little unused capacity.
func TestSlotsMemory(t *testing.T) {
	const n, dim = 5000, 50
	x := knntest.Points[float32]("gauss", n, dim, 1)
	s := knn.NewDynamicExact(distance.Euclidean, dim)
	for from := 0; from < n; from += 100 {
		var slots []int32
		for i := from; i < from+100; i++ {
			slots = append(slots, int32(i))
		}
		if err := s.Put(slots, x.Slice(from, from+100), 1); err != nil {
			t.Fatal(err)
		}
	}
	if most := int64(n * (2*4*dim + 16) * 3 / 2); s.Bytes() > most {
		t.Fatalf("%d bytes, want at most %d", s.Bytes(), most)
	}
}
