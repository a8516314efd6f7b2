package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/lvm"
	graphs "unfold/sparse/graph"
	"unfold/sparse/graph/live"
)

// paper is the stationary stream with the paper's model, and the cost of its graph.
func (l *lab) paper(ctx context.Context, o *outcome) error {
	g := *l
	g.set.LVM.Tails = lvm.Gaussian
	if err := g.stationary(ctx, o); err != nil {
		return err
	}
	costs, err := l.graphs(ctx)
	o.Graphs = costs
	return err
}

// graphCost is the cost of the neighbourhood graph E of a refresh, in CPU seconds. Kept is the cost
// of updating it, with the tree and the reachability: the additional cost over updating the lists,
// and composing E. Batch is the cost of computing it from the lists.
type graphCost struct {
	Core        int // s of eq 23
	Kept, Batch float64
	Rounds      int
	Differ      int // rounds in which the two were not the same
}

// graphs measures the graphs of some refreshes, after a hundredth of the set was replaced each
// time.
func (l *lab) graphs(ctx context.Context) ([]graphCost, error) {
	const most, rounds = 3, 20
	lists, err := l.kept(ctx, 1, live.Lists)
	if err != nil {
		return nil, err
	}
	out, kept := make([]graphCost, most), make([]*live.Graph, most)
	for s := range out {
		out[s].Core, out[s].Rounds = s+1, rounds
		if kept[s], err = l.kept(ctx, s+1, live.Similar); err != nil {
			return nil, err
		}
	}
	r := rand.New(rand.NewPCG(9, 0x4ef))
	fresh := l.d.x.Slice(l.size, l.d.x.Rows)
	for range rounds {
		gone := r.Perm(l.size)[:l.block()]
		x := fresh.Slice(0, l.block())
		fresh = fresh.Slice(l.block(), fresh.Rows)
		alone, err := turn(ctx, lists, gone, x)
		if err != nil {
			return nil, err
		}
		for s := range out {
			if err := out[s].round(ctx, lists, kept[s], alone, gone, x); err != nil {
				return nil, err
			}
		}
	}
	for s := range out {
		out[s].Kept, out[s].Batch = out[s].Kept/rounds, out[s].Batch/rounds
	}
	return out, nil
}

// kept returns the graph of the first points with some parts.
func (l *lab) kept(ctx context.Context, core int, parts live.Parts) (*live.Graph, error) {
	g, err := live.New(l.d.x.Cols, live.Settings{Neighbors: 9, Lists: 10, Core: core, Parts: parts, Threads: l.threads})
	if err != nil {
		return nil, err
	}
	_, err = g.Insert(ctx, l.d.x.Slice(0, l.size))
	return g, err
}

// turn replaces points and returns the CPU seconds.
func turn(ctx context.Context, g *live.Graph, gone []int, x vec.Matrix[float32]) (float64, error) {
	slots := make([]int32, len(gone))
	for i, slot := range gone {
		slots[i] = int32(slot)
	}
	begin := harness.CPUSeconds()
	if err := g.Delete(ctx, slots); err != nil {
		return 0, err
	}
	_, err := g.Insert(ctx, x)
	return harness.CPUSeconds() - begin, err
}

// round measures one refresh's graph in both ways.
func (c *graphCost) round(ctx context.Context, lists, kept *live.Graph, alone float64, gone []int, x vec.Matrix[float32]) error {
	with, err := turn(ctx, kept, gone, x)
	if err != nil {
		return err
	}
	set := graphs.Settings{Core: c.Core, Threads: kept.Settings().Threads}
	mine, err := kept.Compact()
	if err != nil {
		return err
	}
	theirs, err := lists.Compact()
	if err != nil {
		return err
	}
	begin := harness.CPUSeconds()
	followed, err := graphs.Join(ctx, mine.X, mine.Neighbors.First(kept.Settings().Neighbors), mine.Parts(), set)
	if err != nil {
		return err
	}
	middle := harness.CPUSeconds()
	again, err := graphs.Build(ctx, theirs.X, theirs.Neighbors.First(lists.Settings().Neighbors), set)
	if err != nil {
		return err
	}
	c.Kept += with - alone + middle - begin
	c.Batch += harness.CPUSeconds() - middle
	if !reflect.DeepEqual(followed, again) {
		c.Differ++
	}
	return nil
}

// graphsOf writes the table of the graph's cost.
func (o *outcome) graphsOf(w *bytes.Buffer) {
	fmt.Fprintf(w, `The neighbourhood graph of such a refresh (k = 9): its tree, reach and similar edges are either updated as points come and go, or computed again from the lists. Both ways give the same graph. Up to s = 2 refreshes update it, which is faster; the refreshes above have
s = 1. An ordinary refresh takes %.0f CPU ms, of which the graph takes these.

| s | CPU ms, kept | in batch | kept, of batch | an ordinary refresh, if in batch | graphs that differ |
|---|---|---|---|---|---|
`, 1000*mean(o.ordinary(), step.cpu))
	for _, c := range o.Graphs {
		fmt.Fprintf(w, "| %d | %.1f | %.1f | %.0f%% | %+.1f%% | %d of %d |\n", c.Core, 1000*c.Kept, 1000*c.Batch, 100*c.Kept/c.Batch,
			100*(c.Batch-c.Kept)/mean(o.ordinary(), step.cpu), c.Differ, c.Rounds)
	}
	w.WriteString("\n")
}
