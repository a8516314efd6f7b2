package solve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/solve"
)

// weights returns the symmetric weights of a connected random graph.
func weights(n, extra int, r *rand.Rand) *sparse.CSR {
	var i, j []int32
	var w []float64
	add := func(a, b int) {
		if a == b {
			return
		}
		v := math.Exp(2 * r.NormFloat64())
		i, j, w = append(i, int32(a), int32(b)), append(j, int32(b), int32(a)), append(w, v, v)
	}
	for a := 1; a < n; a++ {
		add(a, r.IntN(a))
	}
	for range extra {
		add(r.IntN(n), r.IntN(n))
	}
	return sparse.FromTriplets(n, n, i, j, w)
}

func random(n, d int, r *rand.Rand) vec.Matrix[float64] {
	x := vec.New[float64](n, d)
	for k := range x.Data {
		x.Data[k] = r.NormFloat64()
	}
	return x
}

// Solves with a small tolerance agree with a dense factorisation.
func TestAgainstCholesky(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(1, 40).Draw(rt, "n"), rapid.IntRange(1, 5).Draw(rt, "d")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		w, gamma := weights(n, n, r), make([]float64, n)
		for i := range gamma {
			gamma[i] = math.Exp(2 * r.NormFloat64())
		}
		a := solve.NewLaplacian(w, gamma)
		b, x := random(n, d, r), random(n, d, r)
		res, err := solve.NewCG(n, d, solve.Settings{Tolerance: solve.Exact}).Solve(context.Background(), a, b, x)
		if err != nil || !res.Converged || res.Residual > solve.Exact {
			rt.Fatalf("%+v, %v", res, err)
		}
		dense := mat.NewSymDense(n, nil)
		for i := range n {
			dense.SetSym(i, i, a.Diagonal[i])
			to, v := w.Row(i)
			for k, j := range to {
				if int(j) > i {
					dense.SetSym(i, int(j), -v[k])
				}
			}
		}
		var f mat.Cholesky
		var want mat.Dense
		if !f.Factorize(dense) || f.SolveTo(&want, mat.NewDense(n, d, b.Data)) != nil {
			rt.Skip("too ill-conditioned for the oracle")
		}
		var worst, scale float64
		for k, v := range want.RawMatrix().Data {
			worst, scale = max(worst, math.Abs(v-x.Data[k])), max(scale, math.Abs(v))
		}
		if worst > 1e-12*f.Cond()*scale+1e-9*scale {
			rt.Fatalf("off by %g of %g, condition %g", worst, scale, f.Cond())
		}
	})
}

// The tolerance is relative to the residual at the start, so a nearly right start is still
// improved.
func TestRefinesFromStart(t *testing.T) {
	const n, d = 500, 2
	r := rand.New(rand.NewPCG(1, 2))
	gamma := make([]float64, n)
	for i := range gamma {
		gamma[i] = 1
	}
	a := solve.NewLaplacian(weights(n, 2*n, r), gamma)
	want, b := random(n, d, r), vec.New[float64](n, d)
	a.Mul(b, want, 1)
	residual := func(x vec.Matrix[float64]) float64 {
		ax := vec.New[float64](n, d)
		a.Mul(ax, x, 1)
		var s float64
		for k := range ax.Data {
			s += (b.Data[k] - ax.Data[k]) * (b.Data[k] - ax.Data[k])
		}
		return math.Sqrt(s)
	}
	x := want.Clone()
	for k := range x.Data {
		x.Data[k] += 1e-6 * r.NormFloat64()
	}
	before := residual(x)
	res, err := solve.NewCG(n, d, solve.Settings{Tolerance: 1e-3}).Solve(context.Background(), a, b, x)
	if err != nil || !res.Converged || res.Iterations == 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if after := residual(x); after > 2e-3*before {
		t.Errorf("residual went from %g to %g, want a thousandth", before, after)
	}
}

