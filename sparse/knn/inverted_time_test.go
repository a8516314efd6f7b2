package knn

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/sparse"
)

// The share of a trial is that of its work, counted row by row and block by block: for few and many
// rows, of columns that are equally and very unequally full.
func TestShareOfSomeSparseRows(t *testing.T) {
	for _, c := range []struct {
		n, dim, entries int
		power           float64
	}{{100, 500, 20, 1}, {600, 20_000, 200, 3}, {3000, 2000, 40, 1}, {20_000, 5000, 20, 2.5}, {40_000, 3000, 8, 2}} {
		rng := rand.New(rand.NewPCG(5, uint64(c.n)))
		var rows, columns []int32
		var values []float64
		for i := range c.n {
			for range 1 + rng.IntN(2*c.entries) {
				rows, columns, values = append(rows, int32(i)), append(columns, int32(float64(c.dim)*math.Pow(rng.Float64(), c.power))), append(values, 1)
			}
		}
		a := sparse.RowsFromTriplets(c.n, c.dim, rows, columns, values)
		g, err := newInverted(a, 10)
		if err != nil {
			t.Fatal(err)
		}
		whole, some := 0, 0
		for at := (c.n - 1) / invertedRows * invertedRows; at >= 0; at -= invertedRows {
			g.columns, some = a.Columns(at, min(c.n, at+invertedRows)), 0
			for i := range c.n {
				n := g.work(i)
				whole += n
				if i%max(1, c.n/timedRows) == 0 {
					some += n
				}
			}
		}
		if got, want := g.share(timedRows), float64(some)/float64(whole); math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v: a share of %g, counted is %g", c, got, want)
		}
		if few := c.n <= timedRows; few != (g.share(timedRows) == 1) {
			t.Errorf("%+v: a share of %g", c, g.share(timedRows))
		}
	}
	if s, err := SparseSeconds(t.Context(), sparse.RowsFromTriplets(3, 2, []int32{0, 1, 2}, []int32{0, 1, 1}, []float64{1, 2, 3}), 2, Settings{Threads: 1}); err != nil || s <= 0 {
		t.Errorf("%g seconds: %v", s, err)
	}
}
