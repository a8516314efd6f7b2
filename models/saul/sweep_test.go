package saul

import (
	"context"
	"testing"

	"unfold/coarse/landmark"
	"unfold/models/modeltest"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// A sweep in many tasks allocates only the closure that it passes to its goroutines.
func TestSweepsDoNotAllocate(t *testing.T) {
	ctx := context.Background()
	x := modeltest.Blobs(2000, 4, 9)
	nb, err := knn.Graph(ctx, x, 5, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(ctx, x, nb, graph.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []int{0, 1} {
		c, err := landmark.New(ctx, x, g, landmark.Settings{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		st, err := Start(ctx, c, 2, StartSettings{})
		if err != nil {
			t.Fatal(err)
		}
		b := newBlocks(c, 2)
		b.gather(1, st.Mu.Data, st.Sigma2)
		for _, stat := range []*statistic{&pushes, &spreads} {
			if n := testing.AllocsPerRun(5, func() { b.sweep(1, stat) }); n > 1 {
				t.Errorf("level %d: %v allocations in a sweep of %d tasks", level, n, len(b.tasks))
			}
		}
	}
}
