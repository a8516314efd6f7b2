package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/sparse/solve"
	"unfold/sparse/spectral"
)

const (
	lobpcg  = "scipy LOBPCG with pyamg"
	vectors = "two eigenvectors"
)

func eigenRow() row {
	return row{
		key: "eigen", title: "Lowest eigenvectors",
		about: `The two lowest non-constant eigenvectors of the Laplacian of MNIST's neighbourhood graph (9 neighbours, joined to one component), the start of the model with
Gaussian tails, until |L v - lambda v| is 1% of lambda. The peer is scipy's lobpcg with pyamg's smoothed aggregation, its set-up included.`,
		targets: []target{
			{what: "time", value: figure(own, vectors, 1), bound: 1, unit: " s", format: "%.2f"},
			{what: "time, of scipy's with pyamg", value: share(lobpcg, vectors), bound: .2, format: "%.3f"},
		},
		measure: measureEigen,
	}
}

func measureEigen(ctx context.Context, b *bench, r *record) error {
	const tolerance = 1e-2
	p, err := b.gaussianPairs(ctx)
	if err != nil {
		return err
	}
	var found *spectral.Result
	err = b.timed(r, vectors, func() (err error) {
		found, err = spectral.Lowest(ctx, p.Similar, 2, spectral.Settings{Tolerance: tolerance, Threads: b.threads, Seed: 1})
		return err
	})
	if err != nil {
		return err
	}
	r.note("unfold: eigenvalues %.4g and %.4g, residual %.2g after %d iterations", found.Values[0], found.Values[1], found.Residual, found.Iterations)
	path := b.file("laplacian.npz")
	s := system{solve.NewLaplacian(p.Similar, nil), vec.New[float64](p.N, 1)}
	if err := writeSystem(path, s); err != nil {
		return err
	}
	_, err = b.peer(ctx, r, lobpcg, "eigen", path, fmt.Sprint(tolerance), fmt.Sprint(found.Values[0]))
	return err
}
