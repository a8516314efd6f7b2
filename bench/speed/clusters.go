package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"unfold/bench/internal/synthetic"
	"unfold/models/clusters"
)

// clusterBatches is how many batches of points a round inserts, and deletes.
const clusterBatches = 10

// keptClusters names a figure of clusters of rows with so many values.
func keptClusters(dim int, what string) string { return fmt.Sprintf("%d values: %s", dim, what) }

func clustersRow() row {
	w := row{
		key: "clusters", title: "Clusters whose points come and go",
		about: `HDBSCAN* of 100,000 points, kept exactly: after every batch of 100 points that enter or leave, the spanning tree, the
hierarchy, labels, probabilities, outlier scores and persistences are those of a batch of all points, and are there. Clusters have
at least 50 points, core distances are those to the 50th neighbour. A round inserts 10 batches and then deletes as many points at
random. The vectors are those of "A million rows". The time of making all from nothing stands beside.`,
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
		set := clusters.Settings{Threads: b.threads}
		clock := time.Now()
		if _, err := clusters.Find(ctx, x.Slice(0, n), set); err != nil {
			return err
		}
		r.add(own, keptClusters(dim, "all from nothing"), seconds, time.Since(clock).Seconds())
		l, err := clusters.NewLive(dim, set)
		if err != nil {
			return err
		}
		if _, err := l.Insert(ctx, x.Slice(0, n)); err != nil {
			return err
		}
		b.say("  %d values", dim)
		rng := rand.New(rand.NewPCG(1, uint64(dim)))
		for range b.size(rounds, 1) {
			clock := time.Now()
			for from := n; from < n+clusterBatches*liveBatch; from += liveBatch {
				if _, err := l.Insert(ctx, x.Slice(from, from+liveBatch)); err != nil {
					return err
				}
				if _, err := l.Clusters(); err != nil {
					return err
				}
			}
			r.add(own, keptClusters(dim, liveInserts), perSec, clusterBatches*liveBatch/time.Since(clock).Seconds())
			slots := l.Slots(nil)
			rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
			clock = time.Now()
			for from := 0; from < clusterBatches*liveBatch; from += liveBatch {
				if err := l.Delete(ctx, slots[from:from+liveBatch]); err != nil {
					return err
				}
				if _, err := l.Clusters(); err != nil {
					return err
				}
			}
			r.add(own, keptClusters(dim, liveDeletes), perSec, clusterBatches*liveBatch/time.Since(clock).Seconds())
		}
		r.add(own, keptClusters(dim, liveMemory), inBytes, float64(l.Bytes())/float64(l.Len())-float64(4*dim))
	}
	return nil
}
