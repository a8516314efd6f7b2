package main

import (
	"context"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Ways to search the neighbours of events.
const (
	scan    = "scan"
	vaFile  = "scan, VA-file"
	byHNSW  = "HNSW"
	byCells = "IVF"
)

// indexes are the cases of searches for other rows, as for placing events.
func indexes() part {
	return part{
		key: "index",
		cases: []set{
			{data: digits, n: 2000, dim: 8}, {data: digits, n: 20_000, dim: 8}, {data: digits, n: 60_000, dim: 8},
			{data: digits, n: 2000, dim: 50}, {data: digits, n: 12_000, dim: 50}, {data: digits, n: 20_000, dim: 50}, {data: digits, n: 60_000, dim: 50},
			{data: digits, n: 2000, dim: pixels}, {data: digits, n: 4000, dim: pixels}, {data: digits, n: 20_000, dim: pixels},
			{data: sheets, n: 300_000, dim: 50, once: true},
		},
		methods: []string{scan, vaFile, byHNSW, byCells},
		measure: (*bench).index,
	}
}

// alone is the number of queries that are made one at a time.
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
	strange := vec.New[float32](q.Rows, q.Cols)
	for i, v := range q.Data {
		strange.Data[i] = 4 * v
	}
	farNear, err := knn.NewScan(x).Search(ctx, strange, neighbors, twoThreads)
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
		truth *knn.Neighbors // where lists are compared
	}{
		{"single", single, alone, false, nil}, {"strange", search(strange, oneThread), strange.Rows, false, farNear},
		{"wall", search(q, twoThreads), q.Rows, true, nil}, {"batch", search(q, oneThread), q.Rows, false, near},
	} {
		cpu, wall, err := timed(m.run)
		if err != nil {
			return err
		}
		if m.wall {
			cpu = wall
		}
		l.least(m.name, cpu/float64(m.count)*1e6)
		if m.truth != nil {
			l.Figures[m.name+" recall"] = farthest(m.truth).share(func(i int) []float64 {
				_, dist2 := got.Row(i)
				return dist2
			})
		}
	}
	return nil
}

// build makes the index of a method and records its cost; nil if the method does not apply to these
// rows.
func (b *bench) build(ctx context.Context, x vec.Matrix[float32], l *line, method string) (ix knn.Index, err error) {
	var bytes float64
	cpu, _, err := timed(func() error {
		switch method {
		case scan:
			exact := knn.NewScan(x)
			ix, bytes = exact, float64(exact.Bytes())
		case vaFile:
			exact := knn.NewExact(x)
			ix, bytes = exact, float64(exact.Bytes())
		case byCells:
			cells, err := auto.Cells(ctx, x, neighbors, auto.Settings{}, 1)
			if cells == nil || err != nil {
				return err
			}
			ix, bytes = cells, float64(cells.Bytes())
		default:
			graph, err := auto.Build(ctx, x, neighbors, auto.Settings{Seed: 1}, oneThread)
			if err != nil {
				return err
			}
			ix, bytes = graph, float64(graph.Bytes())
		}
		return nil
	})
	if err != nil || ix == nil {
		return nil, err
	}
	l.least("cpu", cpu)
	l.Figures["bytes"] = bytes
	exact := auto.Settings{}.Index(x.Rows, x.Cols, neighbors) == auto.Exact
	l.Chosen = exact && method == vaFile || !exact && method == byCells
	return ix, nil
}
