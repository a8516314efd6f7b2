package knn

import (
	"context"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// For rows similar to principal components the sketch finds the neighbours of single queries, with
// every instruction set, and allocates nothing.
func TestSketchIsUsed(t *testing.T) {
	const n, dim, k = 6000, 30, 10
	rng := rand.New(rand.NewPCG(1, 5))
	x := vec.New[float32](n+50, dim)
	for p := range x.Data {
		x.Data[p] = float32(rng.NormFloat64() / float64(1+p%dim))
	}
	e := NewExactSketched(x.Slice(0, n))
	f := e.asFloats()
	if f.sketch == nil {
		t.Fatal("no sketch")
	}
	for _, f.p.level = range simd.Levels() {
		for i := range 50 {
			run := search[float32, float32]{x: e.x, p: f.p, works: f.works, sketch: f.sketch, from: x, count: n + 50, k: k}
			lists := EmptyNeighbors(n+50, k)
			if !run.single(lists, n+i) {
				t.Fatalf("%v: too many rows pass for query %d", f.p.level, i)
			}
		}
	}
	if raceEnabled {
		return // pools forget under the race detector
	}
	f.p.level = simd.Best()
	allocs := testing.AllocsPerRun(200, func() {
		if _, err := e.Search(context.Background(), x.Slice(n, n+1), k, Settings{}); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 3 {
		t.Fatalf("%v allocations: want those of Neighbors and its two slices", allocs)
	}
}

// Rows that stay in the second-level cache are scanned, since filters would take longer there.
func TestNoSketchOfFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for n, want := range map[int]bool{12_000: false, 30_000: true} {
		x := vec.New[float32](n, 50)
		for p := range x.Data {
			x.Data[p] = float32(rng.NormFloat64() / float64(1+p%50))
		}
		if got := NewExact(x).asFloats().sketch != nil; got != want {
			t.Errorf("%d rows: a sketch is %v, want %v", n, got, want)
		}
	}
}
