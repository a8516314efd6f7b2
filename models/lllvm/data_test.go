package lllvm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

// swissRoll returns n points of a roll in three dimensions, centred, at most 1.
func swissRoll(tb testing.TB, n int) vec.Matrix[float64] {
	tb.Helper()
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	y := vec.New[float64](n, 3)
	mean, most := make([]float64, 3), 0.0
	for i := range n {
		t := 1.5 * math.Pi * (1 + 2*rnd.Float64())
		copy(y.Row(i), []float64{t * math.Cos(t), 21 * rnd.Float64(), t * math.Sin(t)})
		vec.Axpy(1/float64(n), y.Row(i), mean)
	}
	for i := range n {
		vec.Axpy(-1, mean, y.Row(i))
		for _, v := range y.Row(i) {
			most = max(most, math.Abs(v))
		}
	}
	vec.Scale(1/most, y.Data)
	return y
}

// nearest returns the lists of the k nearest others.
func nearest(tb testing.TB, y vec.Matrix[float64], k int) [][]int32 {
	tb.Helper()
	nb, err := knn.Graph(context.Background(), y, k, knn.Settings{})
	if err != nil {
		tb.Fatal(err)
	}
	lists := make([][]int32, y.Rows)
	for i := range lists {
		lists[i], _ = nb.Row(i)
	}
	return lists
}
