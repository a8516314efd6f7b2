package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"unfold/bench/internal/synthetic"
	"unfold/internal/vec"
	"unfold/sparse/graph/live"
)

// The size of the measurements of the dynamic graph.
const (
	liveDim   = 50
	liveBatch = 100
	liveN     = 100_000 // number of points of the targets
)

const (
	liveInserts = "inserts"
	liveDeletes = "deletes"
	liveMemory  = "memory a point beyond its vector"
	liveDrained = "deletes, spare neighbours used up"
)

// among names a figure of a graph of n points. The usual number is omitted.
func among(n, usual int, what string) string {
	if n == usual {
		return what
	}
	return fmt.Sprintf("n = %d: %s", n, what)
}

func liveRow() row {
	return row{
		key: "live", title: "A graph whose points come and go",
		about: `Points of 50 values enter and leave an exact neighbourhood graph, 100 at a time. After every batch the lists of the 10 nearest others (with 10 spare ones),
components, minimum spanning tree, mutual reachability and similarity edges equal those of a new graph. A round inserts 20 batches and then deletes
as many points at random. Spare neighbours make deletes cheap until they are used up; that case is measured after many deletes without an
insertion. The vectors are those of "A million rows".`,
		targets: []target{
			{what: liveInserts, value: figure(own, liveInserts, 1), bound: 5000, above: true, unit: "/s", format: "%.0f"},
			{what: liveDeletes, value: figure(own, liveDeletes, 1), bound: 5000, above: true, unit: "/s", format: "%.0f"},
			{what: liveMemory, value: figure(own, liveMemory, 1), bound: 1024, unit: " B", format: "%.0f"},
		},
		measure: measureLive,
	}
}

func measureLive(ctx context.Context, b *bench, r *record) error {
	usual := b.size(liveN, 1000)
	sizes := []int{usual / 10, usual * 3 / 10, usual, usual * 3}
	r.note("figures without a number of points are of %d", usual)
	const batches = 20
	x := synthetic.Sheets(sizes[len(sizes)-1]+batches*liveBatch, liveDim)
	for _, n := range sizes {
		g, err := b.liveGraph(ctx, x.Slice(0, n))
		if err != nil {
			return err
		}
		b.say("  %d points", n)
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for range b.size(rounds, 1) {
			clock := time.Now()
			for from := n; from < n+batches*liveBatch; from += liveBatch {
				if _, err := g.Insert(ctx, x.Slice(from, from+liveBatch)); err != nil {
					return err
				}
			}
			r.add(own, among(n, usual, liveInserts), perSec, batches*liveBatch/time.Since(clock).Seconds())
			rate, err := deleteSome(ctx, g, rng, batches)
			if err != nil {
				return err
			}
			r.add(own, among(n, usual, liveDeletes), perSec, rate)
		}
		r.add(own, among(n, usual, liveMemory), inBytes, float64(g.Bytes())/float64(g.Len())-4*liveDim)
	}
	return b.drained(ctx, r, x, usual)
}

// liveGraph returns a graph of the rows of x with all its parts.
func (b *bench) liveGraph(ctx context.Context, x vec.Matrix[float32]) (*live.Graph, error) {
	g, err := live.New(x.Cols, live.Settings{Parts: live.All, Threads: b.threads})
	if err != nil {
		return nil, err
	}
	_, err = g.Insert(ctx, x)
	return g, err
}

// deleteSome deletes batches of random points and returns the rate per second.
func deleteSome(ctx context.Context, g *live.Graph, rng *rand.Rand, batches int) (float64, error) {
	slots := g.Slots(nil)
	rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	clock := time.Now()
	for from := 0; from < batches*liveBatch; from += liveBatch {
		if err := g.Delete(ctx, slots[from:from+liveBatch]); err != nil {
			return 0, err
		}
	}
	return float64(batches*liveBatch) / time.Since(clock).Seconds(), nil
}

// drained measures deletions from n points, after as many others were deleted.
func (b *bench) drained(ctx context.Context, r *record, x vec.Matrix[float32], n int) error {
	g, err := b.liveGraph(ctx, x.Slice(0, 2*n))
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	if _, err := deleteSome(ctx, g, rng, n/liveBatch); err != nil {
		return err
	}
	const batches = 5
	for range b.size(rounds, 1) {
		rate, err := deleteSome(ctx, g, rng, batches)
		if err != nil {
			return err
		}
		r.add(own, liveDrained, perSec, rate)
	}
	return nil
}
