package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/pca"
)

// inputDims is the number of principal components for all methods if the data have more columns. It
// was the default of `unfold fit`.
const inputDims = 50

// prepared are the files of a data set.
type prepared struct {
	dataset
	Rows, Dim, InputDim, Labelled, Classes int
	// Stamp identifies the source and the program that made the files: see stamp.
	Stamp string
	// raw are the data for scoring maps, input those for making them, beside the table of labels
	// and known numbers.
	raw, input, beside string
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
	p := &prepared{dataset: d, raw: filepath.Join(dir, "raw.npy"), input: filepath.Join(dir, "input.npy"), beside: filepath.Join(dir, "beside.csv")}
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
	input, err := project(ctx, t.x, t.x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	p.Rows, p.Dim, p.InputDim = t.x.Rows, t.x.Cols, input.Cols
	p.Labelled, p.Classes = countLabels(t.label)
	p.Stamp = now
	for path, x := range map[string]vec.Matrix[float32]{p.raw: t.x, p.input: input} {
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

// project projects x onto the leading principal components of the rows of fit. It returns x itself
// if it has few enough columns.
func project(ctx context.Context, fit, x vec.Matrix[float32]) (vec.Matrix[float32], error) {
	if x.Cols <= inputDims {
		return x, nil
	}
	pca, err := pca.Fit(ctx, fit, inputDims, pca.Settings{Seed: 1})
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
