package farfield

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

// The order of a tree is a permutation that depends on the current positions alone, not on previous
// positions or threads.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 1000).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d")
		cell := rapid.IntRange(2, 40).Draw(t, "cell")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		coarse := rapid.Float64Range(0.01, 3).Draw(t, "coarse")
		mu, before := vec.New[float64](n, d), vec.New[float64](n, d)
		for i := range mu.Data {
			mu.Data[i], before.Data[i] = math.Round(r.NormFloat64()/coarse), r.NormFloat64()
		}
		a, b := newTree(n, d, cell), newTree(n, d, cell)
		ones := make([]float64, n)
		for i := range ones {
			ones[i] = 1 + r.Float64()
		}
		a.build(1, &state{mu, ones, ones, 1, 1})
		b.build(3, &state{before, ones, ones, 1, 1})
		b.build(3, &state{mu, ones, ones, 1, 1})
		if !slices.Equal(a.order, b.order) {
			t.Fatal("the order depends on that before")
		}
		sorted := slices.Sorted(slices.Values(a.order))
		if !slices.Equal(sorted, identity(n)) {
			t.Fatal("the order is no permutation")
		}
		for v := 1; v < a.nodes(); v++ {
			from, to := a.span(v)
			if to <= from || v >= 1<<a.depth && to-from > cell {
				t.Fatalf("node %d has points %d..%d", v, from, to)
			}
			if v < 1<<a.depth {
				left, middle := a.span(2 * v)
				again, right := a.span(2*v + 1)
				if left != from || middle != again || right != to || max(middle-from, to-middle)-min(middle-from, to-middle) > 1 {
					t.Fatalf("node %d, %d..%d, has halves %d..%d and %d..%d", v, from, to, left, middle, again, right)
				}
			}
		}
	})
}

// Fields neither panic nor hang on maps with values that are not finite.
func TestBrokenMaps(t *testing.T) {
	const n = 500
	delta2, sigma2 := make([]float64, n), make([]float64, n)
	mu := vec.New[float64](n, 2)
	r := rand.New(rand.NewPCG(1, 0))
	for i := range n {
		delta2[i], sigma2[i] = 1, 0.1
		for k := range 2 {
			mu.Row(i)[k] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200, r.NormFloat64()}[r.IntN(5)]
		}
	}
	for _, f := range []Field{
		NewCells(delta2, 2, CellSettings{Exact: -1}),
		NewShared(delta2, 2, SharedSettings{Exact: -1, Sources: 10}),
	} {
		f.Move(2, mu, sigma2)
		seen := 0
		f.Sweep(1, func(b *Batch) { seen += len(b.Points) })
		if seen != n {
			t.Errorf("%T shows %d targets of %d", f, seen, n)
		}
	}
}

// The moments of a node equal the moments of its points, whether counted or merged, and so do the
// moments of its stand-ins.
func TestMomentsAndStandins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 4).Draw(t, "d")
		a, b := rapid.IntRange(1, 30).Draw(t, "a"), rapid.IntRange(1, 30).Draw(t, "b")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		points := newColumns(a+b, d)
		for p := range a + b {
			for k := range d {
				points.Mu[k][p] = 1e3 + float64(k+1)*r.NormFloat64()
			}
			points.Delta2[p] = 5 + r.Float64() + 0.2*points.Mu[0][p]
			points.Sigma2[p] = 1 + 0.1*r.Float64() + 0.01*points.Delta2[p]
		}
		m := newMoments(4, d)
		m.count(2, &points, 0, a)
		m.count(3, &points, a, a+b)
		m.merge(1, a, b)
		whole := newMoments(4, d)
		whole.count(1, &points, 0, a+b)
		near(t, "merged mean", m.mean, whole.mean, m.d+2, 1e-9)
		near(t, "merged covariance", m.cov, whole.cov, triangle(m.d+2), 1e-9)

		s := newStandins(4, d)
		s.set(1, &m, make([]float64, (d+2)*(d+1)))
		mean, cov := m.of(1)
		w := &worker{source: newColumns(0, d)}
		for _, spread := range []bool{false, true} {
			w.clear()
			first := w.room(2 * s.wideStride)
			if spread {
				w.cut(s.gatherSpread(w, first, 1, a+b))
			} else {
				w.cut(s.gather(w, first, 1, a+b))
			}
			at := 0
			for j := range d + 2 {
				x := w.source.column(j)
				var first float64
				for p, weight := range w.weight {
					first += weight / float64(a+b) * x[p]
				}
				if math.Abs(first-mean[j]) > 1e-9*(1+math.Abs(mean[j])) {
					t.Fatalf("stand-ins have mean %v in component %d, want %v", first, j, mean[j])
				}
				for k := range j + 1 {
					y, second := w.source.column(k), 0.0
					for p, weight := range w.weight {
						second += weight / float64(a+b) * (x[p] - mean[j]) * (y[p] - mean[k])
					}
					want := cov[at]
					at++
					// Known moments are all of positions, those of scales with positions and, with
					// the full variance, those of Delta^2 with itself and sigma^2.
					if known := k < d || spread && k == d; known && math.Abs(second-want) > 1e-8*float64(d*d) {
						t.Fatalf("stand-ins have covariance %v of %d and %d, want %v", second, j, k, want)
					}
				}
			}
		}
	})
}

// near fails if the entries of node 1 differ.
func near(t *rapid.T, what string, got, want []float64, width int, tol float64) {
	t.Helper()
	for k := width; k < 2*width; k++ {
		if math.Abs(got[k]-want[k]) > tol*(1+math.Abs(want[k])) {
			t.Fatalf("%s %d is %v, want %v", what, k-width, got[k], want[k])
		}
	}
}
