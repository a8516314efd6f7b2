package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"unfold/bench/internal/synthetic"
	"unfold/internal/vec"
	"unfold/models/clusters"
)

// clusterBatches is the number of batches of points that a round inserts and deletes.
const clusterBatches = 10

// keptClusters names a figure of clusters of rows with the given number of values.
func keptClusters(dim int, what string) string { return fmt.Sprintf("%d values: %s", dim, what) }

func clustersRow() row {
	w := row{
		key: "clusters", title: "Clusters whose points come and go",
		about: `HDBSCAN* of 100,000 points, kept exactly while 100 points at a time enter or leave. Clusters have at least 50 points; core distances are those to the m-th
neighbour, by default the 50th. A round inserts 10 batches and then deletes as many points at random. A round is slow where it deletes the end of
the only short edge between two large groups. The vectors are those of "A million rows". The time of a new computation is given for comparison.`,
		measure: measureClusters,
	}
	for _, of := range []struct {
		dim   int
		bound float64
	}{{50, 500}, {10, 2000}} {
		for _, what := range []string{liveInserts, liveDeletes} {
			name := keptClusters(of.dim, what)
			w.targets = append(w.targets, target{what: name, value: figure(own, name, 1), bound: of.bound, above: true, unit: "/s", format: "%.0f"})
		}
	}
	return w
}

func measureClusters(ctx context.Context, b *bench, r *record) error {
	n := b.size(liveN, 1000)
	for _, dim := range []int{50, 10} {
		x := synthetic.Sheets(n+clusterBatches*liveBatch, dim)
		for _, m := range []int{clusters.DefaultMinSize, 10} {
			b.say("  %d values, m = %d", dim, m)
			name := func(what string) string {
				if m != clusters.DefaultMinSize {
					what = fmt.Sprintf("m = %d: %s", m, what)
				}
				return keptClusters(dim, what)
			}
			if err := b.keptClusters(ctx, r, x, clusters.Settings{MinSamples: m, Threads: b.threads}, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// keptClusters measures clusters that are updated as the last batches of the rows of x are inserted
// and deleted.
func (b *bench) keptClusters(ctx context.Context, r *record, x vec.Matrix[float32], set clusters.Settings, name func(string) string) error {
	n := x.Rows - clusterBatches*liveBatch
	clock := time.Now()
	if _, err := clusters.Find(ctx, x.Slice(0, n), set); err != nil {
		return err
	}
	r.add(own, name("all from nothing"), seconds, time.Since(clock).Seconds())
	l, err := clusters.NewLive(x.Cols, set)
	if err != nil {
		return err
	}
	if _, err := l.Insert(ctx, x.Slice(0, n)); err != nil {
		return err
	}
	// each times all batches, including the clusters after each.
	each := func(what string, change func(from int) error) error {
		clock := time.Now()
		for from := 0; from < clusterBatches*liveBatch; from += liveBatch {
			if err := change(from); err != nil {
				return err
			}
			if _, err := l.Clusters(); err != nil {
				return err
			}
		}
		r.add(own, name(what), perSec, clusterBatches*liveBatch/time.Since(clock).Seconds())
		return nil
	}
	rng := rand.New(rand.NewPCG(1, uint64(x.Cols)))
	for range b.size(rounds, 1) {
		if err := each(liveInserts, func(from int) error {
			_, err := l.Insert(ctx, x.Slice(n+from, n+from+liveBatch))
			return err
		}); err != nil {
			return err
		}
		slots := l.Slots(nil)
		rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
		if err := each(liveDeletes, func(from int) error { return l.Delete(ctx, slots[from:from+liveBatch]) }); err != nil {
			return err
		}
	}
	r.add(own, name(liveMemory), inBytes, float64(l.Bytes())/float64(l.Len())-float64(4*x.Cols))
	return nil
}
