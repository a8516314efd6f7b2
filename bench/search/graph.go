package main

import (
	"context"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/hnsw"
)

// graphs are the cases of neighbours of all rows, the first step of a fit.
func graphs() part {
	return part{
		key: "graph",
		cases: []set{
			{data: digits, n: 2000, dim: 8}, {data: digits, n: 20_000, dim: 8}, {data: digits, n: 69_000, dim: 8},
			{data: digits, n: 2000, dim: 50}, {data: digits, n: 20_000, dim: 50}, {data: digits, n: 69_000, dim: 50},
			{data: digits, n: 2000, dim: pixels}, {data: digits, n: 8000, dim: pixels}, {data: digits, n: 20_000, dim: pixels},
			{data: sheets, n: 150_000, dim: 50, once: true},
		},
		methods: []string{auto.Exact.String(), auto.Descent.String(), auto.HNSW.String()},
		measure: (*bench).graph,
	}
}

// sampled is the number of rows of a graph that are compared with the truth.
const sampled = 500

func (b *bench) graph(ctx context.Context, s set, l *line, name string) error {
	var method auto.Method
	if err := method.UnmarshalText([]byte(name)); err != nil {
		return err
	}
	x, _, err := b.rows(ctx, s)
	if err != nil {
		return err
	}
	set := auto.Settings{Method: method, Recall: auto.DefaultRecall, Seed: 1}
	l.Chosen = auto.Settings{}.Graph(s.n, s.dim, neighbors) == method
	var nb *knn.Neighbors
	find := func(to knn.Settings) func() error {
		return func() (err error) {
			if method == auto.HNSW {
				nb, err = byIndex(ctx, x, to)
			} else {
				nb, _, err = auto.Graph(ctx, x, neighbors, set, to)
			}
			return err
		}
	}
	cpu, _, err := timed(find(oneThread))
	if err != nil {
		return err
	}
	l.least("cpu", cpu)
	_, wall, err := timed(find(twoThreads))
	if err != nil {
		return err
	}
	l.least("wall", wall)
	l.Figures["bytes"] = float64(set.GraphBytes(s.n, s.dim, neighbors))
	if method == auto.HNSW {
		l.Figures["bytes"] = float64(hnsw.Bytes(s.n, s.dim, 0)) + 12*float64(s.n)*(neighbors+1)
	}
	chosen := make([]int32, min(sampled, s.n))
	for i := range chosen {
		chosen[i] = int32(i * s.n / len(chosen))
	}
	// The first of a row's k+1 nearest rows is itself.
	near, err := knn.NewScan(x).Search(ctx, vec.Take(x, chosen), neighbors+1, twoThreads)
	if err != nil {
		return err
	}
	l.Figures["recall"] = farthest(near).share(func(i int) []float64 {
		_, dist2 := nb.Row(int(chosen[i]))
		return dist2
	})
	return nil
}

// byIndex builds an HNSW index and searches it for every row, which is its own nearest unless
// another row is equal.
func byIndex(ctx context.Context, x vec.Matrix[float32], to knn.Settings) (*knn.Neighbors, error) {
	ix, err := hnsw.Build(ctx, x, hnsw.Settings{Seed: 1}, to)
	if err != nil {
		return nil, err
	}
	found, err := ix.SearchEf(ctx, x, neighbors+1, auto.Ef(neighbors+1, auto.DefaultRecall), to)
	if err != nil {
		return nil, err
	}
	nb := knn.NewNeighbors(x.Rows, neighbors)
	for i := range x.Rows {
		_, dist2 := found.Row(i)
		_, others := nb.Row(i)
		copy(others, dist2[1:])
	}
	return nb, nil
}

// farthest returns the distances that a search for as many neighbours must reach.
func farthest(near *knn.Neighbors) truth {
	t := make(truth, near.N)
	for i := range t {
		_, dist2 := near.Row(i)
		t[i] = dist2[len(dist2)-1]
	}
	return t
}
