package main

import (
	"context"
	"fmt"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/hnsw"
)

const (
	hnswlib   = "hnswlib"
	faissHNSW = "faiss IndexHNSWFlat"
	building  = "build"
)

// Settings that all indexes share.
const (
	hnswM     = 16
	hnswBuild = 100 // candidates of construction
	hnswK     = 10
)

func hnswRow() row {
	r := row{
		key: "hnsw", title: "HNSW index",
		about: `An index of the 60,000 training digits (50 principal components), M = 16 and 100 candidates of construction for all; the 10 nearest of each of the 10,000
test digits, with the least number of candidates (of 10, 16, 24, ... 512) that gives a recall of at least 0.99. "In batches" are all queries in one call,
"one" is a call with a single query on one thread.`,
		measure: measureHNSW,
	}
	for _, peer := range []string{hnswlib, faissHNSW} {
		r.targets = append(r.targets,
			target{what: "build, times as fast as " + peer, value: faster(peer, building), bound: 1, above: true, format: "%.1f"},
			target{what: "queries in batches, times as many as " + peer, value: ratio(own, batched, peer, batched), bound: 1, above: true, format: "%.1f"},
			target{what: "one query, p99, times as fast as " + peer, value: faster(peer, p99), bound: 1, above: true, format: "%.1f"})
	}
	return r
}

func measureHNSW(ctx context.Context, b *bench, r *record) error {
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	rows, queries := d.z.Slice(0, d.first), d.z.Slice(d.first, d.z.Rows)
	s := knn.Settings{Threads: b.threads}
	truth, err := knn.NewExact(rows).Search(ctx, queries, hnswK, s)
	if err != nil {
		return err
	}
	var ix *hnsw.Index
	err = b.timed(r, building, func() (err error) {
		ix, err = hnsw.Build(ctx, rows, hnsw.Settings{M: hnswM, EfConstruction: hnswBuild, Seed: 1}, s)
		return err
	})
	if err != nil {
		return err
	}
	r.add(own, "memory of the index", inBytes, float64(ix.Bytes()))
	if err := b.queryHNSW(ctx, r, ix, queries, truth); err != nil {
		return err
	}
	last := b.file("truth-queries.npy")
	if err := writeNPY(last, farthest(truth)); err != nil {
		return err
	}
	for _, p := range []struct{ name, task string }{{hnswlib, "hnsw_hnswlib"}, {faissHNSW, "hnsw_faiss"}} {
		if _, err := b.peer(ctx, r, p.name, p.task, d.zFile, last, fmt.Sprint(d.first), fmt.Sprint(hnswK), fmt.Sprint(hnswM), fmt.Sprint(hnswBuild)); err != nil {
			return err
		}
	}
	return nil
}

// queryHNSW finds the least number of candidates with enough recall and measures queries.
func (b *bench) queryHNSW(ctx context.Context, r *record, ix *hnsw.Index, queries vec.Matrix[float32], truth *knn.Neighbors) error {
	s := knn.Settings{Threads: b.threads}
	for _, ef := range []int{10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512} {
		nb, err := ix.SearchEf(ctx, queries, hnswK, ef, s)
		if err != nil {
			return err
		}
		found := recallOf(nb, truth)
		if found < enough && ef < 512 {
			continue
		}
		r.add(own, recall, plain, found)
		r.note("unfold's candidates: %d", ef)
		for range b.size(rounds, 1) {
			clock := time.Now()
			if _, err := ix.SearchEf(ctx, queries, hnswK, ef, s); err != nil {
				return err
			}
			r.add(own, batched, perSec, float64(queries.Rows)/time.Since(clock).Seconds())
			times, err := latencies(queries.Rows, func(i int) error {
				_, err := ix.SearchEf(ctx, queries.Slice(i, i+1), hnswK, ef, knn.Settings{Threads: 1})
				return err
			})
			if err != nil {
				return err
			}
			r.add(own, p50, seconds, harness.Quantile(times, .5))
			r.add(own, p99, seconds, harness.Quantile(times, .99))
		}
		return nil
	}
	return nil
}
