package score

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// likeness returns a map that resembles the data x. Equal rows of the data are equal on the map,
// and so are some others.
func likeness(x vec.Matrix[float32], seed uint64) vec.Matrix[float32] {
	y := cloud(seed, x.Rows, 2)
	for i := range x.Rows {
		y.Row(i)[0] = x.Row(i)[0] + 0.3*y.Row(i)[0]
		if i%5 == 4 {
			copy(x.Row(i), x.Row(i/2))
			copy(y.Row(i), y.Row(i/2))
		}
	}
	return y
}

// bruteRNX returns the area under R_NX over log K by definition, and the recall for k neighbours,
// over the given points.
func bruteRNX(rx, ry [][]int, k int, points []int) (rnx, recall float64) {
	n := len(rx)
	q := func(k int) (sum float64) {
		for _, i := range points {
			for j := range n {
				if j != i && rx[i][j] <= k && ry[i][j] <= k {
					sum++
				}
			}
		}
		return sum / float64(k*len(points))
	}
	var all float64
	for k := 1; k <= n-2; k++ {
		r := (float64(n-1)*q(k) - float64(k)) / float64(n-1-k)
		rnx += r / float64(k)
		all += 1 / float64(k)
	}
	return rnx / all, q(k)
}

// bruteTriplets returns the share of all triples that both rankings order alike.
func bruteTriplets(rx, ry [][]int) float64 {
	kept, all := 0, 0
	for i := range rx {
		for j := range rx {
			for k := range j {
				if i != j && i != k {
					all++
					if (rx[i][j] < rx[i][k]) == (ry[i][j] < ry[i][k]) {
						kept++
					}
				}
			}
		}
	}
	return float64(kept) / float64(all)
}

func TestRanksAreTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 45).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		x := cloud(seed, n, rapid.SampledFrom([]int{3, 20}).Draw(t, "dim"))
		y := likeness(x, seed+1)
		d := rapid.SampledFrom(distance.All()).Draw(t, "distance")
		distance.Restrict(d, x)
		k := rapid.IntRange(1, n-1).Draw(t, "k")
		s := Settings{Distance: d, K: rapid.IntRange(1, (n-1)/2).Draw(t, "K"), Recall: []int{k}, Sample: rapid.IntRange(2, n).Draw(t, "sample"), Triplets: 1000, Seed: seed, Threads: 2}
		got, err := Measure(context.Background(), x, y, s)
		if err != nil {
			t.Fatal(err)
		}
		rx, ry := rankingsBy(d, x), rankings(y)
		rnx, recall := bruteRNX(rx, ry, k, choose(n, s.Sample, seed))
		if math.Abs(got.RNX-rnx) > 1e-12 || math.Abs(got.RecallAt[0]-recall) > 1e-12 {
			t.Fatalf("got %+v, want R_NX %g, recall %g", got, rnx, recall)
		}
		if want := bruteTriplets(rx, ry); got.Exact && (math.Abs(got.Triplets.Share-want) > 1e-12 || !got.Triplets.Exact || got.Triplets.Count != n*(n-1)*(n-2)/2) {
			t.Fatalf("got %+v, want %g of all triplets", got.Triplets, want)
		}
		alone, err := Neighborhoods(context.Background(), x, y, s)
		if err != nil {
			t.Fatal(err)
		}
		if alone.RNX != got.RNX || alone.Trustworthiness != got.Trustworthiness || alone.Error.RNX != got.Error.RNX {
			t.Fatalf("alone %+v, with distances %+v", alone, got.Neighborhood)
		}
		nearest, err := Nearest(context.Background(), x, y, s)
		if err != nil {
			t.Fatal(err)
		}
		if !math.IsNaN(nearest.RNX) {
			t.Fatalf("R_NX by the nearest is %g", nearest.RNX)
		}
		nearest.RNX, nearest.Error.RNX = alone.RNX, alone.Error.RNX
		if want := fmt.Sprint(*alone); fmt.Sprint(*nearest) != want {
			t.Fatalf("by the nearest %+v, by all %s", *nearest, want)
		}
	})
}

func TestDefaultRecall(t *testing.T) {
	for _, c := range []struct {
		n    int
		want []int
	}{{5, nil}, {11, nil}, {12, []int{10}}, {101, []int{10, 30}}, {102, []int{10, 30, 100}}} {
		x := cloud(1, c.n, 2)
		got, err := Neighborhoods(context.Background(), x, x, Settings{K: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.RecallK, c.want) || len(got.RecallAt) != len(c.want) || slices.ContainsFunc(got.RecallAt, func(r float64) bool { return r != 1 }) {
			t.Errorf("%d points: recall of %v is %v, want 1 of %v", c.n, got.RecallK, got.RecallAt, c.want)
		}
		if math.Abs(got.RNX-1) > 1e-12 {
			t.Errorf("%d points as their own map: R_NX %g", c.n, got.RNX)
		}
	}
}
