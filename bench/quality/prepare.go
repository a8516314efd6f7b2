package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/pca"
)

// reducedDims is the number of principal components that the peers' own pages recommend for data
// with more columns.
const reducedDims = 50

// prepared are the files of a data set.
type prepared struct {
	dataset
	Rows, Dim, Labelled, Classes int
	// Stamp identifies the source and the program that made the files: see stamp.
	Stamp string
	// raw are the data as given, from which maps are made and against which they are scored. reduced
	// are at most reducedDims principal components of them, in which the Euclidean distance is that
	// of the data. Labels and known numbers are in a table of their own.
	raw, reduced, beside string
	// sampled ranks a sample even if there are few rows.
	sampled bool
}

// prepare writes a data set's files unless they exist with the right stamp. It fails with
// fs.ErrNotExist if the source is missing.
func (b *bench) prepare(ctx context.Context, d dataset) (*prepared, error) {
	source, err := d.find(b.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	now, err := stamp(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	if b.quick {
		now += fmt.Sprintf("-%d", d.quick)
	}
	dir := b.file("data", d.name)
	p := &prepared{dataset: d, raw: filepath.Join(dir, "raw.npy"), reduced: filepath.Join(dir, "reduced.npy"), beside: filepath.Join(dir, "beside.csv")}
	done := filepath.Join(dir, "sizes.json")
	if same, err := readStamped(done, now, p); same || err != nil {
		return p, err
	}
	b.say("preparing %s", d.name)
	t, err := d.load(ctx, source)
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	if b.quick && d.quick > 0 && d.quick < t.x.Rows {
		t = t.sample(d.quick)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	reduced, err := reduce(ctx, t.x, d.metric)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	p.Rows, p.Dim = t.x.Rows, t.x.Cols
	p.Labelled, p.Classes = countLabels(t.label)
	p.Stamp = now
	for path, x := range map[string]vec.Matrix[float32]{p.raw: t.x, p.reduced: reduced} {
		if err := writeNPY(path, x); err != nil {
			return nil, err
		}
	}
	if err := t.writeBeside(p.beside); err != nil {
		return nil, err
	}
	return p, harness.WriteJSON(done, p)
}

// check checks that all rows have labels and numbers, or none.
func (t *table) check() error {
	if t.x.Rows == 0 {
		return errors.New("no rows")
	}
	if t.label != nil && len(t.label) != t.x.Rows {
		return fmt.Errorf("%d labels of %d rows", len(t.label), t.x.Rows)
	}
	if t.names != nil && len(t.known) != t.x.Rows {
		return fmt.Errorf("%d rows of %v for %d rows of data", len(t.known), t.names, t.x.Rows)
	}
	for i, row := range t.known {
		if len(row) != len(t.names) {
			return fmt.Errorf("row %d has %d numbers, there are %v", i, len(row), t.names)
		}
	}
	return nil
}

// sample returns n uniformly drawn rows in their order, with a fixed seed.
func (t *table) sample(n int) *table {
	rows := rand.New(rand.NewPCG(1, 0x5a3b)).Perm(t.x.Rows)[:n]
	slices.Sort(rows)
	out := &table{x: vec.Take(t.x, rows), names: t.names}
	for _, i := range rows {
		if t.label != nil {
			out.label = append(out.label, t.label[i])
		}
		if t.known != nil {
			out.known = append(out.known, t.known[i])
		}
	}
	return out
}

// reduce returns the leading principal components of rows, or rows themselves that have few enough
// columns. Rows that are compared by angle are brought to length 1.
func reduce(ctx context.Context, x vec.Matrix[float32], metric string) (vec.Matrix[float32], error) {
	if metric == cosine {
		x = vec.Of(x.Rows, x.Cols, slices.Clone(x.Data))
		for i := range x.Rows {
			row := x.Row(i)
			length := max(math.Sqrt(vec.SquaredNorm(row)), math.SmallestNonzeroFloat32)
			for c := range row {
				row[c] = float32(float64(row[c]) / length)
			}
		}
	}
	if x.Cols <= reducedDims {
		return x, nil
	}
	pca, err := pca.Fit(ctx, x, reducedDims, pca.Settings{Seed: 1})
	if err != nil {
		return x, err
	}
	return pca.Projector().Apply(x, 0), nil
}

func countLabels(labels []string) (labelled, classes int) {
	for _, l := range labels {
		if l != "" {
			labelled++
		}
	}
	names := slices.Compact(slices.Sorted(slices.Values(labels)))
	return labelled, len(names) - min(1, len(labels)-labelled)
}

// writeBeside writes the labels and numbers of the rows as a table with a header.
func (t *table) writeBeside(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	header := slices.Clone(t.names)
	if t.label != nil {
		header = append(header, labelColumn)
	}
	if err := w.Write(append([]string{"row"}, header...)); err != nil {
		return err
	}
	for i := range t.x.Rows {
		row := []string{strconv.Itoa(i)}
		if t.known != nil {
			for _, v := range t.known[i] {
				row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		if t.label != nil {
			row = append(row, t.label[i])
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}
