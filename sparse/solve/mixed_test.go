package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/solve"
)

// For two columns, iterations in single precision reach a tolerance of double precision. They take
// at most half as many more iterations though weights span decades, for any sizes of rows and
// columns.
func TestMixed(t *testing.T) {
	const n = 5000
	r := rand.New(rand.NewPCG(11, 12))
	for _, unit := range []float64{1, 1e-40, 1e40} {
		w, gamma := weights(n, 3*n, r), make([]float64, n)
		for k := range w.Data {
			w.Data[k] *= unit
		}
		for i := range gamma {
			gamma[i] = unit * math.Exp(2*r.NormFloat64())
		}
		a := solve.NewLaplacian(w, gamma)
		b := random(n, 2, r)
		for i := range n {
			b.Row(i)[1] *= 1e-30
		}
		for _, tolerance := range []float64{1e-4, 1e-8, 1e-12} {
			var iterations [2]int
			for k, columns := range []int{2, 1} {
				x := vec.New[float64](n, columns)
				right := vec.New[float64](n, columns)
				for i := range n {
					copy(right.Row(i), b.Row(i))
				}
				cg := solve.NewCG(n, columns, solve.Settings{Tolerance: tolerance, Preconditioner: solve.Jacobi})
				res, err := cg.Solve(context.Background(), a, right, x)
				if err != nil || !res.Converged || res.Single != []int{res.Iterations, 0}[k] {
					t.Fatalf("unit %g, tolerance %g, %d columns: %+v, %v", unit, tolerance, columns, res, err)
				}
				if got := difference(a, right, x); got > 1.01*tolerance+1e-13 || math.Abs(got-res.Residual) > .01*tolerance+1e-13 {
					t.Errorf("unit %g, tolerance %g, %d columns: the residual is %g, stated as %g", unit, tolerance, columns, got, res.Residual)
				}
				iterations[k] = res.Iterations
			}
			if single, double := iterations[0], iterations[1]; single > double+double/2+4 {
				t.Errorf("unit %g, tolerance %g: %d iterations in single precision, %d in double", unit, tolerance, single, double)
			}
		}
	}
}

// If single precision is not accurate enough, double precision continues, and the solution is as
// good.
func TestMixedGivesUp(t *testing.T) {
	const n = 400 // points of a path with so little Gamma that its matrix is singular in single precision
	var i, j []int32
	var w []float64
	for k := range int32(n - 1) {
		i, j, w = append(i, k, k+1), append(j, k+1, k), append(w, 1, 1)
	}
	gamma := make([]float64, n)
	gamma[0] = 1e-7
	a := solve.NewLaplacian(sparse.FromTriplets(n, n, i, j, w), gamma)
	b := random(n, 2, rand.New(rand.NewPCG(1, 2)))
	for _, kind := range kinds[:2] {
		x := vec.New[float64](n, 2)
		res, err := solve.NewCG(n, 2, solve.Settings{Preconditioner: kind}).Solve(context.Background(), a, b, x)
		if err != nil || !res.Converged || res.Single == 0 || res.Single == res.Iterations {
			t.Fatalf("preconditioner %v: %+v, %v", kind, res, err)
		}
		// x is large because the matrix is nearly singular, and so is the rounding error of the
		// residual.
		if got := difference(a, b, x); got > 1e-6 {
			t.Errorf("preconditioner %v: residual %g, %+v", kind, got, res)
		}
	}
}
