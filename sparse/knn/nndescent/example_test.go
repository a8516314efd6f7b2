package nndescent_test

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/nndescent"
)

// The nearest points on a circle are the adjacent ones.
func ExampleGraph() {
	const n = 3000
	x := vec.New[float32](n, 2)
	for i := range n {
		s, c := math.Sincos(2 * math.Pi * float64(i) / n)
		x.Row(i)[0], x.Row(i)[1] = float32(c), float32(s)
	}
	near, report, err := nndescent.Graph(context.Background(), x, 4, nndescent.Settings{Sample: 100}, knn.Settings{})
	if err != nil {
		panic(err)
	}
	index, _ := near.Row(1000)
	a, b := min(index[0], index[1]), max(index[0], index[1])
	fmt.Println("beside 1000:", a, b)
	fmt.Printf("recall of %d rows: %.2f\n", report.Sampled, report.Recall)
	// Output:
	// beside 1000: 999 1001
	// recall of 100 rows: 1.00
}
