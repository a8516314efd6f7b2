package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/ingest"
)

// trainRows returns the number of MNIST's training digits, which come first: 60,000 of 70,000.
func trainRows(mnist *prepared) int { return mnist.Rows / 7 * 6 }

// further measures the further figures on MNIST: placed digits, other numbers of dimensions, other
// seeds, time and memory.
func (b *bench) further(ctx context.Context, mnist *prepared) error {
	if err := b.split(ctx, mnist); err != nil {
		return err
	}
	if err := b.dims(ctx, mnist); err != nil {
		return err
	}
	if err := b.seeds(ctx, mnist); err != nil {
		return err
	}
	return b.costs(ctx, mnist)
}

// dims3Name is the name of the measurement of dims. The other names are those of split.
const dims3Name = "dims3/" + byDefault

func splitName(dims int, m method) string { return fmt.Sprintf("split%d/%s", dims, m.key) }
func jointName(dims int, m method) string { return fmt.Sprintf("joint%d/%s", dims, m.key) }

// placers returns the methods that can place new points.
func placers() []method {
	return slices.DeleteFunc(methods(), func(m method) bool {
		return !slices.Contains([]string{byDefault, thorough, umap}, m.key)
	})
}

// split learns the training digits and places and classifies the test digits, in two and in ten
// dimensions. It also classifies on a joint map of all digits in ten.
func (b *bench) split(ctx context.Context, mnist *prepared) error {
	if b.wants(partSplit) {
		if err := b.prepareSplit(ctx, mnist); err != nil {
			return err
		}
	}
	for _, dims := range []int{2, 10} {
		for _, m := range placers() {
			dir := fmt.Sprintf("split%d", dims)
			j := job{input: input{path: b.file("data", "split", "train.npy")}, output: b.mapFile(dir, m.key+"-train"), dims: dims,
				test: b.file("data", "split", "test.npy"), placed: b.mapFile(dir, m.key+"-test")}
			_, err := b.once(splitName(dims, m), b.made(m, j, mnist), b.whenTimed(m, partSplit), func(r *result) error {
				if err := b.make(ctx, m, j, r); err != nil {
					return err
				}
				return b.scorePlaced(ctx, mnist, j, r)
			})
			if err != nil {
				return err
			}
		}
	}
	for _, m := range placers() {
		parts := []string{partSplit}
		if m.key == byDefault {
			parts = append(parts, partSeeds)
		}
		j := job{input: input{path: mnist.raw}, output: b.mapFile("joint10", m.key), dims: 10}
		_, err := b.once(jointName(10, m), b.made(m, j, mnist), b.whenTimed(m, parts...), func(r *result) error {
			if err := b.make(ctx, m, j, r); err != nil {
				return err
			}
			if err := b.score(ctx, mnist, j.output, r); err != nil {
				return err
			}
			return b.heldOut(ctx, r, j.output, "--beside", mnist.beside, "--train-rows", strconv.Itoa(trainRows(mnist)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// scorePlaced scores the places of the test digits with those of the training digits.
func (b *bench) scorePlaced(ctx context.Context, mnist *prepared, j job, r *result) error {
	labels, err := readLabels(mnist.beside)
	if err != nil {
		return err
	}
	train, test := strings.TrimSuffix(j.output, ".npy")+".csv", strings.TrimSuffix(j.placed, ".npy")+".csv"
	if err := writeMap(ctx, j.output, train, labelColumn, labels[:trainRows(mnist)]); err != nil {
		return err
	}
	if err := writeMap(ctx, j.placed, test, labelColumn, labels[trainRows(mnist):]); err != nil {
		return err
	}
	return b.heldOut(ctx, r, test, "--train", train)
}

// heldOut records the errors of test rows.
func (b *bench) heldOut(ctx context.Context, r *result, args ...string) error {
	s, err := b.scores(ctx, args...)
	if err != nil {
		return err
	}
	if s.HeldOut == nil {
		return errors.New("unfold score reports nothing of the test rows")
	}
	r.Figures[test1], r.Figures[test9] = s.HeldOut.Error[0], s.HeldOut.Error[1]
	return nil
}

// prepareSplit writes the training and test digits.
func (b *bench) prepareSplit(ctx context.Context, mnist *prepared) error {
	train, test := b.file("data", "split", "train.npy"), b.file("data", "split", "test.npy")
	var made struct{ Stamp string }
	done := b.file("data", "split", "stamp.json")
	if same, err := readStamped(done, mnist.Stamp, &made); same || err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(test), 0o777); err != nil {
		return err
	}
	x, err := readVectors(ctx, mnist.raw)
	if err != nil {
		return err
	}
	if err := writeNPY(train, x.Slice(0, trainRows(mnist))); err != nil {
		return err
	}
	if err := writeNPY(test, x.Slice(trainRows(mnist), x.Rows)); err != nil {
		return err
	}
	made.Stamp = mnist.Stamp
	return harness.WriteJSON(done, made)
}

// dims makes the default map in three dimensions.
func (b *bench) dims(ctx context.Context, mnist *prepared) error {
	m, j := methods()[0], job{input: input{path: mnist.raw}, output: b.mapFile("dims3", byDefault), dims: 3}
	_, err := b.once(dims3Name, b.made(m, j, mnist), b.whenTimed(m, partDims), func(r *result) error {
		if err := b.make(ctx, m, j, r); err != nil {
			return err
		}
		return b.score(ctx, mnist, j.output, r)
	})
	return err
}

// labelColumn is the name of the column with the rows' classes.
const labelColumn = "label"

func readLabels(beside string) ([]string, error) { return harness.Column(beside, labelColumn) }

// writeMap writes a map as a table with an additional column.
func writeMap(ctx context.Context, from, to, name string, values []string) error {
	m, err := ingest.ReadMap(ctx, from, ingest.Options{})
	if err != nil {
		return err
	}
	if len(values) != m.Len() {
		return fmt.Errorf("%s has %d points, the column %s has %d values", from, m.Len(), name, len(values))
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	header := []string{name}
	for c := range m.Embedding.Cols {
		header = append(header, "embedding_"+strconv.Itoa(c))
	}
	if err := w.Write(header); err != nil {
		return err
	}
	for i, v := range values {
		row := []string{v}
		for _, v := range m.Embedding.Row(i) {
			row = append(row, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}
