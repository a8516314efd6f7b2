package landmark_test

import (
	"context"
	"fmt"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// The constants of the likelihood follow insertions and deletions of points.
func ExampleDynamic() {
	ctx := context.Background()
	c, err := landmark.NewDynamic(2, landmark.Settings{Level: 1, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, slots := vec.New[float32](100, 2), make([]int32, 100)
	for i := range slots {
		slots[i] = int32(i)
		x.Row(i)[0], x.Row(i)[1] = float32(i%10), float32(i/10)
	}
	if err := c.Insert(ctx, slots, x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Len(), "points,", len(c.Landmarks()), "landmarks")
	if err := c.Delete(ctx, slots[:50]); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Len(), "points,", len(c.Landmarks()), "landmarks")

	// The graph is that of the current points, in slot order.
	there := x.Slice(50, 100)
	nb, err := knn.Graph(ctx, there, 4, knn.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := graph.Build(ctx, there, nb, graph.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := c.Pairs(ctx, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Count, "pairs of", p.N*(p.N-1)/2)
	// Output:
	// 100 points, 17 landmarks
	// 50 points, 10 landmarks
	// 135 pairs of 1225
}
