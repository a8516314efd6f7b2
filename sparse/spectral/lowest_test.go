package spectral_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/sparse"
	"unfold/sparse/spectral"
)

// Eigenvalues and vectors of diag((S+S')1) - (S+S') agree with the fixtures, by the dense and by
// the iterative method.
func TestFixtures(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, s *fixtures.Saul) {
		n := len(s.S.I)
		i, j, v := make([]int32, 0, 2*n), make([]int32, 0, 2*n), make([]float64, 0, 2*n)
		for k := range s.S.I {
			i, j = append(i, s.S.I[k], s.S.J[k]), append(j, s.S.J[k], s.S.I[k])
			v = append(v, s.S.W[k], s.S.W[k])
		}
		w := sparse.FromTriplets(s.N, s.N, i, j, v)
		for name, settings := range map[string]spectral.Settings{
			"dense":  {},
			"lobpcg": {Dense: -1, Tolerance: 1e-13, Seed: 1},
		} {
			r, err := spectral.Lowest(context.Background(), w, len(s.Spectral.Values)-1, settings)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d iterations, residual %.3g, rounding %v", name, r.Iterations, r.Residual, r.Rounding)
			if !r.Converged {
				t.Errorf("%s: not converged: residual %g", name, r.Residual)
			}
			fixtures.Close(t, name+" eigenvalues", append([]float64{0}, r.Values...), s.Spectral.Values, 1e-9)
			for c := range s.Dims {
				var got, want []float64
				for p := range s.N {
					got, want = append(got, r.Vectors.Row(p)[c]), append(want, s.Spectral.Vectors.Row(p)[c])
				}
				fixtures.Close(t, name+" eigenvector", got, want, 1e-9)
			}
		}
	})
}

// ring returns the cycle of n points, with eigenvalues 2 - 2 cos(2 pi k / n), each twice.
func ring(n int) *sparse.CSR {
	var i, j []int32
	var w []float64
	for a := range n {
		b := (a + 1) % n
		i, j, w = append(i, int32(a), int32(b)), append(j, int32(b), int32(a)), append(w, 1, 1)
	}
	return sparse.FromTriplets(n, n, i, j, w)
}

func TestRing(t *testing.T) {
	const n = 1200
	r, err := spectral.Lowest(context.Background(), ring(n), 4, spectral.Settings{Tolerance: 1e-3, Seed: 2})
	if err != nil || !r.Converged {
		t.Fatalf("%+v, %v", r, err)
	}
	t.Logf("%d iterations, residual %.3g", r.Iterations, r.Residual)
	for c, v := range r.Values {
		k := float64(c/2 + 1)
		if want := 2 - 2*math.Cos(2*math.Pi*k/n); math.Abs(v-want) > 1e-5*want {
			t.Errorf("eigenvalue %d is %v, want %v", c, v, want)
		}
	}
}

// helix is a curve whose points reach their next six on either side.
func helix(n int) *sparse.CSR {
	var i, j []int32
	var w []float64
	for a := range n {
		for b := a + 1; b <= a+6 && b < n; b++ {
			v := 2 / float64(b-a)
			i, j, w = append(i, int32(a), int32(b)), append(j, int32(b), int32(a)), append(w, v, v)
		}
	}
	return sparse.FromTriplets(n, n, i, j, w)
}

