package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/gallery"
	"unfold/sparse/solve"
)

// matrix returns that of a gallery system.
func matrix(s gallery.System) *solve.Laplacian {
	w, slot, slotT := sparse.Pattern(s.N, s.I, s.J)
	w.Scatter(slot, slotT, s.W)
	return solve.NewLaplacian(w, s.Gamma)
}

// difference returns the largest |b - a x| of a column relative to |b|.
func difference(a *solve.Laplacian, b, x vec.Matrix[float64]) float64 {
	ax := vec.New[float64](b.Rows, b.Cols)
	a.Mul(ax, x, 1)
	var worst float64
	for k := range b.Cols {
		var off, size float64
		for i := range b.Rows {
			v := b.Row(i)[k]
			off, size = off+(v-ax.Row(i)[k])*(v-ax.Row(i)[k]), size+v*v
		}
		if size > 0 {
			worst = max(worst, math.Sqrt(off/size))
		}
	}
	return worst
}

// Every system with a feasible right-hand side is solved to the residual that the result reports,
// including singular ones.
func TestGallery(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := gallery.Systems(rapid.IntRange(16, 700).Draw(rt, "n"), rapid.Uint64().Draw(rt, "seed"))
		s := all[rapid.IntRange(0, len(all)-1).Draw(rt, "system")]
		d := rapid.IntRange(1, 4).Draw(rt, "d")
		a, r := matrix(s), rand.New(rand.NewPCG(1, 2))
		b, x := vec.New[float64](s.N, d), vec.New[float64](s.N, d)
		a.Mul(b, random(s.N, d, r), 1)
		cg := solve.NewCG(s.N, d, solve.Settings{Tolerance: 1e-8})
		res, err := cg.Solve(context.Background(), a, b, x)
		if err != nil || !res.Converged || res.Residual > 1e-8 {
			rt.Fatalf("%s: %+v, %v", s.Name, res, err)
		}
		// The reported and the true residual differ by rounding, more so where weights span
		// decades.
		if got := difference(a, b, x); got > 1e-7 {
			rt.Fatalf("%s: residual %g, reported %g after %d iterations", s.Name, got, res.Residual, res.Iterations)
		}
		if res.Unreachable > 1e-10 {
			rt.Fatalf("%s: %g of a consistent right-hand side is called out of reach", s.Name, res.Unreachable)
		}
	})
}

// A factor is symmetric, x'My = y'Mx, and positive, x'Mx > 0, as conjugate gradients require.
func TestFactorIsSymmetric(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := gallery.Systems(rapid.IntRange(16, 3000).Draw(rt, "n"), rapid.Uint64().Draw(rt, "seed"))
		s := all[rapid.IntRange(0, len(all)-1).Draw(rt, "system")]
		a, r := matrix(s), rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "vectors"), 2))
		x, y := random(s.N, 1, r), random(s.N, 1, r)
		for i, g := range a.Diagonal {
			if g == 0 { // a point alone: its row of A and of M is zero
				x.Data[i], y.Data[i] = 0, 0
			}
		}
		mx, my := vec.New[float64](s.N, 1), vec.New[float64](s.N, 1)
		h := solve.NewFactor(a, 1, 1, rapid.IntRange(1, 3).Draw(rt, "threads"))
		h.Apply(mx, x)
		h.Apply(my, y)
		xmy, ymx, xmx := vec.Dot(x.Data, my.Data), vec.Dot(y.Data, mx.Data), vec.Dot(x.Data, mx.Data)
		scale := math.Sqrt(xmx * vec.Dot(y.Data, my.Data))
		if !(xmx > 0) || math.Abs(xmy-ymx) > 1e-9*scale {
			rt.Fatalf("%s: x'My = %g, y'Mx = %g, x'Mx = %g", s.Name, xmy, ymx, xmx)
		}
	})
}

// A factor gives the same bits for any number of threads.
func TestFactorThreads(t *testing.T) {
	s := gallery.Systems(3000, 1)[0]
	a, x := matrix(s), random(s.N, 3, rand.New(rand.NewPCG(5, 6)))
	first, again := vec.New[float64](s.N, 3), vec.New[float64](s.N, 3)
	solve.NewFactor(a, 3, 1, 1).Apply(first, x)
	solve.NewFactor(a, 3, 1, 3).Apply(again, x)
	if !slices.Equal(first.Data, again.Data) {
		t.Error("three threads give other bits than one")
	}
}

// bounds are the maximum numbers of iterations to 1e-8 with a factor, for graphs of 3,000 points.
var bounds = map[string]int{
	"grid/none": 31, "grid/small": 27, "grid/one": 31, "grid/decades": 24,
	"path/none": 3, "path/small": 3, "path/one": 3, "path/decades": 3,
	"star/none": 3, "star/small": 3, "star/one": 3, "star/decades": 3,
	"tree/none": 3, "tree/small": 3, "tree/one": 3, "tree/decades": 3,
	"random/none": 19, "random/small": 19, "random/one": 19, "random/decades": 18,
	"neighbours/none": 25, "neighbours/small": 21, "neighbours/one": 24, "neighbours/decades": 19,
	"grid-decades/none": 22, "grid-decades/small": 17, "grid-decades/one": 24, "grid-decades/decades": 17,
	"random-decades/none": 21, "random-decades/small": 19, "random-decades/one": 21, "random-decades/decades": 19,
	"components/none": 27, "components/small": 21, "components/one": 27, "components/decades": 19,
}

// The number of iterations of conjugate gradients to 1e-8 with a factor as preconditioner stays
// within the bounds.
func TestIterationBounds(t *testing.T) {
	for _, s := range gallery.Systems(3000, 1) {
		a := matrix(s)
		b := vec.New[float64](s.N, 1)
		a.Mul(b, random(s.N, 1, rand.New(rand.NewPCG(5, 6))), 1)
		got := iterations(a, solve.NewFactor(a, 1, 0, 1), b, 100)
		if most, ok := bounds[s.Name]; !ok || got > most {
			t.Errorf("%q: %d iterations, want at most %d", s.Name, got, most)
		}
	}
}

// iterations returns the number of iterations of the textbook method that reduce the residual to
// 1e-8, at most the given number. It overwrites r, the right-hand side.
func iterations(a *solve.Laplacian, f *solve.Factor, r vec.Matrix[float64], most int) int {
	z, q := vec.New[float64](r.Rows, 1), vec.New[float64](r.Rows, 1)
	f.Apply(z, r)
	p, limit := z.Clone(), 1e-16*vec.SquaredNorm(r.Data)
	rz := vec.Dot(r.Data, z.Data)
	for k := range most {
		if vec.SquaredNorm(r.Data) <= limit {
			return k
		}
		a.Mul(q, p, 1)
		alpha := rz / vec.Dot(p.Data, q.Data)
		for e, v := range q.Data {
			r.Data[e] -= alpha * v
		}
		f.Apply(z, r)
		next := vec.Dot(r.Data, z.Data)
		for e, v := range z.Data {
			p.Data[e] = v + next/rz*p.Data[e]
		}
		rz = next
	}
	return most
}
