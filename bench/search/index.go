package main

import (
	"context"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/ivf"
)

// Ways to find the neighbours of events.
const (
	scan    = "scan"
	vaFile  = "scan, VA-file"
	byHNSW  = "HNSW"
	byCells = "HNSW, IVF"
	onScan  = "scan, IVF"
)

// indexes are searched for the neighbours of other rows, where events are placed.
func indexes() part {
	return part{
		key: "index",
		cases: []set{
			{data: digits, n: 2000, dim: 8}, {data: digits, n: 20_000, dim: 8}, {data: digits, n: 60_000, dim: 8},
			{data: digits, n: 2000, dim: 50}, {data: digits, n: 12_000, dim: 50}, {data: digits, n: 20_000, dim: 50}, {data: digits, n: 60_000, dim: 50},
			{data: digits, n: 2000, dim: pixels}, {data: digits, n: 4000, dim: pixels}, {data: digits, n: 20_000, dim: pixels},
			{data: sheets, n: 300_000, dim: 50, once: true},
		},
		methods: []string{scan, vaFile, byHNSW, byCells, onScan},
		measure: (*bench).index,
	}
}

// alone is how many queries are made one at a time.
const alone = 300

func (b *bench) index(ctx context.Context, s set, l *line, method string) error {
	x, q, err := b.rows(ctx, s)
	if err != nil {
		return err
	}
	ix, err := b.build(ctx, x, l, method)
	if err != nil || ix == nil {
		return err
	}
	near, err := knn.NewScan(x).Search(ctx, q, neighbors, twoThreads)
	if err != nil {
		return err
	}
	var got *knn.Neighbors
	search := func(q vec.Matrix[float32], to knn.Settings) func() error {
		return func() (err error) {
			got, err = ix.Search(ctx, q, neighbors, to)
			return err
		}
	}
	strange := vec.New[float32](q.Rows, q.Cols)
	for i, v := range q.Data {
		strange.Data[i] = 4 * v
	}
	single := func() error {
		for i := range alone {
			if _, err := ix.Search(ctx, q.Slice(i, i+1), neighbors, oneThread); err != nil {
				return err
			}
		}
		return nil
	}
	for _, m := range []struct {
		name  string
		run   func() error
		count int
		wall  bool
	}{
		{"single", single, alone, false}, {"strange", search(strange, oneThread), strange.Rows, false},
		{"wall", search(q, twoThreads), q.Rows, true}, {"batch", search(q, oneThread), q.Rows, false},
	} {
		cpu, wall, err := timed(m.run)
		if err != nil {
			return err
		}
		if m.wall {
			cpu = wall
		}
		l.least(m.name, cpu/float64(m.count)*1e6)
	}
	l.Figures["recall"] = farthest(near).share(func(i int) []float64 {
		_, dist2 := got.Row(i)
		return dist2
	})
	return nil
}

// build makes the index of a method and notes what it takes; nil if the method is none
// for these rows.
func (b *bench) build(ctx context.Context, x vec.Matrix[float32], l *line, method string) (ix knn.Index, err error) {
	var bytes, first float64
	build := func() error {
		switch method {
		case scan, onScan:
			exact := knn.NewScan(x)
			ix, bytes = exact, float64(exact.Bytes())
		case vaFile:
			exact := knn.NewExact(x)
			ix, bytes = exact, float64(exact.Bytes())
		default:
			graph, err := auto.Build(ctx, x, neighbors, auto.Settings{Seed: 1}, oneThread)
			if err != nil {
				return err
			}
			ix, bytes = graph, float64(graph.Bytes())
		}
		return nil
	}
	cpu, _, err := timed(build)
	if err != nil {
		return nil, err
	}
	if method == byCells || method == onScan {
		first = cpu
		ef := auto.Ef(neighbors, auto.IndexRecall)
		var cells *ivf.Index
		cpu, _, err = timed(func() (err error) {
			set := ivf.Settings{K: neighbors, Recall: auto.Recall(neighbors, ef), Threads: 1}
			cells, err = ivf.New(ctx, x, ix, set)
			return err
		})
		if err != nil || cells == nil {
			return nil, err
		}
		ix, bytes = cells, bytes+float64(cells.Bytes())
		l.least("added", cpu)
	}
	l.least("cpu", first+cpu)
	l.Figures["bytes"] = bytes
	exact := auto.Settings{}.Index(x.Rows, x.Cols, neighbors) == auto.Exact
	l.Chosen = exact && method == vaFile || !exact && method == byCells
	return ix, nil
}
