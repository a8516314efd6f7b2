package main

import (
	"context"
	"errors"
	"os"

	"unfold/bench/internal/synthetic"
)

// placedRows is the figure of rows placed by a process.
const placedRows = "rows, with reading the model"

func manyPlacedRow() row {
	return row{
		key: "many", title: "Ten million rows placed",
		about: `10,000,000 rows of 50 values from an npy file to a Parquet file of places on the map of 1,000,000 others of "A million rows":
the process ` + "`unfold embed`" + `, from its start to its end.`,
		targets: []target{
			{what: "thousand rows a second", value: figure(own, placedRows, 1e-3), bound: 60, above: true, format: "%.0f"},
			{what: "peak memory", value: figure(own, rss, 1e-9), bound: 2.5, unit: " GB", format: "%.2f"},
		},
		measure: measureManyPlaced,
		asked:   true,
	}
}

func measureManyPlaced(ctx context.Context, b *bench, r *record) (err error) {
	learnt, many := b.size(1_000_000, 3_000), b.size(10_000_000, 4_000)
	in, model, out := b.file("sheets.npy"), b.file("sheets.unfold"), b.file("sheets.parquet")
	defer func() {
		for _, path := range []string{in, model, out} {
			if gone := os.Remove(path); err == nil && !errors.Is(gone, os.ErrNotExist) {
				err = gone
			}
		}
	}()
	x := synthetic.Sheets(learnt+many, 50)
	if err := writeNPY(in, x.Slice(0, learnt)); err != nil {
		return err
	}
	if _, _, err := b.process(ctx, b.unfold, "fit", "-q", in, "-o", model); err != nil {
		return err
	}
	if err := writeNPY(in, x.Slice(learnt, learnt+many)); err != nil {
		return err
	}
	_, u, err := b.process(ctx, b.unfold, "embed", "-q", in, "-m", model, "-o", out)
	if err != nil {
		return err
	}
	r.addUsage(own, u)
	r.add(own, placedRows, perSec, float64(many)/u.Wall)
	r.note("one round")
	return nil
}
