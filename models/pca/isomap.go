package pca

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// IsomapSettings of Isomap. The zero value works.
type IsomapSettings struct {
	// Neighbors is the number of nearest neighbours of a point in the graph of paths. Default 9, or
	// all other points if there are fewer.
	Neighbors int
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// Seed determines the start of the eigenvectors for more than 256 points.
	Seed uint64
}

// Isomap places the rows of x (n x dim), which should be distinct, on a map of q dimensions (J.
// Tenenbaum, V. de Silva and J. Langford, Science 290, 2000). It applies classical scaling to the
// lengths of shortest paths in the symmetrised graph of nearest neighbours, whose components are
// joined by the shortest bridges. The result, n x q, has uncorrelated columns of decreasing
// variance and mean 0. It allocates n^2 float64.
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
	edges, err := graph.Connected(ctx, x, near, s.Threads)
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	all, squares := make([]int32, n), vec.New[float64](n, n)
	for i := range all {
		all[i] = int32(i)
	}
	err = graph.NewPaths(n, edges).FromEach(ctx, all, s.Threads, func(i int, lengths []float64) {
		for j, l := range lengths {
			squares.Row(i)[j] = l * l
		}
	})
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	p, err := Scaling(ctx, squares, q, Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	return p, nil
}
