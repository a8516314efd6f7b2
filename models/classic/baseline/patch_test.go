package baseline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
	"unfold/sparse/multifrontal"
)

// denseCost returns the sum (4) or (8) of the patches as a dense matrix, as in the papers.
func denseCost(m Method, all []patch) *mat.SymDense {
	n := len(all)
	sum := mat.NewDense(n, n, nil)
	for _, p := range all {
		k, r := p.f.Rows, p.f.Cols
		f := mat.NewDense(k, r, p.f.Data)
		var cost mat.Dense
		cost.Mul(f, f.T())
		if m == LTSA { // I - F F'
			cost.Scale(-1, &cost)
			for a := range k {
				cost.Set(a, a, 1+cost.At(a, a))
			}
		}
		for a, i := range p.points {
			for b, j := range p.points {
				sum.Set(int(i), int(j), sum.At(int(i), int(j))+cost.At(a, b))
			}
		}
	}
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			out.SetSym(i, j, sum.At(i, j))
		}
	}
	return out
}

// Positions from a sparse factor equal those from the dense matrix, with the same bits for any
// number of threads, also for rows in distant components.
func TestSparseIsDense(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     Method
		apart float32
	}{{"lle", LLE, 0}, {"ltsa", LTSA, 0}, {"lle in parts", LLE, 5}, {"ltsa in parts", LTSA, 5}} {
		t.Run(c.name, func(t *testing.T) {
			x, rnd := vec.New[float32](600, 4), rand.New(rand.NewPCG(6, 6))
			for i := range x.Data {
				x.Data[i] = rnd.Float32()
			}
			for i := range x.Rows {
				x.Row(i)[0] += c.apart * float32(i%3)
			}
			var last vec.Matrix[float64]
			for _, threads := range []int{1, 3} {
				fit, err := Fit(t.Context(), c.m, x, Settings{Common: models.Common{Neighbors: 8, Threads: threads}})
				if err != nil {
					t.Fatal(err)
				}
				if got := fit.model.(*scaled).x; threads > 1 && !slices.Equal(got.Data, last.Data) {
					t.Fatal("three threads give other places")
				} else {
					last = got
				}
			}
			near, err := knn.Graph(t.Context(), x, 8, knn.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			lists, err := neighborLists(t.Context(), x, near, 1)
			if err != nil {
				t.Fatal(err)
			}
			y := unitsOf(x).All(x)
			all, err := patches(t.Context(), x.Rows, 1, func(i int) (patch, error) {
				if c.m == LTSA {
					return align(y, neighborhood(lists, i, 8), 2)
				}
				return reconstruct(y, i, lists[i]), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var eigen mat.EigenSym
			if !eigen.Factorize(denseCost(c.m, all), true) {
				t.Fatal(errUnsolved)
			}
			var vectors mat.Dense
			eigen.VectorsTo(&vectors)
			want := vec.New[float64](x.Rows, 2)
			for i := range x.Rows {
				want.Row(i)[0], want.Row(i)[1] = vectors.At(i, 1), vectors.At(i, 2)
			}
			same(t, "learnt", last, want, signs(last, want))
			values := eigen.Values(nil)
			t.Logf("eigenvalues %.3g", values[:4])
			if !(math.Abs(values[0]) < 1e-12) || !(values[1] > 0) {
				t.Errorf("eigenvalues %g", values[:3])
			}
		})
	}
}

// The forecast size of a factor is right for points that fill their dimensions: at most 15% too
// small and half too large.
func TestFactorIsForecast(t *testing.T) {
	for _, n := range []int{1000, 4000} {
		for _, q := range []int{2, 3, 4, 6} {
			for _, k := range []int{9, 18} {
				x, rnd := vec.New[float32](n, q), rand.New(rand.NewPCG(6, 6))
				for i := range x.Data {
					x.Data[i] = rnd.Float32()
				}
				near, err := knn.Graph(t.Context(), x, k, knn.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				lists, err := neighborLists(t.Context(), x, near, 0)
				if err != nil {
					t.Fatal(err)
				}
				all, err := patches(t.Context(), n, 0, func(i int) (patch, error) { return reconstruct(vec.Convert[float64](x), i, lists[i]), nil })
				if err != nil {
					t.Fatal(err)
				}
				w := weights(all, -1, 0)
				edges := make([][]int32, n)
				for i := range edges {
					edges[i], _ = w.Row(i)
				}
				_, most, _ := multifrontal.Dissect(edges, 100).CholeskyNumbers()
				want := factorNumbers(n, k, q)
				t.Logf("%d points, %d dimensions, %d neighbours: %.2f of the forecast, %.2f of the square", n, q, k, float64(most)/float64(want), float64(most)/float64(n*n))
				if share := float64(most) / float64(want); share > 1.15 || share < .5 {
					t.Errorf("%d numbers, forecast %d", most, want)
				}
			}
		}
	}
}
