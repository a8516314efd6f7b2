package lllvm

import (
	"context"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// nearest returns, for each point, the k nearest other points.
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
