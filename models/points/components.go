package points

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/pca"
)

// Spread is the standard deviation of every column of Components, and missingSpread that of columns
// without a component in the data.
const (
	Spread        = 5
	missingSpread = 0.05
	// rank is the least variance of a component, relative to the first. A smaller one is rounding
	// error.
	rank = 1e-10
)

// Components returns the dims principal components of the rows of x, n x dims, each column scaled
// to a standard deviation of 5. They preserve the global arrangement of the data. If the data have
// fewer components, the other columns are seeded normal noise with a standard deviation of 0.05,
// enough for learning to spread them.
func Components(ctx context.Context, x vec.Matrix[float32], dims int, seed uint64, threads int) (vec.Matrix[float64], error) {
	mu, have := vec.New[float64](x.Rows, dims), 0
	var z vec.Matrix[float32]
	if q := min(dims, x.Cols); q > 0 && x.Rows > 1 {
		p, err := pca.Fit(ctx, x, q, pca.Settings{Threads: threads, Seed: seed})
		if err != nil {
			return mu, err
		}
		for have < min(q, x.Rows-1) && p.Variance[have] > rank*p.Variance[0] {
			have++
		}
		z = p.Projector().Apply(x, threads)
		if err := models.CheckRows(z, nil); err != nil {
			return mu, fmt.Errorf("the components of these values are beyond the range of float32: %w", err)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0x57a7))
	for c := range dims {
		if c < have {
			column(mu, z, c)
			continue
		}
		for i := range x.Rows {
			mu.Row(i)[c] = missingSpread * r.NormFloat64()
		}
	}
	return mu, nil
}

// column copies column c of z to mu, centred and scaled.
func column(mu vec.Matrix[float64], z vec.Matrix[float32], c int) {
	var mean, square float64
	n := float64(z.Rows)
	for i := range z.Rows {
		mean += float64(z.Row(i)[c]) / n
	}
	for i := range z.Rows {
		d := float64(z.Row(i)[c]) - mean
		square += d * d / n
	}
	for i := range z.Rows {
		mu.Row(i)[c] = Spread * (float64(z.Row(i)[c]) - mean) / math.Sqrt(square)
	}
}
