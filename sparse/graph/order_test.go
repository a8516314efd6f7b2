package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The order is that of Edge.Compare, for any lengths.
func TestByLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.Bool().Draw(t, "few")
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
			i := rapid.Int32Range(0, 20).Draw(t, "i")
			e := Edge{I: i, J: i + 1 + rapid.Int32Range(0, 9).Draw(t, "more")}
			if few {
				e.Dist2 = float64(rapid.IntRange(0, 3).Draw(t, "length"))
			} else {
				e.Dist2 = rapid.Float64Min(0).Draw(t, "length")
			}
			return e
		}), 0, 200).Draw(t, "edges")
		got := ByLength(edges)
		if len(got) != len(edges) {
			t.Fatalf("%d numbers of %d edges", len(got), len(edges))
		}
		seen := make([]bool, len(edges))
		for k, e := range got {
			if seen[e] {
				t.Fatalf("edge %d comes twice", e)
			}
			seen[e] = true
			if k > 0 && edges[got[k-1]].Compare(edges[e]) > 0 {
				t.Fatalf("%v before %v", edges[got[k-1]], edges[e])
			}
		}
	})
}

// BenchmarkSpanningTree measures the tree of 70,000 points and 450,000 random edges.
func BenchmarkSpanningTree(b *testing.B) {
	const n = 70_000
	r := rand.New(rand.NewPCG(1, 1))
	edges := make([]Edge, 450_000)
	for e := range edges {
		i := r.Int32N(n - 1)
		edges[e] = Edge{I: i, J: min(n-1, i+1+r.Int32N(500)), Dist2: r.ExpFloat64()}
	}
	slices.SortFunc(edges, func(a, b Edge) int { return int(a.I - b.I) })
	for b.Loop() {
		SpanningTree(n, edges)
	}
}
