package saul

import (
	"context"
	"fmt"
	"testing"

	"unfold/coarse/landmark"
	"unfold/models/modeltest"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// BenchmarkSweep measures one sweep over the dissimilar pairs of 20,000 points at level 1. The
// metric pairs/s counts unordered pairs; each costs two exponentials.
func BenchmarkSweep(b *testing.B) {
	ctx := context.Background()
	x := modeltest.Blobs(20_000, 4, 1)
	nb, err := knn.Graph(ctx, x, 9, knn.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	g, err := graph.Build(ctx, x, nb, graph.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	c, err := landmark.New(ctx, x, g, landmark.Settings{Level: 1})
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range []int{2, 3, 10} {
		st, err := Start(ctx, c, d, StartSettings{})
		if err != nil {
			b.Fatal(err)
		}
		m := NewModel(c, d, ModelSettings{Threads: 1})
		for range 5 {
			if _, err := m.Step(ctx, st, 0.9); err != nil {
				b.Fatal(err)
			}
		}
		m.blocks.gather(1, st.Mu.Data, st.Sigma2)
		for name, stat := range map[string]*statistic{"mu": &pushes, "sigma": &spreads} {
			b.Run(fmt.Sprintf("d=%d/%s", d, name), func(b *testing.B) {
				for b.Loop() {
					m.blocks.sweep(1, stat)
				}
				b.ReportMetric(float64(c.Count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpairs/s")
			})
		}
	}
}
