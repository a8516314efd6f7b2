package lllvm

import (
	"fmt"
	"testing"

	"unfold/internal/vec"
	"unfold/models/modeltest"
)

// roll is a swiss roll of n points with its union graph of k neighbours.
func roll(tb testing.TB, n, k int) (*Graph, vec.Matrix[float64]) {
	tb.Helper()
	y := modeltest.SwissRoll(n)
	g, err := NewGraph(nearest(tb, y, k), 0)
	if err != nil {
		tb.Fatal(err)
	}
	return g, y
}

func BenchmarkStep(b *testing.B) {
	for _, n := range []int{400, 2000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			if n > 1000 && testing.Short() {
				b.Skip("long")
			}
			g, y := roll(b, n, 8)
			m, err := NewModel(g, y, Settings{})
			if err != nil {
				b.Fatal(err)
			}
			st := m.Random(1)
			for b.Loop() {
				if _, err := m.Step(st); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
