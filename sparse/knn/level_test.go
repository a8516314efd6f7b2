package knn

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

// Every instruction set gives the same neighbours, bit for bit, in a graph and in a search, also
// for partly filled blocks, strips and panels.
func TestLevelsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 700).Draw(t, "n"), rapid.IntRange(1, 60).Draw(t, "dim")
		k := rapid.IntRange(1, min(n-1, 40)).Draw(t, "k")
		ties := rapid.Bool().Draw(t, "ties")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		x := vec.New[float32](n, dim)
		for p := range x.Data {
			x.Data[p] = float32(rng.NormFloat64())
			if ties {
				x.Data[p] = float32(rng.IntN(3))
			}
		}
		q := x.Slice(0, rapid.IntRange(1, n).Draw(t, "queries"))
		chunk := rapid.IntRange(1, 20).Draw(t, "chunk")
		largest := rapid.SampledFrom([]int{31, 45, 63, 127}).Draw(t, "largest")
		var graph, found *Neighbors
		for _, level := range simd.Levels() {
			packed := pack(x, Order(x, tile.Width, 1), 1)
			packed.level = level
			gotGraph, err := newGraphSearch[float32, float32](x, packed, k, 1).all(context.Background(), Settings{Threads: 2})
			if err != nil {
				t.Fatalf("%v: %v", level, err)
			}
			if c, _ := newTrial(x, level).best(largest); c != nil {
				coded := packCodes(c, x, func() []int32 { return packed.order }, level, 1)
				byCodes, err := newGraphSearch[float32, int32](x, coded, k, 1).all(context.Background(), Settings{Threads: 2})
				if err != nil || !same(byCodes, gotGraph) {
					t.Fatalf("%v: codes find other neighbours than float32, error %v", level, err)
				}
			}
			e := NewExact(x)
			p := e.asFloats().p
			p.level, p.chunk = level, chunk
			got, err := e.Search(context.Background(), q, k, Settings{})
			if err != nil {
				t.Fatalf("%v: %v", level, err)
			}
			if level == simd.Generic {
				graph, found = gotGraph, got
			}
			if !same(gotGraph, graph) || !same(got, found) {
				t.Fatalf("%v finds other neighbours than plain Go", level)
			}
		}
	})
}

func same(a, b *Neighbors) bool {
	return slices.Equal(a.Index, b.Index) && slices.Equal(a.Dist2, b.Dist2)
}

// The order of a graph search contains every row once.
func TestOrderIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, size := rapid.IntRange(0, 500).Draw(t, "n"), rapid.IntRange(1, 100).Draw(t, "size")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		x := vec.New[float64](n, 3)
		for p := range x.Data {
			x.Data[p] = float64(rng.IntN(20))
		}
		order := Order(x, size, 1)
		if again := Order(x, size, 3); !slices.Equal(again, order) {
			t.Fatalf("three threads give another order")
		}
		slices.Sort(order)
		for i, row := range order {
			if int(row) != i {
				t.Fatalf("row %d at place %d of the sorted order of %d rows", row, i, n)
			}
		}
	})
}

// The blocks of points on a line are consecutive pieces of it.
func TestNearCutsALine(t *testing.T) {
	const n, size = 1000, 100
	x := vec.New[float64](n, 2)
	for i := range n {
		x.Row(i)[1] = float64(i * 617 % n)
	}
	for p, row := range Order(x, size, 1) {
		if got := int(x.Row(int(row))[1]) / size; got != p/size {
			t.Fatalf("place %d holds a point of piece %d", p, got)
		}
	}
}

// A search of one query allocates only its result.
func TestSearchAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("pools forget under the race detector")
	}
	x := vec.New[float32](500, 7)
	for p := range x.Data {
		x.Data[p] = float32(p % 13)
	}
	e := NewExact(x)
	allocs := testing.AllocsPerRun(200, func() {
		if _, err := e.Search(context.Background(), x.Slice(3, 4), 5, Settings{}); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 3 {
		t.Fatalf("%v allocations: want those of Neighbors and its two slices", allocs)
	}
}
