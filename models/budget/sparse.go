package budget

import (
	"context"
	"fmt"
	"time"

	"unfold/internal/vec"
	"unfold/models/pca"
	"unfold/sparse"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// MeasureSparse is Measure for sparse rows, which are those of the plan. Their search and projection
// are measured on some of them, and learning on generated rows of as many values as components.
func MeasureSparse(ctx context.Context, p Plan, a *sparse.Rows) (Speed, error) {
	defer collectSeldom()()
	v, err := Measure(ctx, p, vec.Matrix[float32]{})
	if err != nil {
		return v, err
	}
	rates, err := pca.MeasureTruncated(ctx, a, p.Spec.Threads)
	if err != nil {
		return v, fmt.Errorf("budget: trial: %w", err)
	}
	v.Sparse = rates.Seconds(a.N(), a.M(), a.NNZ(), p.Spec.PCA)
	if p.Spec.Given != nil {
		return v, nil
	}
	searched, err := searchTime(ctx, p, a)
	v.Sparse += searched
	return v, err
}

// searchTime predicts the time of finding equal rows and neighbours.
func searchTime(ctx context.Context, p Plan, a *sparse.Rows) (float64, error) {
	begin := time.Now()
	graph.CollapseSparse(a)
	collapsed := time.Since(begin).Seconds()
	searched, err := knn.SparseSeconds(ctx, a, min(p.Lists, a.N()-1), knn.Settings{Threads: p.Spec.Threads})
	if err != nil {
		return 0, fmt.Errorf("budget: trial: %w", err)
	}
	return collapsed + searched, nil
}

// input returns the bytes of an input row. A sparse row has a value and a column for each entry,
// and its start.
func (p *Plan) input() float64 {
	if p.Entries > 0 {
		return 16*float64(p.Entries)/float64(p.Rows) + 8
	}
	return 4 * float64(p.Dim)
}

// sparse adds the stages from sparse rows to their projection. It returns the bytes of a row's
// neighbour list, which stays besides the projection.
func (p *Plan) sparse(add func(name string, perRow, rest float64)) (neighbors float64) {
	input, kept, seen, near := p.input(), float64(p.Kept), 4*float64(p.Seen), 4*float64(p.Lists)
	// While they are read, rows given by columns or in any order are stored twice.
	add("read", 2*input+kept, 0)
	add("knn", input+kept+12*float64(p.Lists)+near, float64(knn.SparseBytes(p.Rows, p.Dim, p.Entries, p.threads())))
	add("pca", input+kept+near+seen, float64(pca.TruncatedBytes(p.Rows, p.Dim, p.Spec.PCA, p.Spec.Threads)))
	return near
}
