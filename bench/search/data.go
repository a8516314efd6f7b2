package main

import (
	"context"
	"fmt"
	"path/filepath"

	"unfold/bench/internal/synthetic"
	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/pca"
)

// set names rows: the first n of some data.
type set struct {
	data   string
	n, dim int
	// once: it takes so long that it is measured in one round.
	once bool
}

func (s set) String() string { return fmt.Sprintf("%s, %d x %d", s.data, s.n, s.dim) }

const (
	digits = "digits"
	sheets = "sheets"
	pixels = 784
)

// queries is how many rows that are not among those of a set are looked for.
const queries = 1000

// rows returns the rows of a set, and others of the same kind.
func (b *bench) rows(ctx context.Context, s set) (x, q vec.Matrix[float32], err error) {
	all := vec.Matrix[float32]{}
	if s.data == sheets || b.small {
		all = synthetic.Sheets(s.n+queries, s.dim)
	} else if all, err = b.images(ctx, s.dim); err != nil {
		return x, q, err
	}
	if all.Rows < s.n+queries {
		return x, q, fmt.Errorf("%d rows are too few", all.Rows)
	}
	return all.Slice(0, s.n), all.Slice(all.Rows-queries, all.Rows), nil
}

// images returns MNIST, training images first, or so many principal components of it.
func (b *bench) images(ctx context.Context, dim int) (vec.Matrix[float32], error) {
	if x, ok := b.digits[dim]; ok {
		return x, nil
	}
	if b.digits == nil {
		dir := filepath.Join(b.data, "mnist")
		all, err := ingest.ReadAll(ctx, []string{filepath.Join(dir, "train-images-idx3-ubyte.gz"), filepath.Join(dir, "t10k-images-idx3-ubyte.gz")}, ingest.ReadOptions{})
		if err != nil {
			return vec.Matrix[float32]{}, err
		}
		b.digits = map[int]vec.Matrix[float32]{pixels: all.X}
	}
	x := b.digits[pixels]
	if dim < pixels {
		fitted, err := pca.Fit(ctx, x, dim, pca.Settings{Seed: 1})
		if err != nil {
			return x, err
		}
		x = fitted.Projector().Apply(x, 0)
	}
	b.digits[dim] = x
	return x, nil
}

// truth holds, for some rows or queries, the squared distance of the k-th nearest row.
type truth []float64

// share is how many of the places of lists hold a row as near as the k-th nearest, but
// for the rounding of single precision.
func (t truth) share(lists func(i int) []float64) float64 {
	const near = 1 + 1e-5
	hits, places := 0, 0
	for i, last := range t {
		dist2 := lists(i)
		for _, v := range dist2 {
			if v <= last*near {
				hits++
			}
		}
		places += len(dist2)
	}
	return float64(hits) / float64(places)
}
