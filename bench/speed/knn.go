package main

import (
	"context"

	"unfold/sparse/knn"
)

const (
	faissFlat = "faiss IndexFlatL2"
	searching = "graph"
)

func knnRow() row {
	return row{
		key: "knn", title: "Exact nearest neighbours",
		about: `The 10 nearest others of each of 70,000 x 50 float32 vectors (MNIST's principal components) in memory. faiss searches an IndexFlatL2 for 11, since
every row finds itself. The rate counts 2 x 50 operations for each of the n^2/2 pairs, also those that a bound skips.`,
		targets: []target{
			{what: "times as fast as faiss", value: faster(faissFlat, searching), bound: 4, above: true, format: "%.1f"},
		},
		measure: measureKNN,
	}
}

func measureKNN(ctx context.Context, b *bench, r *record) error {
	const k = 10
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	err = b.timed(r, searching, func() error {
		_, err := knn.Graph(ctx, d.z, k, knn.Settings{Threads: b.threads})
		return err
	})
	if err != nil {
		return err
	}
	n, dim := float64(d.z.Rows), float64(d.z.Cols)
	if s, ok := r.best(own, searching); ok {
		r.add(own, "rate, skipped pairs counted", gflops, n*n*dim/s/1e9)
	}
	_, err = b.peer(ctx, r, faissFlat, "exact", d.zFile, "10")
	return err
}
