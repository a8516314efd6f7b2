package sparse

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

// The product agrees with diag(g) - C computed entry by entry, for any number of columns and any
// range of rows.
func TestLaplacianMulRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTriplets(t, true)
		c := FromTriplets(a.n, a.n, a.i, a.j, a.w)
		d := rapid.IntRange(1, 11).Draw(t, "d")
		x, dst := vec.New[float64](a.n, d), vec.New[float64](a.n, d)
		for p := range x.Data {
			x.Data[p] = float64(p%7 - 3)
		}
		g := make([]float64, a.n)
		for i := range g {
			g[i] = float64(i % 5)
		}
		for p := range dst.Data {
			dst.Data[p] = math.Inf(1)
		}
		from := rapid.IntRange(0, a.n).Draw(t, "from")
		to := rapid.IntRange(from, a.n).Draw(t, "to")
		c.LaplacianMulRows(dst, g, x, from, to)
		for i := range a.n {
			for k := range d {
				want := math.Inf(1)
				if i >= from && i < to {
					want = g[i] * x.Row(i)[k]
					index, w := c.Row(i)
					var s float64
					for p, j := range index {
						s += w[p] * x.Row(int(j))[k]
					}
					want -= s
				}
				if got := dst.Row(i)[k]; got != want {
					t.Fatalf("entry (%d,%d) is %v, want %v", i, k, got, want)
				}
			}
		}
	})
}
