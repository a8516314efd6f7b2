package main

import "context"

const version = "version, median"

func startRow() row {
	return row{
		key: "start", title: "Start",
		about:   "The process `unfold version`, from its start to its end: the median of 11 a round.",
		targets: []target{{what: "`unfold version`", value: figure(own, version, 1e3), bound: 30, unit: " ms", format: "%.1f"}},
		measure: func(ctx context.Context, b *bench, r *record) error {
			return b.medians(ctx, r, version, "version")
		},
	}
}
