package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// glossDims is the number of values of a sentence embedding in the data.
const glossDims = 384

func textsRow() row {
	found := func(dims int) target {
		return target{
			what: fmt.Sprintf("%d values, of faiss's time", dims), value: share(faissFlat, ofValues(dims, searching)),
			bound: .25, format: "%.2f",
		}
	}
	return row{
		key: "texts", title: "Vectors as long as embeddings of texts",
		about: `20,000 vectors of 384 to 3,072 values: each 384 are the mean of two sentence embeddings (WordNet's glosses), drawn from a seed. First the 10 nearest
others of each in memory, exactly, as in "Exact nearest neighbours". Then a process from an npy file to a written map, with cosine distances.
Last, the rate at which a loaded model of two threads places as many other vectors, in one call.`,
		targets: []target{
			found(768), found(1536),
			{what: "384 values, a map", value: figure(own, ofValues(glossDims, wall), 1), bound: 11.5, unit: " s", format: "%.1f"},
			{what: "1536 values, a map", value: figure(own, ofValues(1536, wall), 1), bound: 20, unit: " s", format: "%.1f"},
			{what: "768 values, thousand events placed a second", value: figure(own, ofValues(768, batched), 1e-3), bound: 25, above: true, format: "%.0f"},
		},
		measure: measureTexts,
	}
}

// ofValues is the name of a figure of vectors with a number of values.
func ofValues(dims int, what string) string { return fmt.Sprintf("%d values: %s", dims, what) }

func measureTexts(ctx context.Context, b *bench, r *record) error {
	glosses, err := b.glosses(ctx)
	if err != nil {
		return err
	}
	for _, dims := range []int{384, 768, 1536, 3072} {
		n := b.size(20_000, 600)
		x := embeddings(glosses, 2*n, dims)
		if err := b.measureLength(ctx, r, x.Slice(0, n), x.Slice(n, 2*n)); err != nil {
			return fmt.Errorf("%d values: %w", dims, err)
		}
	}
	return nil
}

// measureLength measures the search among the rows of x, a map of them, and the placing of others.
func (b *bench) measureLength(ctx context.Context, r *record, x, others vec.Matrix[float32]) error {
	const k = 10
	name := func(what string) string { return ofValues(x.Cols, what) }
	err := b.timed(r, name(searching), func() error {
		_, err := knn.Graph(ctx, x, k, knn.Settings{Threads: b.threads})
		return err
	})
	if err != nil {
		return err
	}
	in, model, placed := b.file("texts.npy"), b.file("texts.unfold"), b.file("texts.parquet")
	if err := writeNPY(in, x); err != nil {
		return err
	}
	if _, err := b.peer(ctx, r, faissFlat, "exact", in, fmt.Sprint(k), name(searching)); err != nil {
		return err
	}
	_, u, err := b.process(ctx, b.unfold, "fit", "-q", in, "--metric", "cosine", "-o", model, "--map", placed)
	if err != nil {
		return err
	}
	r.addWall(name, u)
	placer, err := openPlacer(model, b.threads)
	if err != nil {
		return err
	}
	for range b.size(rounds, 1) {
		if err := addBatch(ctx, r, name(batched), placer, others); err != nil {
			return err
		}
	}
	return errors.Join(os.Remove(in), os.Remove(model), os.Remove(placed))
}

// glosses loads the sentence embeddings.
func (b *bench) glosses(ctx context.Context) (vec.Matrix[float32], error) {
	if b.small {
		rng, x := rand.New(rand.NewPCG(1, 2)), vec.New[float32](300, glossDims)
		for i := range x.Data {
			x.Data[i] = float32(rng.NormFloat64())
		}
		return x, nil
	}
	path := filepath.Join(b.data, "glosses", "glosses_10000x384_f16.npy")
	if _, err := os.Stat(path); b.data == "" || errors.Is(err, fs.ErrNotExist) {
		return vec.Matrix[float32]{}, unavailable("Sentence embeddings: their file is missing")
	}
	all, err := ingest.ReadAll(ctx, []string{path}, ingest.ReadOptions{})
	if err != nil {
		return vec.Matrix[float32]{}, err
	}
	return all.X, nil
}

// embeddings returns n vectors of the number of values, of which each 384 are the mean of two rows
// of glosses.
func embeddings(glosses vec.Matrix[float32], n, dims int) vec.Matrix[float32] {
	rng, x := rand.New(rand.NewPCG(3, uint64(dims))), vec.New[float32](n, dims)
	for i := range n {
		row := x.Row(i)
		for from := 0; from < dims; from += glossDims {
			a, b := glosses.Row(rng.IntN(glosses.Rows)), glosses.Row(rng.IntN(glosses.Rows))
			for c := range a {
				row[from+c] = (a[c] + b[c]) / 2
			}
		}
	}
	return x
}
