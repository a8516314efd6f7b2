package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
)

// Path lengths agree with the algorithm of Floyd and Warshall.
func TestPaths(t *testing.T) {
	const n = 60
	rnd := rand.New(rand.NewPCG(1, 2))
	var edges []Edge
	want := vec.New[float64](n, n)
	for i := range want.Data {
		want.Data[i] = math.Inf(1)
	}
	for i := range n {
		want.Row(i)[i] = 0
	}
	for i := range int32(n) {
		for j := range i {
			if j == i-1 || rnd.Float64() < 0.05 {
				d := rnd.Float64()
				edges = append(edges, Edge{I: j, J: i, Dist2: d * d})
				want.Row(int(i))[j], want.Row(int(j))[i] = d, d
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				want.Row(i)[j] = min(want.Row(i)[j], want.Row(i)[k]+want.Row(k)[j])
			}
		}
	}
	p, got := NewPaths(n, edges), make([]float64, n)
	var w Frontier
	for i := range n {
		p.From(i, got, &w)
		for j, d := range got {
			if math.Abs(d-want.Row(i)[j]) > 1e-12 {
				t.Fatalf("from %d to %d: %g, want %g", i, j, d, want.Row(i)[j])
			}
		}
	}
}

// Searching from several sources gives the same as searching from each, for any number of threads,
// and ends with its context.
func TestPathsFromEach(t *testing.T) {
	var edges []Edge
	for i := range int32(100) {
		edges = append(edges, Edge{I: i, J: i + 1, Dist2: float64(i % 7)}, Edge{I: i / 2, J: i + 1, Dist2: 40})
	}
	p, want := NewPaths(101, edges), make([]float64, 101)
	var sources []int32
	for i := int32(0); i < 101; i += 2 {
		sources = append(sources, i)
	}
	for _, threads := range []int{1, 3} {
		got := vec.New[float64](len(sources), 101)
		if err := p.FromEach(t.Context(), sources, threads, func(j int, dist []float64) { copy(got.Row(j), dist) }); err != nil {
			t.Fatal(err)
		}
		var w Frontier
		for j, at := range sources {
			if p.From(int(at), want, &w); !slices.Equal(got.Row(j), want) {
				t.Errorf("%d threads: lengths from %d differ", threads, at)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.FromEach(ctx, sources, 2, func(int, []float64) {}); err == nil {
		t.Error("no error after the end")
	}
}

// The length is infinite where there is no path.
func TestPathsOfParts(t *testing.T) {
	p, got := NewPaths(4, []Edge{{I: 0, J: 1, Dist2: 4}, {I: 2, J: 3, Dist2: 9}}), make([]float64, 4)
	var w Frontier
	p.From(3, got, &w)
	if want := []float64{math.Inf(1), math.Inf(1), 3, 0}; !slices.Equal(got, want) {
		t.Errorf("lengths %v, want %v", got, want)
	}
}

// The edges that Connected adds are the bridges of Build.
func TestConnected(t *testing.T) {
	x := islands(300, 3, 5, 1)
	nb := neighbors(t, x, 3)
	g := build(t, x, nb, Settings{})
	got, err := Connected(context.Background(), x, nb, 2)
	if err != nil {
		t.Fatal(err)
	}
	edges, _ := Symmetrize(nb)
	bridges := slices.Clone(got[len(edges):])
	SortEdges(bridges)
	if len(bridges) == 0 || !slices.Equal(got[:len(edges)], edges) || !slices.Equal(bridges, g.Bridges) {
		t.Errorf("%d edges after %d of the lists, want %d bridges %v", len(bridges), len(edges), len(g.Bridges), g.Bridges)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Connected(ctx, x, nb, 2); err == nil {
		t.Error("no error after the end")
	}
}
