package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/baseline"
	"unfold/models/modeltest"
	"unfold/models/placing"
)

// textbookN is the number of rows for textbook methods, textbookPoints that for methods whose
// memory in scikit-learn is quadratic.
const (
	textbookN         = 20_000
	textbookPoints    = 1000
	textbookNeighbors = 9
)

// textbookMethods are the methods of scikit-learn, by their input and whether they learn all of it.
var textbookMethods = []struct {
	baseline.Method
	roll, all bool
}{
	{baseline.PCA, false, true}, {baseline.Eigenmaps, false, true}, {baseline.LLE, true, true}, {baseline.LTSA, true, true},
	{baseline.Isomap, false, false}, {baseline.KernelPCA, false, false},
}

func textbookRow() row {
	w := row{
		key: "textbook", title: "Textbook methods",
		about: fmt.Sprintf(`The plane by textbook methods (baselines.md), of %d rows in memory, with %d neighbours: lle and ltsa of a swiss roll in three
dimensions, the others of MNIST's vectors of 50 principal components. pca, eigenmaps, lle and ltsa learn all rows. isomap and kpca
learn %d, since scikit-learn's memory grows with the square of the learnt rows, and place the rest by these. scikit-learn learns the same
rows with the same number of neighbours, with n_jobs and its own choice of a solver (ARPACK and a sparse LU), and its transform places
the rest. On the digits lle and ltsa are not measured: that LU takes minutes there for lle, and is singular for ltsa. The table also
has the program's isomap of all rows, from landmarks; scikit-learn has none.`, textbookN, textbookNeighbors, textbookPoints),
		measure: measureTextbook,
	}
	for _, m := range textbookMethods {
		w.targets = append(w.targets, target{
			what: fmt.Sprintf("%s, times as fast as scikit-learn", m.Method), value: faster(sklearn, string(m.Method)), bound: 3, above: true, format: "%.1f",
		})
	}
	return w
}

func measureTextbook(ctx context.Context, b *bench, r *record) error {
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	n := b.size(textbookN, 400)
	digits, roll := d.z.Slice(0, n), vec.Convert[float32](modeltest.SwissRoll(n))
	sample := placing.Sample(n, b.size(textbookPoints, 100), 1)
	learnt, rest := vec.Take(digits, sample), vec.Take(digits, others(sample, n))
	set := baseline.Settings{Common: models.Common{Neighbors: textbookNeighbors, Threads: b.threads, Seed: 1}}
	whole := func(m baseline.Method, x vec.Matrix[float32], set baseline.Settings) func() error {
		return func() error {
			f, err := baseline.Fit(ctx, m, x, set)
			if err != nil {
				return err
			}
			_, _, err = f.PlaceAll(ctx, x, nil)
			return err
		}
	}
	sampled := func(m baseline.Method) func() error {
		return func() error {
			f, err := baseline.Fit(ctx, m, learnt, set)
			if err != nil {
				return err
			}
			_, _, err = f.Place(ctx, rest)
			return err
		}
	}
	for _, m := range textbookMethods {
		do, every := sampled(m.Method), set
		every.Points = n
		switch {
		case m.roll:
			do = whole(m.Method, roll, every)
		case m.all:
			do = whole(m.Method, digits, every)
		}
		if err := b.timed(r, string(m.Method), do); err != nil {
			return err
		}
	}
	if err := b.timed(r, "isomap of all rows, from landmarks", whole(baseline.Isomap, digits, set)); err != nil {
		return err
	}
	var files []string
	for _, f := range []struct {
		name string
		rows vec.Matrix[float32]
	}{{"", digits}, {"-roll", roll}, {"-learnt", learnt}, {"-rest", rest}} {
		path := b.file("data", "textbook"+f.name+".npy")
		if err := writeNPY(path, f.rows); err != nil {
			return err
		}
		files = append(files, path)
	}
	_, err = b.peer(ctx, r, sklearn, "textbook", append(files, fmt.Sprint(textbookNeighbors))...)
	return err
}

// others are the numbers below n that are not in sorted.
func others(sorted []int32, n int) (out []int32) {
	for i := range int32(n) {
		if len(sorted) > 0 && sorted[0] == i {
			sorted = sorted[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}
