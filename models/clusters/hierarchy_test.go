package clusters

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
)

// scattered returns points of some groups, with a share of duplicates.
func scattered(r *rand.Rand, n, dim int) vec.Matrix[float64] {
	x := vec.New[float64](n, dim)
	for i := range n {
		if i > 0 && r.IntN(8) == 0 {
			copy(x.Row(i), x.Row(r.IntN(i)))
			continue
		}
		for k := range dim {
			x.Row(i)[k] = float64(12*(i%4)) + r.NormFloat64()
		}
	}
	return x
}

// TestNearest: a search by boxes finds the same rows as a scan of all rows, in the same order.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, dim := rapid.IntRange(1, 300).Draw(rt, "rows"), rapid.IntRange(1, boxedColumns).Draw(rt, "columns")
		x := scattered(r, n, dim)
		k := rapid.IntRange(1, n).Draw(rt, "k")
		q := scattered(r, 1, dim).Row(0)
		d := rapid.SampledFrom([]distance.Distance{distance.Euclidean, distance.Manhattan, distance.Chebyshev}).Draw(rt, "distance")
		var want nearest
		for j := range n {
			want = append(want, neighbor{int32(j), distance.Between(d, q, x.Row(j))})
		}
		slices.SortFunc(want, func(a, b neighbor) int { return cmp.Or(cmp.Compare(a.dist2, b.dist2), cmp.Compare(a.row, b.row)) })
		if got := newBoxes(d, x, make([]float64, n), 1).nearest(nil, q, k, 0, 0); !reflect.DeepEqual(got, want[:k]) {
			rt.Fatalf("%v, want %v", got, want[:k])
		}
	})
}

// TestParts: a hierarchy is restored from a snapshot unchanged, and predicts the same.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x := scattered(r, 600, 2)
	for _, set := range []Settings{{MinSize: 20}, {MinSize: 20, MinSamples: 1}, {MinSize: 400}} {
		c, err := Find(t.Context(), x, set)
		if err != nil {
			t.Fatal(err)
		}
		s := &snapshot.Snapshot{Mu: x, Parts: c.Hierarchy().Parts()}
		h, err := HierarchyOf(s)
		if err != nil || !reflect.DeepEqual(h, c.Hierarchy()) {
			t.Fatalf("%+v: it comes back otherwise: %v", set, err)
		}
		q := scattered(r, 300, 2)
		want, err := NewPredictor(c, x).Predict(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			got, err := PredictorOf(h, x, Settings{Threads: threads}).Predict(t.Context(), q)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: %d threads predict otherwise: %v", set, threads, err)
			}
		}
		for i := range s.Parts {
			if v, ok := s.Parts[i].Data.([]uint32); ok {
				was := v[len(v)-1]
				v[len(v)-1] = 1 << 30
				if _, err := HierarchyOf(s); !models.IsBadInput(err) {
					t.Errorf("%+v: part %s with a number too large: %v", set, s.Parts[i].Name, err)
				}
				v[len(v)-1] = was
			}
		}
	}
	if h, err := HierarchyOf(&snapshot.Snapshot{Mu: x}); h != nil || err != nil {
		t.Errorf("a map without clusters: %v, %v", h, err)
	}
	half := &snapshot.Snapshot{Mu: x, Parts: (&Hierarchy{MinSamples: 1, Inner2: make([]float64, 600), Of: make([]int32, 600), Lambda: make([]float64, 600)}).Parts()[:2]}
	if _, err := HierarchyOf(half); !models.IsBadInput(err) {
		t.Errorf("half of the parts: %v", err)
	}
}

// TestOutliersOfNewPoints: a new point far from all others has nearly the largest outlier score,
// and one in the middle of a cluster nearly the smallest.
func TestOutliersOfNewPoints(t *testing.T) {
	x := scattered(rand.New(rand.NewPCG(6, 6)), 800, 2)
	c, err := Find(t.Context(), x, Settings{MinSize: 20})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewPredictor(c, x).Predict(t.Context(), vec.Of(2, 2, []float64{0, 0, 500, 500}))
	if err != nil {
		t.Fatal(err)
	}
	if m.Label[0] < 0 || m.Outlier[0] > 0.5 || m.Label[1] != Noise || m.Outlier[1] < 0.95 {
		t.Errorf("in the middle: %d, %.2f; far away: %d, %.2f", m.Label[0], m.Outlier[0], m.Label[1], m.Outlier[1])
	}
}
