package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// Figures of single calls and of batches.
const (
	p50      = "one, p50"
	p99      = "one, p99"
	batched  = "in batches"
	coldHalf = "cold, median"
)

func placeRow() row {
	return row{
		key: "place", title: "Placing new events",
		about: `Test digits, 784 values each, on a map that was learnt from the 60,000 training digits. "One" is a call of the library with a single row on a loaded
model, principal components included; the peer's is transform of scikit-learn's PCA and of a fitted UMAP, warm. "In batches" are all test digits in one call. Cold:
the process ` + "`unfold embed`" + ` of a file with one row, with the model in the file cache. Recall is the share of true neighbours that placing uses, in a
sample of the test digits.`,
		targets: []target{
			{what: "one event, p50", value: figure(own, p50, 1e6), bound: 80, unit: " µs", format: "%.0f"},
			{what: "one event, p99", value: figure(own, p99, 1e6), bound: 200, unit: " µs", format: "%.0f"},
			{what: "in batches, thousand events a second", value: figure(own, batched, 1e-3), bound: 50, above: true, format: "%.0f"},
			{what: "one event, p50, times as fast as umap-learn", value: faster(umap, p50), bound: 10, above: true, format: "%.0f"},
			{what: "one event, p99, times as fast as umap-learn", value: faster(umap, p99), bound: 10, above: true, format: "%.0f"},
			{what: "in batches, times as many as umap-learn", value: ratio(own, batched, umap, batched), bound: 10, above: true, format: "%.0f"},
			{what: "cold, process start to placed event", value: figure(own, coldHalf, 1e3), bound: 300, unit: " ms", format: "%.0f"},
		},
		measure: measurePlace,
	}
}

func measurePlace(ctx context.Context, b *bench, r *record) error {
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	path, err := b.trained(ctx, d)
	if err != nil {
		return err
	}
	s, err := snapshot.ReadFile(path)
	if err != nil {
		return err
	}
	placer, err := fit.Open(s, placing.Options{Threads: b.threads})
	if err != nil {
		return err
	}
	test := d.raw.Slice(d.first, d.raw.Rows)
	calls := min(b.size(2000, 50), test.Rows)
	for range b.size(rounds, 1) {
		times, err := latencies(calls, func(i int) error {
			_, err := placer.Place(ctx, test.Slice(i, i+1))
			return err
		})
		if err != nil {
			return err
		}
		r.add(own, p50, seconds, harness.Quantile(times, .5))
		r.add(own, p99, seconds, harness.Quantile(times, .99))
		if err := addBatch(ctx, r, batched, placer, test); err != nil {
			return err
		}
	}
	if err := indexRecall(ctx, r, placer, s, test); err != nil {
		return err
	}
	if err := b.cold(ctx, r, path, d); err != nil {
		return err
	}
	_, err = b.peer(ctx, r, umap, "transform", fmt.Sprint(b.size(200, 5)), d.train, d.test)
	return err
}

// addBatch records the rate at which rows are placed in one call.
func addBatch(ctx context.Context, r *record, what string, placer models.Placer, rows vec.Matrix[float32]) error {
	clock := time.Now()
	if _, err := placer.Place(ctx, rows); err != nil {
		return err
	}
	r.add(own, what, perSec, float64(rows.Rows)/time.Since(clock).Seconds())
	return nil
}

// indexRecall records the recall of the search for placing.
func indexRecall(ctx context.Context, r *record, p models.Placer, s *snapshot.Snapshot, test vec.Matrix[float32]) error {
	searcher, ok := p.(interface {
		Search(ctx context.Context, z vec.Matrix[float32]) (*knn.Neighbors, error)
	})
	if !ok || s.Index == nil {
		r.note("so few points are searched exactly")
		return nil
	}
	z := projection.Of(s).Apply(test.Slice(0, min(1000, test.Rows)), 0)
	k := lvm.Reach(lvm.TailsOf(s), s.Neighbors, s.NoveltyK, s.Reference.Rows)
	truth, err := knn.NewExact(s.Reference).Search(ctx, z, k, knn.Settings{})
	if err != nil {
		return err
	}
	nb, err := searcher.Search(ctx, z)
	if err != nil {
		return err
	}
	r.add(own, recall, plain, recallOf(nb, truth))
	return nil
}

// trained returns the model of the training images, learnt by the program.
func (b *bench) trained(ctx context.Context, d *digits) (string, error) {
	path := b.file("train.unfold")
	_, _, err := b.process(ctx, b.unfold, "fit", "-q", d.train, "-o", path)
	return path, err
}

// openPlacer loads a model for placing.
func openPlacer(path string, threads int) (models.Placer, error) {
	s, err := snapshot.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return fit.Open(s, placing.Options{Threads: threads})
}

// cold measures processes that place one row, and records the median of each round.
func (b *bench) cold(ctx context.Context, r *record, model string, d *digits) error {
	in, out := b.file("one.npy"), b.file("one-placed.npy")
	if err := writeNPY(in, d.raw.Slice(d.first, d.first+1)); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Clean(model)); err != nil {
		return err
	}
	return b.medians(ctx, r, coldHalf, "embed", "-q", in, "-m", model, "-o", out)
}

// medians runs the program with args many times after a warm-up run. It records the median of its
// wall-clock seconds, a sample per round.
func (b *bench) medians(ctx context.Context, r *record, what string, args ...string) error {
	if _, _, err := b.process(ctx, b.unfold, args...); err != nil {
		return err
	}
	for range b.size(rounds, 1) {
		var times []float64
		for range b.size(11, 3) {
			_, u, err := b.process(ctx, b.unfold, args...)
			if err != nil {
				return err
			}
			times = append(times, u.Wall)
		}
		r.add(own, what, seconds, harness.Quantile(times, .5))
	}
	return nil
}

// latencies returns the seconds of calls 0..n-1 after n/10 calls to warm up.
func latencies(n int, call func(i int) error) ([]float64, error) {
	for i := range n / 10 {
		if err := call(i); err != nil {
			return nil, err
		}
	}
	times := make([]float64, n)
	for i := range times {
		clock := time.Now()
		if err := call(i); err != nil {
			return nil, err
		}
		times[i] = time.Since(clock).Seconds()
	}
	return times, nil
}
