package landmark_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/sparse/graph"
)

// BenchmarkDynamic measures the time to replace several points at a time, to compute the constants,
// and to compute them by New. The points are in 40 groups in 50 dimensions.
func BenchmarkDynamic(b *testing.B) {
	for _, level := range []int{1, 2} {
		for _, n := range []int{10_000, 70_000} {
			b.Run(fmt.Sprintf("level=%d/n=%d", level, n), func(b *testing.B) { benchmarkDynamic(b, level, n) })
		}
	}
}

func benchmarkDynamic(b *testing.B, level, n int) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := groupedPoints(r, n)
	c, err := landmark.NewDynamic(x.Cols, landmark.Settings{Level: level, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	slots := make([]int32, n)
	for i := range slots {
		slots[i] = int32(i)
	}
	if err := c.Insert(ctx, slots, x); err != nil {
		b.Fatal(err)
	}
	for _, some := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("replace=%d", some), func(b *testing.B) {
			for b.Loop() {
				from := r.IntN(n - some)
				if err := c.Delete(ctx, slots[from:from+some]); err != nil {
					b.Fatal(err)
				}
				if err := c.Insert(ctx, slots[from:from+some], x.Slice(from, from+some)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*some), "us/point")
		})
	}
	g := ring(x)
	b.Run("pairs", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Pairs(ctx, g); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			if _, err := landmark.New(ctx, x, g, landmark.Settings{Level: level, Seed: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func groupedPoints(r *rand.Rand, n int) vec.Matrix[float32] {
	const groups, dim = 40, 50
	centers := make([]float64, groups*dim)
	for i := range centers {
		centers[i] = 2 * r.NormFloat64()
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		group := r.IntN(groups)
		for c := range x.Row(i) {
			x.Row(i)[c] = float32(centers[group*dim+c] + r.NormFloat64())
		}
	}
	return x
}

// ring returns a graph in which every point has an edge to each of the next six.
func ring(x vec.Matrix[float32]) *graph.Graph {
	n := x.Rows
	g := &graph.Graph{N: n, Start: make([]int, n+1)}
	for i := range n {
		to := make([]int32, 0, 6)
		for k := 1; k <= 6; k++ {
			to = append(to, int32((i+k)%n))
		}
		slices.Sort(to)
		for _, j := range to {
			g.To, g.Dist2 = append(g.To, j), append(g.Dist2, vec.SquaredDistance(x.Row(i), x.Row(int(j))))
		}
		g.Start[i+1] = len(g.To)
	}
	return g
}
