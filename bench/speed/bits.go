package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

const (
	faissBits = "faiss IndexBinaryFlat"
	// leastInk is the least value of a pixel that is a 1.
	leastInk = 128
	// truthRows is the number of lists that are compared with a double loop, and of lists that
	// numpy computes.
	truthRows = 100
)

func bitsRow() row {
	return row{
		key: "bits", title: "Exact nearest neighbours among bits",
		about: `The 10 nearest others of each of 70,000 images of 784 bits (MNIST, thresholded in the middle of the scale), by the number of different bits, in memory.
faiss searches an IndexBinaryFlat for 11, since every row finds itself; numpy counts ones for 100 of the rows. Recall is that of 100 lists, compared
with a double loop over all columns.`,
		targets: []target{
			{what: "times as fast as faiss", value: faster(faissBits, searching), bound: 4, above: true, format: "%.1f"},
			{what: "recall", value: figure(own, recall, 1), bound: 1, above: true, format: "%.3f"},
		},
		measure: measureBits,
	}
}

func measureBits(ctx context.Context, b *bench, r *record) error {
	const k = 10
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	x := vec.New[float32](d.raw.Rows, d.raw.Cols)
	for p, v := range d.raw.Data {
		if v >= leastInk {
			x.Data[p] = 1
		}
	}
	var lists *knn.Neighbors
	err = b.timed(r, searching, func() (err error) {
		lists, err = knn.Graph(ctx, x, k, knn.Settings{Threads: b.threads})
		return err
	})
	if err != nil {
		return err
	}
	some, held := make([]int32, truthRows), knn.NewNeighbors(truthRows, k)
	for i := range some {
		some[i] = int32(i * x.Rows / truthRows)
		index, dist2 := lists.Row(int(some[i]))
		to, length := held.Row(i)
		copy(to, index)
		copy(length, dist2)
	}
	truth := knntest.Brute(x, vec.Take(x, some), k, func(r, j int) bool { return int(some[r]) == j })
	r.add(own, recall, plain, recallOf(held, truth))
	_, err = b.peer(ctx, r, faissBits+" and numpy", "bits", "10", fmt.Sprint(truthRows), d.train, d.test)
	return err
}
