package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/baseline"
)

// textbookN are the rows that textbook methods map, and textbookPoints those of them that most
// methods learn.
const (
	textbookN         = 20_000
	textbookPoints    = 1000
	textbookNeighbors = 9
)

// textbookMethods are those that scikit-learn has, by whether they learn all rows.
var textbookMethods = []struct {
	baseline.Method
	all bool
}{
	{baseline.PCA, true}, {baseline.Eigenmaps, true}, {baseline.Isomap, false}, {baseline.LLE, false},
	{baseline.LTSA, false}, {baseline.KernelPCA, false},
}

func textbookRow() row {
	w := row{
		key: "textbook", title: "Textbook methods",
		about: fmt.Sprintf(`The plane by textbook methods (baselines.md), of %d of MNIST's vectors of 50 principal components in memory, with %d neighbours.
pca and eigenmaps learn all of them. The others, whose memory grows with the square of what is learnt, learn %d, and place the rest
by these; scikit-learn learns the same rows with the same number of neighbours, with n_jobs and its own choice of a solver, and its transform places
the rest. Of ltsa the solver is dense: the sparse one that it would choose fails on these rows.`, textbookN, textbookNeighbors, textbookPoints),
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
	x := d.z.Slice(0, b.size(textbookN, 400))
	var learnt []int32
	for _, m := range textbookMethods {
		set := baseline.Settings{
			Common: models.Common{Neighbors: textbookNeighbors, Threads: b.threads, Seed: 1}, Points: b.size(textbookPoints, 100),
		}
		if m.all {
			set.Points = x.Rows
		}
		err := b.timed(r, string(m.Method), func() error {
			f, err := baseline.Fit(ctx, m.Method, x, set)
			if err != nil {
				return err
			}
			if !m.all {
				learnt = f.Learnt // the same of all methods, by the seed
			}
			_, _, err = f.PlaceAll(ctx, x, nil)
			return err
		})
		if err != nil {
			return err
		}
	}
	rest := vec.Take(x, others(learnt, x.Rows))
	files := []string{b.file("data", "textbook.npy"), b.file("data", "textbook-learnt.npy"), b.file("data", "textbook-rest.npy")}
	for k, rows := range []vec.Matrix[float32]{x, vec.Take(x, learnt), rest} {
		if err := writeNPY(files[k], rows); err != nil {
			return err
		}
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
