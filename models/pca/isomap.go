package pca

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// IsomapSettings of Isomap. The zero value works.
type IsomapSettings struct {
	// Neighbors is how many nearest neighbours of a point its paths begin with.
	// Default 9, or all other points if there are fewer.
	Neighbors int
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// Seed is where the eigenvectors of more than 256 points begin.
	Seed uint64
}

// Isomap places the rows of x (n x dim), which should be distinct, on a map of q
// dimensions where distances are those along the data (J. Tenenbaum, V. de Silva and
// J. Langford, Science 290, 2000): lengths of shortest paths in the symmetrised graph of
// nearest neighbours, the parts of which are joined by the shortest bridges, and classical
// scaling of these. The result, n x q, has uncorrelated columns of falling variance and
// mean 0. It holds n^2 float64.
func Isomap(ctx context.Context, x vec.Matrix[float32], q int, s IsomapSettings) (vec.Matrix[float64], error) {
	n, none := x.Rows, vec.Matrix[float64]{}
	if s.Neighbors == 0 {
		s.Neighbors = min(9, n-1)
	}
	if q < 1 || q >= n || s.Neighbors < 1 || s.Neighbors >= n {
		return none, models.BadInputf("isomap: %d dimensions and %d neighbours of %d points: want at least 1 of each and fewer than points", q, s.Neighbors, n)
	}
	near, err := knn.Graph(ctx, x, s.Neighbors, knn.Settings{Threads: s.Threads})
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	squares, err := PathLengths(ctx, x, near, s.Threads)
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	for i, d := range squares.Data {
		squares.Data[i] = d * d
	}
	p, err := Scaling(ctx, squares, q, Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	return p, nil
}

// PathLengths returns the lengths of the shortest paths between the rows of x, n x n: in the
// symmetrised graph of their nearest neighbours near, the parts of which are joined by the
// shortest bridges.
func PathLengths(ctx context.Context, x vec.Matrix[float32], near *knn.Neighbors, threads int) (vec.Matrix[float64], error) {
	n := x.Rows
	lengths := vec.New[float64](n, n)
	edges, err := graph.Connected(ctx, x, near, threads)
	if err != nil {
		return lengths, err
	}
	paths := graph.NewPaths(n, edges)
	par.Ranges(threads, n, 8, func(_, from, to int) {
		var w graph.Frontier
		for i := from; i < to && ctx.Err() == nil; i++ {
			paths.From(i, lengths.Row(i), &w)
		}
	})
	return lengths, ctx.Err()
}
