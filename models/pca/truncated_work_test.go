package pca

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/sparse"
)

// counting counts the vectors that are multiplied.
type counting struct {
	*gram
	vectors int
}

func (c *counting) apply(ctx context.Context, v *mat.Dense) (*mat.Dense, error) {
	_, m := v.Dims()
	c.vectors += m
	return c.gram.apply(ctx, v)
}

// diagonal returns n rows with one entry each, of slowly decreasing size.
func diagonal(n, dim int) *sparse.Rows {
	at, columns, values := make([]int32, n), make([]int32, n), make([]float64, n)
	for i := range n {
		at[i], columns[i], values[i] = int32(i), int32(i%dim), 1/math.Sqrt(float64(1+i))
	}
	return sparse.RowsFromTriplets(n, dim, at, columns, values)
}

// The predicted work of a truncated SVD equals its actual work: the vectors that are multiplied,
// per round.
func TestWorkOfTruncated(t *testing.T) {
	const dim, q = 900, 20
	w := workOf(dim, q)
	c := &counting{gram: &gram{a: diagonal(400, dim), threads: 1}}
	p, err := krylov(t.Context(), c, q, 1, Settings{Tolerance: sparseTolerance, rounds: sparseRounds})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := float64(c.vectors)/float64(p.Iterations), w.Vectors/w.Rounds; got != want {
		t.Errorf("%v vectors are multiplied in a round, predicted are %v", got, want)
	}
	if few := workOf(30, q); few.Vectors != 30 || few.Rounds != 0 {
		t.Errorf("of 30 columns all eigenvectors are computed, not %+v", few)
	}
}

// The predicted time follows the entries, not the elements: with ten times the columns and the same
// number of entries, each part grows at most tenfold. A formed covariance would take a hundred
// times as long.
func TestSecondsOfTruncatedFollowTheEntries(t *testing.T) {
	// A machine of 1e10 multiply-adds a second in all kinds of work.
	r := TruncatedRates{Rates{Product: 1e-10, Turn: 1e-10, Dense: 1e-9}, 2e-10, 4e-10}
	const rows = 100_000
	few, many, dense := r.Seconds(rows, 3000, 100_000, 100), r.Seconds(rows, 30_000, 100_000, 100), r.Seconds(rows, 3000, 10_000_000, 100)
	if many < 5*few || many > 10*few {
		t.Errorf("%.2f s, of ten times the columns %.2f s", few, many)
	}
	if want := few + 9_900_000*2e-10*(workOf(3000, 100).Vectors+50); math.Abs(dense-want) > 1e-9*want {
		t.Errorf("%.2f s of more entries, want %.2f s", dense, want)
	}
}

func TestMeasureTruncated(t *testing.T) {
	r, err := MeasureTruncated(t.Context(), diagonal(3000, 500), 1)
	if err != nil || r.Column <= 0 || r.Entry < 0 || r.Turn <= 0 {
		t.Errorf("%+v: %v", r, err)
	}
}

// Few rows of many columns, and many rows of few columns, are predicted to take far less time than
// the products that the iteration with all columns needs.
func TestSecondsOfTruncatedFollowTheShorterSide(t *testing.T) {
	r := TruncatedRates{Rates{Product: 1e-10, Turn: 1e-10, Dense: 1e-9}, 2e-10, 4e-10}
	for _, c := range []struct{ n, dim, entries int }{{500, 100_000, 50_000}, {2000, 50_000, 100_000}, {5000, 200_000, 500_000}} {
		wide, tall := r.Seconds(c.n, c.dim, c.entries, 100), r.Seconds(10*c.dim, c.dim, c.entries, 100)
		if 4*wide > tall {
			t.Errorf("%+v: %.2f s, and %.2f s of as many entries in more rows", c, wide, tall)
		}
	}
}
