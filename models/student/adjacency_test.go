package student

import (
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/models/score"
	"unfold/sparse"
	"unfold/sparse/knn"
)

// TestProblemIsThatOfTriplets: NewProblem computes every edge from the lists of its two ends. The
// result equals that of a plain list of all edges, bit for bit and for any number of threads.
func TestProblemIsThatOfTriplets(t *testing.T) {
	const n, k, beyond = 5000, 7, 3
	x := normal(n, 3, 9)
	nb := neighbors(t, x, 12)
	far := knn.NewNeighbors(n, beyond)
	r := rand.New(rand.NewPCG(2, 8))
	for i := range n {
		index, dist2 := far.Row(i)
		for m := range index {
			for index[m] = int32(i); r.IntN(10) > 0; { // or none
				j := int32(r.IntN(n))
				near, _ := nb.Row(i)
				if !slices.Contains(near[:k], j) && !slices.Contains(index[:m], j) {
					index[m] = j
					break
				}
			}
			dist2[m] = r.ExpFloat64()
		}
	}
	weights := edgeWeights{rank: nearWeights(k, 0.7), supervision: 0.6, class: make([]int32, n)}
	for u := range weights.class {
		weights.class[u] = int32(r.IntN(4)) + score.Missing
	}
	scale := newLengths(nb, k, Settings{Options: Options{Density: 0.3}}, Native.Unit(nb, k))

	var i, j []int32
	var near, further, delta2 []float64
	for _, l := range []struct {
		nb    *knn.Neighbors
		k     int
		first bool
	}{{nb, k, true}, {far, beyond, false}} {
		for u := range int32(n) {
			to, dist2 := l.nb.Row(int(u))
			for q, v := range to[:l.k] {
				i, j, delta2 = append(i, u), append(j, v), append(delta2, scale.pair(u, v, dist2[q]))
				if l.first {
					near, further = append(near, weights.edge(u, to[:l.k], q)), append(further, 0)
				} else {
					near, further = append(near, 0), append(further, 1)
				}
			}
		}
	}
	want, slot, slotT := sparse.Pattern(n, i, j)
	lengths2 := make([]float64, want.NNZ())
	for q, v := range delta2 {
		if slot[q] >= 0 {
			lengths2[slot[q]], lengths2[slotT[q]] = v, v
		}
	}
	for _, threads := range []int{1, 3} {
		p := newProblem(nb, far, weights, scale, threads)
		want.Scatter(slot, slotT, near)
		if !slices.Equal(p.Similar.Start, want.Start) || !slices.Equal(p.Similar.Index, want.Index) {
			t.Fatalf("%d threads: other entries", threads)
		}
		if !slices.Equal(present(p), want.Data) {
			t.Errorf("%d threads: other near weights", threads)
		}
		for q, v := range lengths2 {
			if SingleLengths(n) {
				v = float64(float32(v))
			}
			if got := p.delta2.at(q); got != v {
				t.Fatalf("%d threads: entry %d has the length scale %g, want %g", threads, q, got, v)
			}
		}
		const weight = 0.25
		near := slices.Clone(want.Data)
		want.Scatter(slot, slotT, further)
		p.Weigh(weight)
		for q, f := range want.Data {
			if got := p.weights.at(q); got != near[q]+weight*f || p.weights.near(q) != near[q] {
				t.Fatalf("%d threads: entry %d weighs %g, want %g", threads, q, got, near[q]+weight*f)
			}
		}
	}
}
