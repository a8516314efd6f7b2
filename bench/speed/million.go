package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"unfold/bench/internal/synthetic"
)

func millionRow() row {
	return row{
		key: "million", title: "A million rows",
		about: `1,000,000 x 50 float32 vectors from an npy file to a written map in the plane: the process ` + "`unfold fit`" + ` with its defaults. The vectors are 100 clusters, each a
curved sheet of three dimensions with noise, from a seed. "The whole fit" is reading, learning and writing, as in --report; the process also compares the
map with the vectors. Predictions are compared with the peak of memory and the time of learning and writing.`,
		targets: []target{
			{what: "whole fit", value: figure(own, wholeFit, 1), bound: 70, unit: " s", format: "%.0f"},
			{what: "peak memory", value: figure(own, rss, 1e-9), bound: 1.6, unit: " GB", format: "%.2f"},
			{what: "predicted memory, off by", value: offBy(predictedBytes, reportedBytes), bound: 10, unit: "%", format: "%.0f"},
			{what: "predicted time, off by", value: offBy(predictedTime, learnt), bound: 30, unit: "%", format: "%.0f"},
		},
		measure: measureFit(1_000_000, 50, 3_000),
	}
}

func tenMillionRow() row {
	return row{
		key: "tenmillion", title: "Ten million rows",
		about: `The same for 10,000,000 rows, 2 GB in the file.`,
		targets: []target{
			{what: "whole fit", value: figure(own, wholeFit, 1./60), bound: 25, unit: " min", format: "%.0f"},
			{what: "peak memory", value: figure(own, rss, 1e-9), bound: 8, unit: " GB", format: "%.1f"},
			{what: "predicted memory, off by", value: offBy(predictedBytes, reportedBytes), bound: 10, unit: "%", format: "%.0f"},
			{what: "trustworthiness", value: figure(own, trust, 1), bound: 0.99, above: true, format: "%.4f"},
		},
		measure: measureFit(10_000_000, 50, 4_000),
		asked:   true,
	}
}

func higgsRow() row {
	return row{
		key: "higgs", title: "Eleven million rows of 28 values",
		about: `The same for rows in the shape of the HIGGS data set, 11,000,000 x 28.`,
		targets: []target{
			{what: "whole fit", value: figure(own, wholeFit, 1./60), bound: 30, unit: " min", format: "%.0f"},
		},
		measure: measureFit(11_000_000, 28, 4_500),
		asked:   true,
	}
}

// Figures of a fit's report.
const (
	wholeFit       = "reading, learning, writing"
	learnt         = "learning, writing"
	predictedTime  = "learning, writing: predicted"
	reportedBytes  = "peak memory, as reported"
	predictedBytes = "peak memory: predicted"
	trust          = "trustworthiness, of a sample"
)

// offBy returns the error of a prediction in per cent.
func offBy(predicted, took string) func(*record) (float64, bool) {
	return func(r *record) (float64, bool) {
		v, ok := ratio(own, predicted, own, took)(r)
		return 100 * math.Abs(v-1), ok
	}
}

// measureFit measures the fit of n synthetic rows, or of few in a small run.
func measureFit(n, dim, few int) func(ctx context.Context, b *bench, r *record) error {
	return func(ctx context.Context, b *bench, r *record) error {
		path := b.file("sheets.json")
		u, err := b.fitSheets(ctx, b.size(n, few), dim, "--report", path)
		if err != nil {
			return err
		}
		return addFit(r, u, path)
	}
}

// addFit records the cost of a fit and the content of its report, which it removes.
func addFit(r *record, u usage, path string) error {
	r.addUsage(own, u)
	report, err := readReport(path)
	if err != nil {
		return err
	}
	r.add(own, wholeFit, seconds, report.Seconds.Read+report.MeasuredSeconds)
	r.add(own, learnt, seconds, report.MeasuredSeconds)
	r.add(own, predictedTime, seconds, report.PredictedSeconds)
	if report.PeakRSSBytes > 0 {
		r.add(own, reportedBytes, inBytes, report.PeakRSSBytes)
	}
	r.add(own, predictedBytes, inBytes, report.PredictedBytes)
	r.add(own, trust, plain, report.Trustworthiness)
	r.note("one round")
	return os.Remove(path)
}

// fitReport is the needed part of a fit's report.
type fitReport struct {
	Seconds          struct{ Read float64 }
	Trustworthiness  float64 `json:"trustworthiness"`
	PredictedBytes   float64 `json:"predicted_bytes"`
	PeakRSSBytes     float64 `json:"peak_rss_bytes"`
	PredictedSeconds float64 `json:"predicted_seconds"`
	MeasuredSeconds  float64 `json:"measured_seconds"`
}

func readReport(path string) (r fitReport, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// fitSheets fits a map of n x dim synthetic vectors in a process, with additional arguments, and
// returns the cost. It removes the files.
func (b *bench) fitSheets(ctx context.Context, n, dim int, more ...string) (usage, error) {
	in, model, placed := b.file("sheets.npy"), b.file("sheets.unfold"), b.file("sheets.parquet")
	if err := writeNPY(in, synthetic.Sheets(n, dim)); err != nil {
		return usage{}, err
	}
	_, u, err := b.process(ctx, b.unfold, append([]string{"fit", "-q", in, "-o", model, "--map", placed}, more...)...)
	for _, path := range []string{in, model, placed} {
		if err == nil {
			err = os.Remove(path)
		}
	}
	return u, err
}

func scalingRow() row {
	return row{
		key: "scaling", title: "More rows, more columns",
		about: `The same process for other numbers of rows (of 50 values) and of values (20,000 rows), one round each.`,
		measure: func(ctx context.Context, b *bench, r *record) error {
			type shape struct{ n, dim int }
			shapes := []shape{{1_000, 50}, {10_000, 50}, {100_000, 50}, {20_000, 16}, {20_000, 64}, {20_000, 256}, {20_000, 1024}}
			if b.small {
				shapes = []shape{{500, 50}, {1_000, 16}, {1_000, 64}}
			}
			for _, s := range shapes {
				u, err := b.fitSheets(ctx, s.n, s.dim)
				if err != nil {
					return err
				}
				r.addWall(func(what string) string { return fmt.Sprintf("n = %d, dim = %d: %s", s.n, s.dim, what) }, u)
			}
			return nil
		},
	}
}
