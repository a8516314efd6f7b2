package hnsw_test

import (
	"bytes"
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/hnsw"
)

// There are five points on a line; one is deleted, and another one gets its number.
func Example() {
	ctx := context.Background()
	x := vec.Of(5, 2, []float32{0, 0, 1, 0, 2, 0, 3, 0, 4, 0})
	index, err := hnsw.Build(ctx, x, hnsw.Settings{Seed: 1}, knn.Settings{})
	if err != nil {
		panic(err)
	}
	if err := index.Delete([]int32{2}, knn.Settings{}); err != nil {
		panic(err)
	}
	rows, err := index.Insert(ctx, vec.Of(1, 2, []float32{2, 1}), knn.Settings{})
	if err != nil {
		panic(err)
	}
	fmt.Println("inserted", rows)

	var file bytes.Buffer
	if err := index.SaveLinks(&file); err != nil {
		panic(err)
	}
	copy(x.Row(2), []float32{2, 1}) // the rows are stored elsewhere
	if index, err = hnsw.LoadLinks(&file, x); err != nil {
		panic(err)
	}
	near, err := index.Search(ctx, vec.Of(1, 2, []float32{2, 0}), 3, knn.Settings{})
	if err != nil {
		panic(err)
	}
	fmt.Println(near.Row(0))
	// Output:
	// inserted [2]
	// [1 2 3] [1 1 1]
}
