package main

import (
	"context"

	"unfold/models/pca"
)

const (
	sklearn = "scikit-learn"
	fitting = "fit"
)

func pcaRow() row {
	return row{
		key: "pca", title: "Principal components",
		about: `Finding the 50 leading principal components of the images, 70,000 x 784 float32 in memory, without the projection. scikit-learn's is PCA(50,
svd_solver="randomized").`,
		targets: []target{
			{what: "time", value: figure(own, fitting, 1), bound: 1.2, unit: " s", format: "%.2f"},
			{what: "times as fast as scikit-learn", value: faster(sklearn, fitting), bound: 1, above: true, format: "%.1f"},
		},
		measure: func(ctx context.Context, b *bench, r *record) error {
			d, err := b.images(ctx)
			if err != nil {
				return err
			}
			err = b.timed(r, fitting, func() error {
				_, err := pca.Fit(ctx, d.raw, inputDims, pca.Settings{Threads: b.threads})
				return err
			})
			if err != nil {
				return err
			}
			_, err = b.peer(ctx, r, sklearn, "pca", d.train, d.test)
			return err
		},
	}
}