// From zero, every iteration lowers x'Ax/2 - b'x. Therefore a solve that is stopped early never
// lowers the likelihood.
func TestEnergyFalls(t *testing.T) {
	const n, d = 300, 3
	r := rand.New(rand.NewPCG(3, 4))
	gamma := make([]float64, n)
	for i := range gamma {
		gamma[i] = math.Exp(3 * r.NormFloat64())
	}
	a, b := solve.NewLaplacian(weights(n, n, r), gamma), random(n, d, r)
	last := 0.0
	for sweeps := 1; sweeps < 40; sweeps++ {
		x, ax := vec.New[float64](n, d), vec.New[float64](n, d)
		cg := solve.NewCG(n, d, solve.Settings{Tolerance: solve.Exact, MaxIterations: sweeps})
		if _, err := cg.Solve(context.Background(), a, b, x); err != nil {
			t.Fatal(err)
		}
		a.Mul(ax, x, 1)
		var energy float64
		for k := range x.Data {
			energy += x.Data[k] * (ax.Data[k]/2 - b.Data[k])
		}
		if energy > last {
			t.Fatalf("energy rises from %.17g to %.17g in sweep %d", last, energy, sweeps)
		}
		last = energy
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	const n, d = 10_000, 2
	r := rand.New(rand.NewPCG(5, 6))
	gamma := make([]float64, n)
	for i := range gamma {
		gamma[i] = 1
	}
	a, b := solve.NewLaplacian(weights(n, 2*n, r), gamma), random(n, d, r)
	for _, tolerance := range []float64{1e-2, 1e-8} {
		var first vec.Matrix[float64]
		for _, threads := range []int{1, 2, 5} {
			x := vec.New[float64](n, d)
			if _, err := solve.NewCG(n, d, solve.Settings{Tolerance: tolerance, Threads: threads}).Solve(context.Background(), a, b, x); err != nil {
				t.Fatal(err)
			}
			if threads == 1 {
				first = x
				continue
			}
			for k := range x.Data {
				if x.Data[k] != first.Data[k] {
					t.Fatalf("%d threads, tolerance %g: entry %d is %v, with one thread %v", threads, tolerance, k, x.Data[k], first.Data[k])
				}
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	const n, d = 2000, 2
	r := rand.New(rand.NewPCG(7, 8))
	gamma := make([]float64, n)
	for i := range gamma {
		gamma[i] = 1
	}
	a, b, x := solve.NewLaplacian(weights(n, n, r), gamma), random(n, d, r), vec.New[float64](n, d)
	for _, tolerance := range []float64{1e-2, 1e-8} {
		cg := solve.NewCG(n, d, solve.Settings{Tolerance: tolerance, Threads: 1})
		if allocs := testing.AllocsPerRun(3, func() {
			clear(x.Data)
			if _, err := cg.Solve(context.Background(), a, b, x); err != nil {
				t.Fatal(err)
			}
		}); allocs > 0 {
			t.Errorf("tolerance %g: %v allocations a solve, want none", tolerance, allocs)
		}
	}
}

func TestEdges(t *testing.T) {
	ctx := context.Background()
	w := sparse.FromTriplets(3, 3, []int32{0, 1}, []int32{1, 0}, []float64{1, 1})
	a := solve.NewLaplacian(w, []float64{1, 1, 1})
	x := vec.New[float64](3, 1)
	if res, err := solve.NewCG(3, 1, solve.Settings{}).Solve(ctx, a, vec.New[float64](3, 1), x); err != nil || !res.Converged || res.Iterations != 0 || res.Residual != 0 {
		t.Errorf("right-hand side zero: %+v, %v", res, err)
	}
	bad := vec.Of(3, 1, []float64{1, math.NaN(), 0})
	if _, err := solve.NewCG(3, 1, solve.Settings{}).Solve(ctx, a, bad, x); !errors.Is(err, solve.ErrIndefinite) {
		t.Errorf("NaN in the right-hand side: %v", err)
	}
	indefinite := solve.NewLaplacian(w, []float64{-5, -5, -5})
	if _, err := solve.NewCG(3, 1, solve.Settings{}).Solve(ctx, indefinite, vec.Of(3, 1, []float64{1, 2, 3}), vec.New[float64](3, 1)); !errors.Is(err, solve.ErrIndefinite) {
		t.Errorf("indefinite matrix: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := solve.NewCG(3, 1, solve.Settings{}).Solve(done, a, vec.Of(3, 1, []float64{1, 2, 3}), vec.New[float64](3, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if cg := solve.NewCG(1000, 2, solve.Settings{}); cg.Bytes() < 3*8*2000 {
		t.Errorf("workspace of %d bytes is too small to be true", cg.Bytes())
	}
}

// The part of a right-hand side outside the range of a singular system is removed and reported.
func TestUnreachable(t *testing.T) {
	// There are two pairs of points; the first has no Gamma.
	w := sparse.FromTriplets(4, 4, []int32{0, 1, 2, 3}, []int32{1, 0, 3, 2}, []float64{1, 1, 1, 1})
	a := solve.NewLaplacian(w, []float64{0, 0, 1, 0})
	b, x := vec.Of(4, 1, []float64{4, 2, 1, 0}), vec.New[float64](4, 1)
	res, err := solve.NewCG(4, 1, solve.Settings{Tolerance: 1e-12}).Solve(context.Background(), a, b, x)
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

// A path of four points with unit weights is fixed at both ends: the potential falls evenly between
// them.
func ExampleCG_Solve() {
	w := sparse.FromTriplets(4, 4, []int32{0, 1, 1, 2, 2, 3}, []int32{1, 0, 2, 1, 3, 2}, []float64{1, 1, 1, 1, 1, 1})
	a := solve.NewLaplacian(w, []float64{1e9, 0, 0, 1e9})
	b := vec.Of(4, 1, []float64{3e9, 0, 0, 0})
	x := vec.New[float64](4, 1)
	res, err := solve.NewCG(4, 1, solve.Settings{Tolerance: 1e-12}).Solve(context.Background(), a, b, x)
	fmt.Printf("%.3f converged %v %v\n", x.Data, res.Converged, err)
	// Output: [3.000 2.000 1.000 0.000] converged true <nil>
}
