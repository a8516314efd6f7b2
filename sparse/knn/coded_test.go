package knn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/codes"
	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// An index by codes passes the conformance suite.
func TestCodedConformance(t *testing.T) {
	for _, largest := range []int{31, codes.Largest} {
		t.Run(fmt.Sprint(largest), func(t *testing.T) {
			knntest.Conformance(t, knntest.Options{Exact: true}, func(x vec.Matrix[float32]) knn.Index {
				return knn.NewExactCoded(x, largest)
			})
		})
	}
}

// Graphs, lists of other rows and of other labels by codes equal the double loop for any data and
// every instruction set. Queries of another kind are far from the rows or outside their box.
func TestCodedIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 400).Draw(t, "n")
		dim := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 31, 96, 201}).Draw(t, "dim")
		k := min(n-1, rapid.SampledFrom([]int{1, 2, 5, n}).Draw(t, "k"))
		kind, other := rapid.SampledFrom(knntest.Kinds).Draw(t, "kind"), rapid.SampledFrom(knntest.Kinds).Draw(t, "queries")
		seed := rapid.Uint64().Draw(t, "seed")
		x := knntest.Points[float32](kind, n, dim, seed)
		unit := float32(rapid.SampledFrom([]float64{1e-15, 1}).Draw(t, "unit"))
		if rapid.Bool().Draw(t, "a far row") {
			x.Row(n / 2)[dim/2] = 1e4
		}
		q := knntest.Points[float32](other, 40, dim, seed+1)
		copy(q.Data, x.Slice(0, min(n, 20)).Data)
		for _, m := range []vec.Matrix[float32]{x, q} {
			for p := range m.Data {
				m.Data[p] *= unit
			}
		}
		largest := rapid.SampledFrom([]int{1, 31, 45, 63, codes.Largest}).Draw(t, "largest")
		all := make([]int32, n)
		for i := range all {
			all[i] = int32(i)
		}
		want := knntest.Brute(x, x, k, func(q, j int) bool { return q == j })
		for _, l := range simd.Levels() {
			got, err := knn.CodedGraph(x, l, largest, k, rapid.IntRange(1, 5).Draw(t, "size"))
			same(t, l.String(), got, want, err)
			double, err := knn.CodedGraph(vec.Convert[float64](x), l, largest, k, 1)
			same(t, l.String()+" of doubles", double, want, err)
		}
		found, err := knn.NewExactCoded(x, largest).Search(t.Context(), q, k, knn.Settings{})
		same(t, "search", found, knntest.Brute(x, q, k, nil), err)
		label := make([]int32, n)
		for i := range label {
			label[i] = int32(i * 2 / n)
		}
		if k = min(k, n/2); k > 0 {
			unlike, err := knn.CodedUnlike(x, all, label, largest, k, rapid.IntRange(1, 5).Draw(t, "chunk"))
			same(t, "unlike", unlike, knntest.Brute(x, x, k, func(q, j int) bool { return label[q] == label[j] }), err)
		}
	})
}

// same fails the test unless lists are equal, bit for bit. Rows that are all equal have no codes.
func same(t *rapid.T, name string, got, want *knn.Neighbors, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got != nil && (!slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist2, want.Dist2)) {
		t.Fatalf("%s: other lists than by the double loop", name)
	}
}

// Codes exclude nearly all pairs of rows like embeddings of texts, and are not used where they
// would exclude few: in clusters that are small compared with the distances between them.
func TestCodesArePicky(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name   string
		spread float64
		want   bool
	}{{"clusters as wide as their distances", 1, true}, {"small clusters", 1e-3, false}} {
		t.Run(c.name, func(t *testing.T) {
			means, x := vec.New[float64](20, 384), vec.New[float32](2000, 384)
			for p := range means.Data {
				means.Data[p] = rng.NormFloat64()
			}
			for i := range x.Rows {
				for k, m := range means.Row(i % means.Rows) {
					x.Row(i)[k] = float32(m + c.spread*rng.NormFloat64())
				}
			}
			for _, largest := range []int{31, codes.Largest} {
				pass := knn.CodedShare(x, largest)
				if got := pass <= knn.MostPass; got != c.want || math.IsNaN(pass) {
					t.Errorf("codes up to %d: %.3f of the pairs pass, at most %v do: %v, want %v", largest, pass, knn.MostPass, got, c.want)
				}
			}
		})
	}
}

// Rows are compared by coarse codes, which take less time to multiply, unless finer ones exclude many
// more pairs: distances of rows of noise are nearly equal.
func TestCodesAreCoarse(t *testing.T) {
	fast := codes.Fast(simd.Best())
	if len(fast) == 0 {
		t.Skip("products of codes are slow here")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	directions, few, noise := vec.New[float64](10, 384), vec.New[float32](2000, 384), vec.New[float32](2000, 300)
	for p := range directions.Data {
		directions.Data[p] = rng.NormFloat64()
	}
	for i := range few.Rows {
		for d := range directions.Rows {
			v := rng.NormFloat64()
			for k, w := range directions.Row(d) {
				few.Row(i)[k] += float32(v * w)
			}
		}
	}
	for p := range noise.Data {
		noise.Data[p] = float32(rng.NormFloat64())
	}
	finest := fast[len(fast)-1].Largest
	if got := knn.CodedLargest(few); got == 0 || got == finest && len(fast) > 1 {
		t.Errorf("rows of ten dimensions are compared by codes up to %d, of %v", got, fast)
	}
	if got := knn.CodedLargest(noise); got != finest {
		t.Errorf("noise is compared by codes up to %d, want %d", got, finest)
	}
}
