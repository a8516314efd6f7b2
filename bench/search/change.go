package main

import (
	"context"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/sparse/graph/live"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Ways to update lists and indexes when rows are added and removed.
const (
	exactLists = "lists, exact"
	batchLists = "lists, from nothing"
	carried    = "HNSW, carried on"
	asked      = "HNSW, carried on and asked"
	fromNone   = "HNSW, from nothing"
)

// changes are the cases of added and removed rows: the lists of a live map, and the index for
// placing events.
func changes() part {
	return part{
		key: "change",
		cases: []set{
			{data: digits, n: 2000, dim: 8}, {data: digits, n: 20_000, dim: 8},
			{data: digits, n: 2000, dim: 50}, {data: digits, n: 20_000, dim: 50}, {data: digits, n: 50_000, dim: 50},
			{data: digits, n: 4000, dim: pixels},
		},
		methods: []string{exactLists, batchLists, carried, asked, fromNone},
		measure: (*bench).change,
	}
}

func (b *bench) change(ctx context.Context, s set, l *line, method string) error {
	x, q, err := b.rows(ctx, s)
	if err != nil {
		return err
	}
	born := q.Slice(0, max(1, s.n/100))
	gone := rand.New(rand.NewPCG(1, uint64(s.n))).Perm(s.n)[:born.Rows]
	switch method {
	case exactLists:
		return b.lists(ctx, x, born, gone, l)
	case batchLists:
		cpu, _, err := timed(func() error {
			_, _, err := auto.Graph(ctx, x, neighbors, auto.Settings{}, oneThread)
			return err
		})
		l.least("cpu", cpu)
		l.Figures["recall"] = auto.DefaultRecall
		if (auto.Settings{}).Graph(s.n, s.dim, neighbors) == auto.Exact {
			l.Figures["recall"] = 1
		}
		return err
	}
	return b.carry(ctx, x, born, gone, l, method)
}

// lists updates the lists of a graph.
func (b *bench) lists(ctx context.Context, x, born vec.Matrix[float32], gone []int, l *line) error {
	g, err := live.New(x.Cols, live.Settings{Neighbors: neighbors, Threads: 1})
	if err != nil {
		return err
	}
	slots, err := g.Insert(ctx, x)
	if err != nil {
		return err
	}
	free := make([]int32, len(gone))
	for i, at := range gone {
		free[i] = slots[at]
	}
	cpu, _, err := timed(func() error {
		if err := g.Delete(ctx, free); err != nil {
			return err
		}
		_, err := g.Insert(ctx, born)
		return err
	})
	if err != nil {
		return err
	}
	l.least("cpu", cpu)
	l.Chosen = true
	l.Figures["bytes"] = float64(g.Bytes())
	return b.listed(ctx, g, l)
}

// listed records the recall of the lists.
func (b *bench) listed(ctx context.Context, g *live.Graph, l *line) error {
	slots := g.Slots(nil)
	all := vec.New[float32](len(slots), len(g.Row(slots[0])))
	for i, slot := range slots {
		copy(all.Row(i), g.Row(slot))
	}
	chosen := make([]int32, min(sampled, len(slots)))
	for i := range chosen {
		chosen[i] = int32(i * len(slots) / len(chosen))
	}
	near, err := knn.NewScan(all).Search(ctx, vec.Take(all, chosen), neighbors+1, twoThreads)
	if err != nil {
		return err
	}
	l.Figures["recall"] = farthest(near).share(func(i int) []float64 {
		_, dist2 := g.Neighbors(slots[chosen[i]])
		return dist2
	})
	return nil
}

// carry updates the index of a map, or builds an index for the changed map. Lists from the index
// would need the update and at least one search per new row, for as many neighbours as a stored
// list has.
func (b *bench) carry(ctx context.Context, x, born vec.Matrix[float32], gone []int, l *line, method string) error {
	set := auto.Settings{Seed: 1}
	ix, err := auto.Build(ctx, x, neighbors, set, oneThread)
	if err != nil {
		return err
	}
	free := make([]int32, len(gone))
	for i, at := range gone {
		free[i] = int32(at)
	}
	cpu, _, err := timed(func() error {
		if method == fromNone {
			_, err := auto.Build(ctx, x, neighbors, set, oneThread)
			return err
		}
		next := ix.Clone(0)
		if err := next.Delete(free, oneThread); err != nil {
			return err
		}
		if _, err := next.Insert(ctx, born, oneThread); err != nil || method == carried {
			return err
		}
		const most = 2 * neighbors
		_, err := next.SearchEf(ctx, born, most, auto.Ef(most, auto.IndexRecall), oneThread)
		return err
	})
	if err != nil {
		return err
	}
	l.least("cpu", cpu)
	l.Chosen = method == carried && set.Index(x.Rows, x.Cols, neighbors) == auto.HNSW
	l.Figures["bytes"] = float64(ix.Bytes())
	return nil
}
