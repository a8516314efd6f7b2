package knn_test

import (
	"context"
	"testing"

	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// The size of MNIST after PCA.
func BenchmarkGraph70000x50(b *testing.B) {
	x := knntest.Points[float32]("gauss", 70000, 50, 1)
	// Falling variances, as principal components have.
	for p := range x.Data {
		x.Data[p] /= float32(1 + p%50)
	}
	for b.Loop() {
		if _, err := knn.Graph(context.Background(), x, 9, knn.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
}
