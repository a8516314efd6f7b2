package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/knn"
)

// randomGraph returns a graph of n nodes with about the given number of edges of positive weight,
// some of them in both directions.
func randomGraph(n, edges int, seed uint64) *sparse.CSR {
	r := rand.New(rand.NewPCG(seed, 1))
	var i, j []int32
	var w []float64
	for range edges {
		i, j, w = append(i, int32(r.IntN(n))), append(j, int32(r.IntN(n))), append(w, float64(1+r.IntN(3)))
	}
	return sparse.FromTriplets(n, n, i, j, w)
}

// Edges count in both directions; of two weights for a pair, the higher similarity or the shorter
// distance is used.
func TestLengths(t *testing.T) {
	a := sparse.FromTriplets(3, 3, []int32{0, 1, 1, 2}, []int32{1, 0, 2, 2}, []float64{2, 4, 5, 1})
	for _, c := range []struct {
		weights Weights
		near    float64
		far     float64
	}{{Similarity, 0.25, 0.2}, {Distance, 2, 5}} {
		l := Lengths(a, c.weights)
		if err := l.Validate(); err != nil {
			t.Fatal(err)
		}
		if l.NNZ() != 4 || l.At(0, 1) != c.near || l.At(1, 0) != c.near || l.At(1, 2) != c.far || l.At(2, 1) != c.far {
			t.Errorf("%v: lengths %v at %v", c.weights, l.Data, l.Index)
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if Similarity.Check(v) == nil || Distance.Check(v) == nil {
			t.Errorf("%v passes for a weight", v)
		}
	}
}

// Lists have the nearest points by the lengths of all shortest paths, for any number of threads,
// and components are joined.
func TestNearestOfAGraph(t *testing.T) {
	const n, k = 300, 12
	lengths, parts := Bridged(Lengths(randomGraph(n, 320, 7), Similarity))
	if parts < 2 {
		t.Fatal("the graph is in one part, and was to be in several")
	}
	if err := CheckLengths(lengths); err != nil {
		t.Fatal(err)
	}
	p := PathsOf(lengths)
	nb, err := p.Nearest(t.Context(), k, knn.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Nearest(t.Context(), k, knn.Settings{Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(nb.Index, again.Index) || !slices.Equal(nb.Dist2, again.Dist2) {
		t.Error("the lists depend on the number of threads")
	}
	dist, f := make([]float64, n), &Frontier{}
	for i := range n {
		p.From(i, dist, f)
		index, dist2 := nb.Row(i)
		for q, j := range index {
			if math.Abs(math.Sqrt(dist2[q])-dist[j]) > 1e-12 || int(j) == i || slices.Contains(index[:q], j) {
				t.Fatalf("point %d: neighbour %d is %d at %v, and paths say %v", i, q, j, math.Sqrt(dist2[q]), dist[j])
			}
		}
		slices.Sort(dist)
		if last := math.Sqrt(dist2[k-1]); math.Abs(last-dist[k]) > 1e-12 {
			t.Fatalf("point %d: the last neighbour is at %v, and %v is right", i, last, dist[k])
		}
	}
}

// The distances of a new node follow from its edges, and points with a similar neighbourhood come
// first.
func TestIndexOfAGraph(t *testing.T) {
	const n = 40 // a ring
	var i, j []int32
	var w []float64
	for p := range int32(n) {
		i, j, w = append(i, p), append(j, (p+1)%n), append(w, 2)
	}
	x := NewIndex(PathsOf(Lengths(sparse.FromTriplets(n, n, i, j, w), Distance)), Distance)
	row := vec.New[float32](1, n)
	row.Row(0)[5], row.Row(0)[7] = 1, 1
	nb, err := x.Search(t.Context(), row, 5, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	index, dist2 := nb.Row(0)
	if first := []int32{min(index[0], index[1]), max(index[0], index[1])}; !slices.Equal(first, []int32{5, 7}) || !slices.Equal(dist2, []float64{1, 1, 9, 9, 9}) || index[2] != 6 {
		t.Errorf("it is near %v at squared distances %v", index, dist2)
	}
	for name, bad := range map[string]float32{"no edge": 0, "an edge below 0": -1} {
		row := vec.New[float32](1, n)
		row.Row(0)[3] = bad
		if _, err := x.Search(t.Context(), row, 5, knn.Settings{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
