package spectral

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/sparse"
)

// randomBasis returns three blocks of m columns with random images, and the matrices S and L S of
// all blocks.
func randomBasis(n, m, threads int) (b *basis, s, ls *mat.Dense) {
	r := rand.New(rand.NewPCG(3, uint64(m)))
	b = newBasis(n, m, 3, threads)
	s, ls = mat.NewDense(n, 3*m, nil), mat.NewDense(n, 3*m, nil)
	for k := range 3 {
		for i := range n {
			for c := range m {
				u, v := r.NormFloat64(), r.NormFloat64()
				b.s[k].Row(i)[c], b.ls[k].Row(i)[c] = u, v
				s.Set(i, k*m+c, u)
				ls.Set(i, k*m+c, v)
			}
		}
	}
	return b, s, ls
}

// The passes agree with gonum's products, for all remainders modulo four.
func TestBasis(t *testing.T) {
	const n = 2*piece + 77
	for m := 1; m <= 9; m++ {
		for blocks := 1; blocks <= 3; blocks++ {
			b, s, ls := randomBasis(n, m, 2)
			size := blocks * m
			s, ls = s.Slice(0, n, 0, size).(*mat.Dense), ls.Slice(0, n, 0, size).(*mat.Dense)
			var g, h mat.Dense
			g.Mul(s.T(), s)
			h.Mul(s.T(), ls)
			gotG, gotH := b.gram(blocks)
			for i := range size {
				for j := i; j < size; j++ {
					if math.Abs(gotG.At(i, j)-g.At(i, j)) > 1e-9 || math.Abs(gotH.At(i, j)-h.At(i, j)) > 1e-9 {
						t.Fatalf("%d columns, %d blocks: entry %d, %d of S'S is %v, not %v, of S'LS %v, not %v",
							m, blocks, i, j, gotG.At(i, j), g.At(i, j), gotH.At(i, j), h.At(i, j))
					}
				}
			}
			c, theta := g.Slice(0, size, 0, m), make([]float64, m)
			for k := range theta {
				theta[k] = float64(k) + .5
			}
			r := vec.New[float64](n, m)
			norms := b.combine(blocks, c, theta, r)
			var x, lx mat.Dense
			x.Mul(s, c)
			lx.Mul(ls, c)
			sums := make([]float64, m)
			for i := range n {
				for k := range m {
					want := lx.At(i, k) - theta[k]*x.At(i, k)
					sums[k] += want * want
					if math.Abs(b.s[0].Row(i)[k]-x.At(i, k)) > 1e-9*n || math.Abs(r.Row(i)[k]-want) > 1e-9*n {
						t.Fatalf("%d columns, %d blocks, row %d: x %v, not %v; r %v, not %v", m, blocks, i, b.s[0].Row(i)[k], x.At(i, k), r.Row(i)[k], want)
					}
				}
			}
			for k, v := range norms {
				if math.Abs(v-sums[k]) > 1e-9*sums[k] {
					t.Errorf("%d columns, %d blocks: |r|^2 is %v, not %v", m, blocks, v, sums[k])
				}
			}
		}
	}
}

// An iteration only allocates memory for its small problem.
func TestIterationsDoNotAllocate(t *testing.T) {
	const n = 20_000
	var i, j []int32
	var w []float64
	for a := range n - 1 {
		i, j, w = append(i, int32(a), int32(a+1)), append(j, int32(a+1), int32(a)), append(w, 1, 1)
	}
	path := sparse.FromTriplets(n, n, i, j, w)
	bytes := func(iterations int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Lowest(t.Context(), path, 2, Settings{Tolerance: 1e-300, MaxIterations: iterations, Threads: 1})
		runtime.ReadMemStats(&after)
		if err != nil || r.Iterations > iterations {
			t.Fatalf("%+v, %v", r, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	bytes(1)
	few, many := bytes(2), bytes(3)
	if more := int64(many) - int64(few); more > 8*n {
		t.Errorf("an iteration allocates %d bytes", more)
	}
}
