package solve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/solve"
)

// looseSystem returns a system with weights in single precision, and a right-hand side of d
// columns.
func looseSystem(n, d int, seed uint64) (*solve.Laplacian, vec.Matrix[float64]) {
	r := rand.New(rand.NewPCG(seed, 7))
	w := weights(n, 8*n, r)
	a := &solve.Laplacian{W: &sparse.CSR{N: n, M: n, Start: w.Start, Index: w.Index}, Single: make([]float32, len(w.Data)), Diagonal: make([]float64, n), Definite: true}
	for i := range n {
		a.Diagonal[i] = 0.05 * math.Exp(r.NormFloat64())
		for e := w.Start[i]; e < w.Start[i+1]; e++ {
			a.Single[e] = float32(w.Data[e])
			a.Diagonal[i] += float64(a.Single[e])
		}
	}
	return a, random(n, d, r)
}

// residuals returns |b - A x| by column, relative to |b|.
func residuals(a *solve.Laplacian, b, x vec.Matrix[float64]) []float64 {
	q, out := vec.New[float64](b.Rows, b.Cols), make([]float64, b.Cols)
	a.Wide().Mul(q, x, 1)
	for k := range out {
		var rest, all float64
		for i := range b.Rows {
			v := b.Row(i)[k]
			rest += (v - q.Row(i)[k]) * (v - q.Row(i)[k])
			all += v * v
		}
		out[k] = math.Sqrt(rest / all)
	}
	return out
}

// A loose solve reaches its tolerance in single precision, in as many iterations as double
// precision. It gives the same bits for any number of threads, and works for right-hand sides of
// any size.
func TestLooseSolves(t *testing.T) {
	for _, d := range []int{2, 3} {
		t.Run(fmt.Sprintf("%d columns", d), func(t *testing.T) { testLooseSolves(t, d) })
	}
}

func testLooseSolves(t *testing.T, d int) {
	const n = 6000
	for _, tolerance := range []float64{0.1, 1e-2, 1e-3} {
		for _, size := range []float64{1, 1e-30, 1e30} {
			a, b := looseSystem(n, d, 1)
			vec.Scale(size, b.Data)
			solved := func(threads int, s solve.Settings) (vec.Matrix[float64], solve.Result) {
				s.Tolerance, s.Threads = tolerance, threads
				x := vec.New[float64](n, d)
				res, err := solve.NewCG(n, d, s).Solve(t.Context(), a, b, x)
				if err != nil || !res.Converged || res.Residual > tolerance {
					t.Fatalf("tolerance %g: %+v, %v", tolerance, res, err)
				}
				return x, res
			}
			x, res := solved(1, solve.Settings{Single: true})
			y, _ := solved(3, solve.Settings{Single: true})
			_, double := solved(1, solve.Settings{})
			if res.Single != res.Iterations || double.Single != 0 || res.Iterations > double.Iterations+1 {
				t.Errorf("tolerance %g: %d iterations, %d in single precision; in double %d", tolerance, res.Iterations, res.Single, double.Iterations)
			}
			if !slices.Equal(x.Data, y.Data) {
				t.Errorf("tolerance %g: three threads give other bits", tolerance)
			}
			for k, v := range residuals(a, b, x) {
				if v > tolerance*1.01 {
					t.Errorf("tolerance %g, size %g: residual of column %d is %g", tolerance, size, k, v)
				}
			}
			if res.Bytes >= double.Bytes {
				t.Errorf("%d bytes, in double precision %d", res.Bytes, double.Bytes)
			}
		}
	}
}

// Systems that single precision cannot represent are solved in double precision.
func TestLooseGivesUp(t *testing.T) {
	const n = 300
	for name, spoil := range map[string]func(a *solve.Laplacian, b, x vec.Matrix[float64]){
		"nobody says that it is definite": func(a *solve.Laplacian, _, _ vec.Matrix[float64]) { a.Definite = false },
		"a start":                         func(_ *solve.Laplacian, b, x vec.Matrix[float64]) { copy(x.Data, b.Data) },
		"a large diagonal":                func(a *solve.Laplacian, _, _ vec.Matrix[float64]) { a.Diagonal[5] = 1e35 },
		"values in double precision":      func(a *solve.Laplacian, _, _ vec.Matrix[float64]) { *a = *a.Wide() },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := looseSystem(n, 2, 2)
			x := vec.New[float64](n, 2)
			spoil(a, b, x)
			res, err := solve.NewCG(n, 2, solve.Settings{Tolerance: 1e-3, Single: true}).Solve(t.Context(), a, b, x)
			if err != nil || !res.Converged || res.Single != 0 {
				t.Fatalf("%+v, %v", res, err)
			}
			for k, v := range residuals(a, b, x) {
				if name != "a start" && v > 1.01e-3 {
					t.Errorf("residual of column %d is %g", k, v)
				}
			}
		})
	}
}

// Values that are not finite are errors, and a solve that is stopped early is an improvement.
func TestLooseEnds(t *testing.T) {
	const n = 2000
	a, b := looseSystem(n, 2, 4)
	b.Data[7] = math.NaN()
	x := vec.New[float64](n, 2)
	if _, err := solve.NewCG(n, 2, solve.Settings{Tolerance: 0.1, Single: true}).Solve(t.Context(), a, b, x); !errors.Is(err, solve.ErrIndefinite) {
		t.Errorf("a value that is no number: %v", err)
	}
	a, b = looseSystem(n, 2, 4)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := solve.NewCG(n, 2, solve.Settings{Tolerance: 0.1, Single: true}).Solve(ctx, a, b, x); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	clear(x.Data)
	res, err := solve.NewCG(n, 2, solve.Settings{Tolerance: 1e-3, MaxIterations: 3, Single: true}).Solve(t.Context(), a, b, x)
	if err != nil || res.Converged || res.Iterations != 3 {
		t.Fatalf("%+v, %v", res, err)
	}
	for k, v := range residuals(a, b, x) {
		if v > 0.9 || v > 1.01*res.Residual {
			t.Errorf("after three iterations the residual of column %d is %g, said to be %g", k, v, res.Residual)
		}
	}
}
