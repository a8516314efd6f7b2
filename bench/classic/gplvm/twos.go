package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
)

const (
	twosLearnt  = 700
	twosMissing = 0.2
	twosStarts  = 10
	twosRounds  = 15
	twosSteps   = 150
	twosShown   = 12
	// inkFrom is the grey value, from -1 to 1, at which a block of 2 x 2 pixels counts as ink.
	inkFrom = -0.4
)

// twos reads binary twos, 8 x 8 pixels of 1 (ink) and -1, for learning and others.
func (b *bench) twos(ink float64, learnt int) (train, test vec.Matrix[float64], err error) {
	var rows []float64
	for _, name := range []string{digitsFile, moreDigitsFile} {
		all, err := numbers(b.dataFile(name))
		if err != nil {
			return train, test, err
		}
		for i := range all.Rows {
			if row := all.Row(i); row[0] == 2 {
				rows = append(rows, inked(row[1:], ink)...)
			}
		}
	}
	both := vec.Of(len(rows)/64, 64, rows)
	return both.Slice(0, learnt), both.Slice(learnt, both.Rows), nil
}

// inked turns 16 x 16 grey values into 8 x 8 of ink or none.
func inked(image []float64, ink float64) []float64 {
	out := make([]float64, 64)
	for p := range out {
		at := p/8*2*16 + p%8*2
		out[p] = -1
		if (image[at]+image[at+1]+image[at+16]+image[at+17])/4 > ink {
			out[p] = 1
		}
	}
	return out
}

// binaryTwos is section 7.3.1: predicting the missing pixels of binary digits.
func binaryTwos(ctx context.Context, b *bench) (string, error) {
	d, err := b.removed(inkFrom, twosLearnt, twosSeed)
	if err != nil {
		return "", err
	}
	train, rest, holes, which := d.train, d.rest, d.holes, d.which
	t := newTable("filled in by", "wrong pixels", "paper", "learning", "time of a digit")
	share := func(value func(i, c int) float64) string { return fmt.Sprintf("%.1f %%", 100*d.share(value)) }
	pictures := [][]sheet.Picture{tiles(rest, which), tiles(holes, which)}
	for _, c := range []struct {
		name, paper string
		noise       gplvm.Noise
		active      int
		rounds      int
	}{
		{"100 active, probit noise", "23.5 %", gplvm.Probit{Variance: gplvm.DefaultVariance}, 100, twosRounds},
		{"100 active, Gaussian noise", "35.9 %", gplvm.Gaussian{Variance: gplvm.DefaultVariance}, 100, 15},
		{"full model, Gaussian noise", "", nil, 0, 0},
	} {
		begin := time.Now()
		a, x, err := b.ofTwos(ctx, train, c.noise, c.active, c.rounds)
		if err != nil {
			return "", err
		}
		took := seconds(begin)
		l, err := b.locate(ctx, a, holes, train, x, twosStarts)
		if err != nil {
			return "", err
		}
		wrong := share(func(i, c int) float64 { return l.mean.Row(i)[c] })
		for i, v := range holes.Data {
			if math.IsNaN(v) {
				v = math.Copysign(1, l.mean.Data[i])
			}
			l.mean.Data[i] = v
		}
		t.row(c.name, wrong, c.paper, took, fmt.Sprintf("%.1f ms", 1e3*l.seconds))
		pictures = append(pictures, tiles(l.mean, which))
	}
	t.row("no ink", share(func(_, _ int) float64 { return -1 }), "51.5 %", "", "")
	var shown []sheet.Picture
	for _, row := range pictures {
		for i := range twosShown {
			shown = append(shown, row[i*(len(row)/twosShown)])
		}
	}
	if err := sheet.Write(filepath.Join(b.figures, "twos.png"), twosShown, 5, shown); err != nil {
		return "", err
	}
	return fmt.Sprintf(`Binary twos of 8 x 8 pixels, here made of the USPS digits (the paper's are of another collection): %d are learnt; of %d others
each pixel is missing with a probability of %g. They are placed by the remaining pixels, from the places of the %d nearest, and the model predicts the missing ones. Probit noise, for binary values, has an active set for the covariance of each pixel, %d rounds.

%s
![Twos, what is missing, and how it is filled in](gplvm/twos.png)

From the top: some twos with missing pixels in red, and the pixels predicted with probit noise, with Gaussian noise, and by the full model.
`, train.Rows, rest.Rows, twosMissing, twosStarts, twosRounds, t.String()), nil
}

// ofTwos learns a sparse model, or the full one without a noise model.
func (b *bench) ofTwos(ctx context.Context, y vec.Matrix[float64], noise gplvm.Noise, active, rounds int) (*gplvm.Active, vec.Matrix[float64], error) {
	if noise != nil {
		x, a, err := b.sparse(ctx, rbf, noise, y, within(active, rounds, 20))
		return a, x, err
	}
	c, err := b.learn(ctx, y, task{kernel: rbf, start: gplvm.StartPCA, steps: twosSteps})
	if err != nil {
		return nil, vec.Matrix[float64]{}, err
	}
	a, err := c.predictor()
	return a, c.point.X, err
}

// tiles returns pictures of binary digits whose columns are the given pixels. Ink is black.
func tiles(y vec.Matrix[float64], which []int) []sheet.Picture {
	all := make([]sheet.Picture, y.Rows)
	for i := range all {
		level := make([]float64, 64)
		for p := range level {
			level[p] = 1
		}
		for c, p := range which {
			level[p] = (1 - y.Row(i)[c]) / 2
		}
		all[i] = sheet.Picture{Width: 8, Level: level}
	}
	return all
}
