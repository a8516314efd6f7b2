package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/sparse/knn"
)

// TestGaussianByPoorLists: lists that miss neighbours, or have random rows in their place, give a
// Gaussian map about the likelihood of exact lists, if their distances are those of the rows. Lists
// with other distances, and lists without distances, are used as given.
func TestGaussianByPoorLists(t *testing.T) {
	const k = 20
	x := modeltest.Events(3, 500, 6)
	spec := Spec{Common: models.Common{Steps: 100}, LVM: lvm.Options{Tails: lvm.Gaussian}, PCA: PCANone}
	learn := func(g *knn.Given) *Result {
		t.Helper()
		s := spec
		s.Given = g
		_, r, err := Fit(context.Background(), x, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	exact := learn(neighborsOf(x, k))
	for name, poor := range map[string]*knn.Given{"missing": poorly(x, k, 0.8, false), "random": poorly(x, k, 0.8, true)} {
		r := learn(poor)
		if r.Report.Search.Recall > 0.9 || r.Report.Search.Distances {
			t.Fatalf("%s: %+v", name, r.Report.Search)
		}
		if d := r.Report.Loglik/exact.Report.Loglik - 1; math.Abs(d) > 0.01 {
			t.Errorf("%s: the likelihood is %.4g, with exact lists %.4g", name, r.Report.Loglik, exact.Report.Loglik)
		}
		bare := *poor
		bare.Dist = nil
		other := *poor
		other.Dist = make([]float32, len(poor.Dist))
		for i, d := range poor.Dist {
			other.Dist[i] = d * d
		}
		for name, g := range map[string]*knn.Given{"no distances": &bare, "other distances": &other} {
			if got := learn(g); got.Report.Edges == r.Report.Edges && got.Report.Loglik == r.Report.Loglik {
				t.Errorf("%s: the map is that of repaired lists", name)
			}
		}
	}
}

// poorly returns the k nearest of some rows. Each of them may be replaced: by a random row if
// others is true, otherwise by a more distant one.
func poorly(x vec.Matrix[float32], k int, recall float64, others bool) *knn.Given {
	all := neighborsOf(x, 2*k)
	g, r := &knn.Given{N: x.Rows, K: k}, rand.New(rand.NewPCG(4, 7))
	for i := range x.Rows {
		taken := map[int32]bool{int32(i): true}
		add := func(j int32) {
			if !taken[j] {
				taken[j] = true
				g.Index = append(g.Index, j)
				g.Dist = append(g.Dist, float32(math.Sqrt(vec.SquaredDistance(x.Row(i), x.Row(int(j))))))
			}
		}
		near := all.Row(i)
		for at := 0; len(g.Index) < (i+1)*k; at++ {
			switch {
			case r.Float64() < recall && at < len(near):
				add(near[at])
			case others || at >= len(near):
				add(int32(r.IntN(x.Rows)))
			}
		}
	}
	return g
}