// The iteration stops at the limit of rounding, long before its last step, and returns the best
// vectors so far. Beyond it residuals may grow again by orders of magnitude.
func TestStopsAtRounding(t *testing.T) {
	for _, n := range []int{60, 70, 200, 400} {
		w := helix(n)
		r, err := spectral.Lowest(context.Background(), w, 5, spectral.Settings{Dense: -1, Tolerance: 1e-16, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Converged || r.Iterations > 100 {
			t.Errorf("%d points: converged %v after %d iterations with a residual of %g", n, r.Converged, r.Iterations, r.Residual)
		}
		// |L v - lambda v| is at most a few hundred units of rounding of L.
		if most := 256 * 0x1p-52 * 24 / r.Values[0]; r.Residual > most {
			t.Errorf("%d points: residual %g, want at most %g", n, r.Residual, most)
		}
		want, err := spectral.Lowest(context.Background(), w, 5, spectral.Settings{Dense: n})
		if err != nil {
			t.Fatal(err)
		}
		for c, v := range want.Values {
			if math.Abs(r.Values[c]-v) > 1e-12 {
				t.Errorf("%d points: eigenvalue %d is %g, want %g", n, c, r.Values[c], v)
			}
		}
	}
}

// grid returns a random weighted grid graph.
func grid(side int) *sparse.CSR {
	r := rand.New(rand.NewPCG(9, 9))
	var i, j []int32
	var w []float64
	add := func(a, b int) {
		v := 0.5 + r.Float64()
		i, j, w = append(i, int32(a), int32(b)), append(j, int32(b), int32(a)), append(w, v, v)
	}
	for a := range side * side {
		if a%side+1 < side {
			add(a, a+1)
		}
		if a/side+1 < side {
			add(a, a+side)
		}
	}
	return sparse.FromTriplets(side*side, side*side, i, j, w)
}

func TestThreadsDoNotMatter(t *testing.T) {
	var first *spectral.Result
	for _, threads := range []int{1, 3} {
		r, err := spectral.Lowest(context.Background(), grid(70), 2, spectral.Settings{Threads: threads})
		if err != nil || !r.Converged {
			t.Fatalf("%+v, %v", r, err)
		}
		if first == nil {
			first = r
			t.Logf("%d iterations, residual %.3g", r.Iterations, r.Residual)
			continue
		}
		for k, v := range r.Vectors.Data {
			if v != first.Vectors.Data[k] {
				t.Fatalf("entry %d differs between 1 and %d threads", k, threads)
			}
		}
	}
}

func TestConvention(t *testing.T) {
	for _, denseUpTo := range []int{-1, 1000} {
		r, err := spectral.Lowest(context.Background(), grid(20), 3, spectral.Settings{Dense: denseUpTo})
		if err != nil {
			t.Fatal(err)
		}
		for c := range 3 {
			var norm, sum, largest float64
			for i := range r.Vectors.Rows {
				v := r.Vectors.Row(i)[c]
				norm, sum = norm+v*v, sum+v
				if math.Abs(v) > math.Abs(largest) {
					largest = v
				}
			}
			if math.Abs(norm-1) > 1e-9 || math.Abs(sum) > 1e-9 || largest < 0 {
				t.Errorf("dense up to %d, vector %d: norm^2 %v, sum %v, largest entry %v", denseUpTo, c, norm, sum, largest)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	if _, err := spectral.Lowest(ctx, ring(5), 5, spectral.Settings{}); !errors.Is(err, spectral.ErrSize) {
		t.Errorf("five vectors of five points: %v", err)
	}
	if _, err := spectral.Lowest(ctx, &sparse.CSR{N: 2, M: 3, Start: []int{0, 0, 0}}, 1, spectral.Settings{}); err == nil {
		t.Error("a matrix that is not square was accepted")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := spectral.Lowest(done, ring(1000), 2, spectral.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// For groups that are almost disconnected, the directions that distinguish them are found, and
// other vectors too, however few groups there are.
func TestGroups(t *testing.T) {
	const size = 60
	for _, groups := range []int{2, 3, 10} {
		for _, bridge := range []float64{1e-2, 1e-5, 1e-9} {
			r := rand.New(rand.NewPCG(3, uint64(groups)))
			var i, j []int32
			var w []float64
			join := func(a, b int, v float64) {
				i, j, w = append(i, int32(a), int32(b)), append(j, int32(b), int32(a)), append(w, v, v)
			}
			for g := range groups {
				for a := range size {
					for range 3 {
						join(g*size+a, g*size+(a+1+r.IntN(size-1))%size, 1)
					}
				}
				if g > 0 {
					join(g*size, g*size-1, bridge)
				}
			}
			n, count := groups*size, groups+2
			m := sparse.FromTriplets(n, n, i, j, w)
			got, err := spectral.Lowest(context.Background(), m, count, spectral.Settings{Dense: -1, Tolerance: 1e-3, Seed: 1})
			if err != nil || !got.Converged {
				t.Errorf("%d groups, bridges of %g: %+v, %v", groups, bridge, got, err)
				continue
			}
			want, err := spectral.Lowest(context.Background(), m, count, spectral.Settings{Dense: n})
			if err != nil {
				t.Fatal(err)
			}
			for c, v := range got.Values {
				if d := math.Abs(v - want.Values[c]); d > 1e-3*want.Values[c]+1e-11 {
					t.Errorf("%d groups, bridges of %g: eigenvalue %d is %g, want %g", groups, bridge, c, v, want.Values[c])
				}
			}
		}
	}
}
