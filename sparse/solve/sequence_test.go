package solve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/gallery"
	"unfold/sparse/solve"
)

// known caches galleries by their size, since some take a second to make.
var known = map[int][]gallery.System{}

// system returns the gallery system of a name and a right-hand side for it.
func system(t testing.TB, n, d int, name string) (*solve.Laplacian, vec.Matrix[float64]) {
	t.Helper()
	if known[n] == nil {
		known[n] = gallery.Systems(n, 1)
	}
	for _, s := range known[n] {
		if s.Name == name {
			a, b := matrix(s), vec.New[float64](s.N, d)
			a.Mul(b, random(s.N, d, rand.New(rand.NewPCG(5, 6))), 1)
			return a, b
		}
	}
	t.Fatalf("the gallery has no system %q", name)
	return nil, vec.Matrix[float64]{}
}

// The solution has the same bits as with one thread.
func TestFactorThreads(t *testing.T) {
	for _, name := range []string{"grid/one", "neighbours/small", "components/none"} {
		a, b := system(t, 13_000, 2, name)
		var first vec.Matrix[float64]
		for threads := 1; threads <= 3; threads++ {
			x := vec.New[float64](b.Rows, 2)
			cg := solve.NewCG(b.Rows, 2, solve.Settings{Threads: threads})
			if res, err := cg.Solve(context.Background(), a, b, x); err != nil || res.Jacobi == res.Iterations && name == "grid/one" {
				t.Fatalf("%s: %+v, %v", name, res, err)
			}
			if threads == 1 {
				first = x
				continue
			}
			for k, v := range x.Data {
				if v != first.Data[k] {
					t.Fatalf("%s, %d threads: entry %d is %v, with one thread %v", name, threads, k, v, first.Data[k])
				}
			}
		}
	}
}

// A factor is reused for nearby systems, and is made again once the systems have changed much.
func TestSequence(t *testing.T) {
	a, b := system(t, 3000, 2, "grid/small")
	for i := range a.Diagonal { // nearly singular: work for a factor
		a.Diagonal[i] -= 0.9999e-2
	}
	cg := solve.NewCG(b.Rows, 2, solve.Settings{})
	solveOnce := func() solve.Result {
		x := vec.New[float64](b.Rows, 2)
		res, err := cg.Solve(context.Background(), a, b, x)
		if err != nil || !res.Converged {
			t.Fatalf("%+v, %v", res, err)
		}
		return res
	}
	r := rand.New(rand.NewPCG(1, 1))
	disturb := func(size float64) {
		for i := range a.W.N {
			index, w := a.W.Row(i)
			for p, j := range index {
				if int(j) > i {
					f := math.Exp(size * r.NormFloat64())
					w[p] *= f
					a.W.Data[a.W.Find(int(j), int32(i))] *= f
				}
			}
		}
		gamma := make([]float64, a.W.N)
		for i := range gamma {
			gamma[i] = 1e-6
		}
		a.Refresh(gamma, 1)
	}
	if res := solveOnce(); res.Jacobi == 0 || res.Jacobi == res.Iterations || res.Setup == 0 {
		t.Fatalf("the first solve starts with the diagonal and turns to a factor: %+v", res)
	}
	for range 4 {
		disturb(0.05)
		if res := solveOnce(); res.Jacobi != 0 || res.Setup != 0 {
			t.Fatalf("a nearby system goes on with the factor: %+v", res)
		}
	}
	disturb(3)
	made := false
	for range 3 {
		made = made || solveOnce().Setup > 0
	}
	if !made {
		t.Error("the factor is not made again for very different systems")
	}
}

// The part of a right-hand side that a singular system cannot reach is removed and reported.
func TestUnreachable(t *testing.T) {
	// There are two pairs of points; the first has no Gamma.
	w := sparse.FromTriplets(4, 4, []int32{0, 1, 2, 3}, []int32{1, 0, 3, 2}, []float64{1, 1, 1, 1})
	a := solve.NewLaplacian(w, []float64{0, 0, 1, 0})
	b, x := vec.Of(4, 1, []float64{4, 2, 1, 0}), vec.New[float64](4, 1)
	for _, kind := range kinds {
		clear(x.Data)
		res, err := solve.NewCG(4, 1, solve.Settings{Preconditioner: kind, Tolerance: 1e-12}).Solve(context.Background(), a, b, x)
		if err != nil || !res.Converged {
			t.Fatalf("%+v, %v", res, err)
		}
		// (4, 2) is (1, -1), which is feasible, plus (3, 3), which is not.
		if want := math.Sqrt(18. / 21); math.Abs(res.Unreachable-want) > 1e-12 {
			t.Errorf("unreachable: %v, want %v", res.Unreachable, want)
		}
		if got := []float64{x.Data[0] - x.Data[1], x.Data[2], x.Data[3]}; math.Abs(got[0]-1) > 1e-9 || math.Abs(got[1]-1) > 1e-9 || math.Abs(got[2]-1) > 1e-9 {
			t.Errorf("solution %v, want differences 1, and 1, 1", x.Data)
		}
	}
}

// NaN is reported, and an ended context ends the solve.
func TestFactorFailures(t *testing.T) {
	a, b := system(t, 1000, 2, "grid/one")
	settings := solve.Settings{Preconditioner: solve.Cholesky}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := solve.NewCG(b.Rows, 2, settings).Solve(done, a, b, vec.New[float64](b.Rows, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	a.W.Data[17] = math.NaN()
	a.Refresh(nil, 1)
	if _, err := solve.NewCG(b.Rows, 2, settings).Solve(context.Background(), a, b, vec.New[float64](b.Rows, 2)); !errors.Is(err, solve.ErrIndefinite) {
		t.Errorf("NaN among the weights: %v", err)
	}
}

// BenchmarkSolve measures gallery systems of 40,000 points with two right-hand sides to 1e-8,
// factors included.
func BenchmarkSolve(b *testing.B) {
	for _, name := range []string{"grid/small", "grid/one", "neighbours/decades", "random/small", "grid-decades/none"} {
		a, rhs := system(b, 40_000, 2, name)
		for kind, what := range []string{"auto", "jacobi", "cholesky"} {
			b.Run(fmt.Sprintf("%s/%s", name, what), func(b *testing.B) {
				x := vec.New[float64](rhs.Rows, 2)
				var res solve.Result
				for b.Loop() {
					clear(x.Data)
					cg := solve.NewCG(rhs.Rows, 2, solve.Settings{Preconditioner: solve.Preconditioner(kind)})
					var err error
					if res, err = cg.Solve(context.Background(), a, rhs, x); err != nil || !res.Converged {
						b.Fatalf("%+v, %v", res, err)
					}
				}
				b.ReportMetric(float64(res.Iterations), "iterations")
				b.ReportMetric(res.Setup.Seconds()*1e3, "setup-ms")
			})
		}
	}
}
