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

// set identifies rows: the first n of a data set.
type set struct {
	data   string
	n, dim int
	// once is true if one round takes very long, so that there is only one.
	once bool
}

func (s set) String() string { return fmt.Sprintf("%s, %d x %d", s.data, s.n, s.dim) }

const (
	digits = "digits"
	sheets = "sheets"
	pixels = 784
)

// queries is the number of queries outside a set.
const queries = 1000

// rows returns the rows of a set and further ones as queries.
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

// images returns MNIST, training images first, or dim principal components of it.
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

// truth is the squared distance of the true k-th nearest row, for each row or query.
type truth []float64

// share returns the share of listed rows that are as near as the k-th nearest, up to the rounding
// of single precision.
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
