package live_test

import (
	"context"
	"fmt"
	"log"

	"unfold/internal/vec"
	"unfold/sparse/graph/live"
)

func Example() {
	ctx := context.Background()
	g, err := live.New(1, live.Settings{Neighbors: 2, Parts: live.Components})
	if err != nil {
		log.Fatal(err)
	}
	// Points of the line, in slots 0 to 6.
	if _, err := g.Insert(ctx, vec.Of(7, 1, []float32{0, 1, 2, 6, 10, 11, 12})); err != nil {
		log.Fatal(err)
	}
	index, dist2 := g.Neighbors(3)
	fmt.Println(g.Components(), index, dist2)
	// Without the points at 2 and 6 there are two groups.
	if err := g.Delete(ctx, []int32{2, 3}); err != nil {
		log.Fatal(err)
	}
	slots, err := g.Insert(ctx, vec.Of(1, 1, []float32{0.5}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slots, g.Components(), g.Component(0), g.Component(6))
	// Output:
	// 1 [2 4] [16 16]
	// [2] 2 0 4
}
