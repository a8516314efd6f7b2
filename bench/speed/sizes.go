package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"unfold/bench/internal/synthetic"
	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/internal/vec"
)

// sizeCounts are the numbers of rows of the sets. Between 29,999 and 30,001 nothing may jump.
var sizeCounts = []int{1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 29_999, 30_001, 50_000, 70_000, 100_000, 300_000, 1_000_000}

// smallCounts are those of a small run.
var smallCounts = []int{300, 599, 601}

// sizeSets are the sets of rows, with the most rows that each has.
var sizeSets = []struct {
	name string
	most int
	load func(ctx context.Context, b *bench) (vec.Matrix[float32], error)
}{
	{"sheets", 1_000_000, func(_ context.Context, b *bench) (vec.Matrix[float32], error) {
		return synthetic.Sheets(b.size(1_000_000, 601), 50), nil
	}},
	{"images", 70_000, func(ctx context.Context, b *bench) (vec.Matrix[float32], error) {
		d, err := b.images(ctx)
		if err != nil {
			return vec.Matrix[float32]{}, err
		}
		return d.raw, nil
	}},
	{"connections", 300_000, func(ctx context.Context, b *bench) (vec.Matrix[float32], error) { return b.connections(ctx) }},
}

// Figures of a set with a number of rows.
func sizeTime(set string, n int) string  { return fmt.Sprintf("%s, n = %d", set, n) }
func sizeTrust(set string, n int) string { return sizeTime(set, n) + ": trustworthiness" }

// sizesKey is the key of the row, and sizesPicture its picture beside the page.
const (
	sizesKey     = "sizes"
	sizesPicture = "sizes.png"
)

func sizesRow() row {
	return row{
		key: sizesKey, title: "Every number of rows",
		about: `The process ` + "`unfold fit`" + ` with its defaults, from an npy file to a written map in the plane: reading, learning and writing. Sheets are those of "A million rows",
images the 784 values of MNIST's, connections 38 columns of KDD Cup 1999, log1p and standardised, a third of them distinct. Fewer rows are a random part.
Trustworthiness of 12 neighbours is measured at a sample of rows against the vectors as given, and has errors of .001 to .003. Up to 30,000 rows the
targets of further edges are in longer neighbour lists, whose search takes up to a quarter of the time. Above, walks along shorter lists find them.

![Time and trustworthiness by the number of rows](` + sizesPicture + `)`,
		targets: []target{
			{what: "fewer rows, of the time of more", value: worstStep(sizeTime, func(fewer, more float64) float64 { return fewer / more }), bound: 1.1, format: "%.2f"},
			{what: "30,001 rows, of the time of 29,999", value: aroundThirty(sizeTime, func(a, b float64) float64 { return math.Max(a/b, b/a) }), bound: 1.15, format: "%.2f"},
			{what: "trustworthiness lost by more rows", value: worstStep(sizeTrust, func(fewer, more float64) float64 { return fewer - more }), bound: 0.005, format: "%.4f"},
		},
		measure: measureSizes,
	}
}

// sizesOf returns the numbers of rows of a set that were measured, and their figures.
func (r *record) sizesOf(set string, what func(set string, n int) string) (n, values []float64) {
	for _, count := range append(smallCounts, sizeCounts...) {
		if v, ok := r.best(own, what(set, count)); ok {
			n, values = append(n, float64(count)), append(values, v)
		}
	}
	return n, values
}

// worstStep returns the largest difference, as diff sees it, between a number of rows and the next one, over all sets.
func worstStep(what func(set string, n int) string, diff func(fewer, more float64) float64) func(*record) (float64, bool) {
	return func(r *record) (worst float64, ok bool) {
		worst = math.Inf(-1)
		for _, s := range sizeSets {
			_, v := r.sizesOf(s.name, what)
			if len(v) < 2 {
				return 0, false
			}
			for i := range v[1:] {
				worst = math.Max(worst, diff(v[i], v[i+1]))
			}
		}
		return worst, true
	}
}

// aroundThirty returns the largest difference between 29,999 and 30,001 rows, over all sets.
func aroundThirty(what func(set string, n int) string, diff func(a, b float64) float64) func(*record) (float64, bool) {
	return func(r *record) (worst float64, ok bool) {
		for _, s := range sizeSets {
			n, v := r.sizesOf(s.name, what)
			found := false
			for i := range max(0, len(n)-1) {
				if n[i+1]-n[i] == 2 {
					worst, found = math.Max(worst, diff(v[i], v[i+1])), true
				}
			}
			if !found {
				return 0, false
			}
		}
		return worst, true
	}
}

func measureSizes(ctx context.Context, b *bench, r *record) error {
	for _, s := range sizeSets {
		x, err := s.load(ctx, b)
		if err != nil {
			return err
		}
		order, counts := rand.New(rand.NewPCG(11, 0)).Perm(x.Rows), sizeCounts
		if b.small {
			counts = smallCounts
		}
		for _, n := range counts {
			if n > min(s.most, x.Rows) {
				break
			}
			path := b.file("sizes.npy")
			if err := writeNPY(path, vec.Take(x, order[:n])); err != nil {
				return err
			}
			if err := b.measureSize(ctx, r, s.name, path, n); err != nil {
				return err
			}
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureSize fits a map of n rows, up to three times if that takes seconds.
func (b *bench) measureSize(ctx context.Context, r *record, set, path string, n int) error {
	model, placed, report := b.file("sizes.unfold"), b.file("sizes.parquet"), b.file("sizes.json")
	for range b.size(3, 1) {
		if _, _, err := b.process(ctx, b.unfold, "fit", "-q", path, "-o", model, "--map", placed, "--report", report); err != nil {
			return err
		}
		f, err := readReport(report)
		if err != nil {
			return err
		}
		took := f.Seconds.Read + f.MeasuredSeconds
		r.add(own, sizeTime(set, n), seconds, took)
		r.add(own, sizeTrust(set, n), plain, f.Trustworthiness)
		const patient = 20 // seconds
		if took > patient {
			break
		}
	}
	return errors.Join(os.Remove(model), os.Remove(placed), os.Remove(report))
}

// connections reads KDD Cup 1999 as numbers: log1p of its 38 numeric columns, standardised.
func (b *bench) connections(ctx context.Context) (x vec.Matrix[float32], err error) {
	if b.small {
		return synthetic.Sheets(601, 38), nil
	}
	path := filepath.Join(b.data, "kddcup99", "kddcup.data_10_percent.gz")
	if _, err := os.Stat(path); b.data == "" || errors.Is(err, fs.ErrNotExist) {
		return x, unavailable("KDD Cup 1999: its file is missing")
	}
	const fields = 42 // the last is the label
	read := ingest.ReadOptions{Options: ingest.Options{CSV: csv.Options{Header: csv.HeaderNo, Comma: ','}}, Mapping: ingest.Mapping{Log1p: true, Standardize: true}}
	for k := range fields {
		name := fmt.Sprintf("field %d", k)
		read.CSV.Names = append(read.CSV.Names, name)
		if text := k >= 1 && k <= 3 || k == fields-1; !text { // protocol, service and flag are text
			read.Mapping.Columns = append(read.Mapping.Columns, ingest.ColumnSpec{Name: name})
		}
	}
	all, err := ingest.ReadAll(ctx, []string{path}, read)
	if err != nil {
		return x, err
	}
	return all.X, nil
}
