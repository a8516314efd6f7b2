package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
)

// levelsResult are figures S6 to S8: levels of coarse-graining.
type levelsResult struct {
	Digits   int
	All, Few []levelCell
}

type levelCell struct {
	Level  int
	Loglik float64
	Wrong1 float64
	Wrong9 float64
	Apart  float64 // mean distance of class means, relative to the root mean square distance from them
	CPU    float64 // seconds of the fit
}

// few is the number of digits that figure S8 can use without coarse-graining.
const few = 7000

func byLevel(ctx context.Context, b *bench) (*levelsResult, error) {
	r := &levelsResult{Digits: b.digits}
	var err error
	if r.All, err = b.atLevels(ctx, b.digits, 1, 2); err != nil {
		return nil, err
	}
	r.Few, err = b.atLevels(ctx, min(few, b.digits), 0, 1, 2)
	return r, err
}

// atLevels learns and draws maps of n digits at levels. Large maps get close-ups, small ones are
// drawn in one row.
func (b *bench) atLevels(ctx context.Context, n int, levels ...int) (cells []levelCell, err error) {
	args, train, err := b.images(n)
	if err != nil {
		return nil, err
	}
	var maps []sheet.Panel
	for _, level := range levels {
		f, err := b.fit(ctx, "level", append([]string{"--neighbors", "9", "--core", "1", "--level", strconv.Itoa(level), "--dims", "2"}, args...)...)
		if err != nil {
			return nil, err
		}
		wrong, err := b.votes(ctx, "level", train)
		if err != nil {
			return nil, err
		}
		p, err := b.panel(ctx, "level")
		if err != nil {
			return nil, err
		}
		maps = append(maps, p)
		if n > few {
			if err := b.closer(fmt.Sprintf("level-%d.png", level), closeups(p)...); err != nil {
				return nil, err
			}
		}
		cells = append(cells, levelCell{level, f.Loglik, wrong[1], wrong[voters], apart(p.X, p.Class), f.CPU})
	}
	if n > few {
		return cells, nil
	}
	return cells, b.panels("levels-few.png", len(maps), maps)
}

// apart returns the mean distance between the means of classes over the root mean square distance
// of points from the mean of their class.
func apart(mu vec.Matrix[float32], class []int32) float64 {
	most := int32(0)
	for _, c := range class {
		most = max(most, c)
	}
	mean, count := vec.New[float64](int(most)+1, mu.Cols), make([]float64, most+1)
	for i, c := range class {
		count[c]++
		for k, v := range mu.Row(i) {
			mean.Row(int(c))[k] += float64(v)
		}
	}
	for c, n := range count {
		for k := range mean.Row(c) {
			mean.Row(c)[k] /= n
		}
	}
	var within, between, pairs float64
	for i, c := range class {
		for k, v := range mu.Row(i) {
			within += (float64(v) - mean.Row(int(c))[k]) * (float64(v) - mean.Row(int(c))[k]) / float64(mu.Rows)
		}
	}
	for a := range mean.Rows {
		for c := range a {
			between += math.Sqrt(vec.SquaredDistance(mean.Row(a), mean.Row(c)))
			pairs++
		}
	}
	return between / pairs / math.Sqrt(within)
}

func (r *levelsResult) markdown(b *bench) string {
	text := `## Figures S6 to S8: levels of coarse-graining

k = 9, s = 1, two dimensions. In the paper the second level of coarse-graining magnifies the distances between clusters noticeably
(S6, S7), and the first tends to, with 7000 digits (S8). "Apart" is the mean distance between the means of the classes, divided by the root mean square
distance of digits from the mean of their class. Likelihoods of different levels cannot be compared.

| digits | l | log-likelihood | 1-NN error | 9-NN error | apart | time |
|---|---|---|---|---|---|---|
`
	for _, part := range []struct {
		n     int
		cells []levelCell
	}{{r.Digits, r.All}, {min(few, r.Digits), r.Few}} {
		for _, c := range part.cells {
			text += fmt.Sprintf("| %d | %d | %.0f | %s | %s | %.2f | %.0f s |\n", part.n, c.Level, c.Loglik, percent(c.Wrong1), percent(c.Wrong9), c.Apart, c.CPU)
		}
	}
	if r.Digits > few {
		for _, c := range r.All {
			text += fmt.Sprintf("\n![l = %d, and close-ups](%s)\n", c.Level, b.link(fmt.Sprintf("level-%d.png", c.Level)))
		}
		text += "\nFigures S6 and S7: the maps of all digits, and close-ups of their boxes, with the classes 3, 5 and 8 and the classes 4, 7 and 9.\n"
	}
	return text + fmt.Sprintf("\n![Maps of %d digits](%s)\n\nFigure S8, with l growing from left to right.\n", min(few, r.Digits), b.link("levels-few.png"))
}
