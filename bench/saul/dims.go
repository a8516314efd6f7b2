package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"unfold/models/score"
)

// dimsResult is figure 3, and figure S10 next to it.
type dimsResult struct {
	Digits int
	Levels [2][]byDimension // l = 1, 2
	PCA    []byDimension
}

// byDimension is a map with a number of dimensions.
type byDimension struct {
	Dims  int
	Wrong float64 // share of test digits, from nine training digits
	CPU   float64 // seconds of the fit; 0 for principal components
}

const mostDims = 10

var (
	pcaDims = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50}
	// paperEM are the seconds of EM in the paper in ten dimensions, with l = 1 and 2.
	paperEM = [2]float64{859, 579}
)

func byDims(ctx context.Context, b *bench) (*dimsResult, error) {
	args, train, err := b.images(b.digits)
	if err != nil {
		return nil, err
	}
	r := &dimsResult{Digits: b.digits}
	for level := range r.Levels {
		for d := 1; d <= mostDims; d++ {
			f, err := b.fit(ctx, "dims", append([]string{"--neighbors", "9", "--core", "2", "--level", strconv.Itoa(level + 1), "--dims", strconv.Itoa(d)}, args...)...)
			if err != nil {
				return nil, err
			}
			wrong, err := b.votes(ctx, "dims", train)
			if err != nil {
				return nil, err
			}
			r.Levels[level] = append(r.Levels[level], byDimension{d, wrong[voters], f.CPU})
		}
	}
	m, err := b.components(ctx, slices.Max(pcaDims), args...)
	if err != nil {
		return nil, err
	}
	class, err := labels(m)
	if err != nil {
		return nil, err
	}
	for _, d := range pcaDims {
		x := leading(m.Embedding, d)
		wrong, err := score.HeldOutError(ctx, x.Slice(0, train), class[:train], x.Slice(train, x.Rows), class[train:], []int{voters}, score.Settings{})
		if err != nil {
			return nil, err
		}
		r.PCA = append(r.PCA, byDimension{Dims: d, Wrong: wrong[0]})
	}
	return r, nil
}

func (r *dimsResult) markdown(*bench) string {
	text := fmt.Sprintf(`## Figures 3 and S10: test error and time by the number of dimensions

%s.
k = 9, s = 2; errors by nine training digits. In the paper most of the variation between classes is captured by the first few
dimensions, principal components need many more, and errors are somewhat higher with l = 2.

| d | l = 1 | time | l = 2 | time | principal components |
|---|---|---|---|---|---|
`, counted(r.Digits))
	pca := map[int]string{}
	for _, p := range r.PCA {
		pca[p.Dims] = percent(p.Wrong)
	}
	var first, last [2]byDimension
	for i, p := range r.Levels[0] {
		q := r.Levels[1][i]
		text += fmt.Sprintf("| %d | %s | %.1f s | %s | %.1f s | %s |\n", p.Dims, percent(p.Wrong), p.CPU, percent(q.Wrong), q.CPU, pca[p.Dims])
		if last = [2]byDimension{p, q}; i == 0 {
			first = last
		}
	}
	for _, p := range r.PCA {
		if p.Dims > mostDims {
			text += fmt.Sprintf("| %d | | | | | %s |\n", p.Dims, percent(p.Wrong))
		}
	}
	return text + fmt.Sprintf(`
From d = 1 to d = %d the time grows %.1f times with l = 1, and %.1f times with l = 2. With d = %d, l = 2 takes %.2f of the time of l = 1.
In the paper EM alone takes %.0f s and %.0f s by the clock, for 70000 digits: %.2f of the time.
`, last[0].Dims, last[0].CPU/first[0].CPU, last[1].CPU/first[1].CPU, last[0].Dims, last[1].CPU/last[0].CPU, paperEM[0], paperEM[1], paperEM[1]/paperEM[0])
}
