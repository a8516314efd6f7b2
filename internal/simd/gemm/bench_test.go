package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/simd"
)

// report adds the metric GFLOP/s, for flops operations an iteration.
func report(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// contest benchmarks f with gonum, and with this package on one core with every instruction set and
// on all cores.
func contest(b *testing.B, flops float64, f func(g blas.Float64Level3)) {
	run := func(name string, g blas.Float64Level3) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(g)
			}
			report(b, flops)
		})
	}
	run("gonum/threads=all", gonum.Implementation{})
	for _, l := range simd.Levels() {
		run(fmt.Sprintf("%v/threads=1", l), Implementation{Threads: 1, reduced: simd.Best() - l})
	}
	run(fmt.Sprintf("%v/threads=all", simd.Best()), Implementation{})
}

func normals(n int) []float64 {
	rng := rand.New(rand.NewPCG(6, uint64(n)))
	x := make([]float64, n)
	for k := range x {
		x[k] = rng.NormFloat64()
	}
	return x
}

func BenchmarkDgemm(b *testing.B) {
	for _, n := range []int{64, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x, y, z := normals(n*n), normals(n*n), make([]float64, n*n)
			contest(b, 2*float64(n*n*n), func(g blas.Float64Level3) {
				g.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
			})
		})
	}
}

// A covariance of 300 columns and 4000 rows.
func BenchmarkDsyrk(b *testing.B) {
	const n, k = 300, 4000
	x, z := normals(k*n), make([]float64, n*n)
	contest(b, n*(n+1)*k, func(g blas.Float64Level3) {
		g.Dsyrk(blas.Upper, blas.Trans, n, k, 1, x, n, 0, z, n)
	})
}

// triangular returns a well-conditioned triangle.
func triangular(n int) []float64 {
	x := normals(n * n)
	for k := range x {
		x[k] /= float64(n)
	}
	for i := range n {
		x[i*(n+1)] = 1
	}
	return x
}

// The triangles of gonum's Cholesky factorisation, and a large one.
func BenchmarkDtrsm(b *testing.B) {
	for _, n := range []int{64, 500} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			const m = 1000
			x, y := triangular(n), normals(m*n)
			contest(b, float64(n*n*m), func(g blas.Float64Level3) {
				g.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n, m, 1, x, n, y, m)
			})
		})
	}
}

// The factorisation of a Gaussian process of 1000 points.
func BenchmarkCholesky(b *testing.B) {
	const n = 1000
	x := triangular(n)
	for i := range n {
		for j := range i {
			x[i*n+j] = x[j*n+i]
		}
		x[i*(n+1)] = 4
	}
	work := make([]float64, n*n)
	used(b, n*n*n/3, func() {
		copy(work, x)
		if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: n, Data: work, Stride: n}); !ok {
			b.Fatal("not positive definite")
		}
	})
}

// gonum's product of matrices.
func BenchmarkMul(b *testing.B) {
	const n = 1000
	x, y := mat.NewDense(n, n, normals(n*n)), mat.NewDense(n, n, normals(n*n))
	var z mat.Dense
	used(b, 2*n*n*n, func() { z.Mul(x, y) })
}

// used benchmarks f, of the given number of operations, with gonum alone and after Use.
func used(b *testing.B, flops float64, f func()) {
	old := blas64.Implementation()
	defer blas64.Use(old)
	for _, c := range []struct {
		name string
		use  func()
	}{{"gonum", func() { blas64.Use(gonum.Implementation{}) }}, {"used", Use}} {
		b.Run(c.name, func(b *testing.B) {
			c.use()
			for b.Loop() {
				f()
			}
			report(b, flops)
		})
	}
}
