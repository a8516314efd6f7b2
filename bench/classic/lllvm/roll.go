package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
	"unfold/models/snapshot"
)

// rollPoints, rollSteps and rollRange are from the paper's figures 3 and 4. The numbers of
// neighbours begin one lower, see authors.
const (
	rollPoints = 400
	rollSteps  = 50
	rollRange  = "5:10"
)

// authors has the settings that only the authors' program shows.
const authors = `The authors' program (github.com/mijungi/lllvm, footnote 4 of the paper) counts a point as its own first neighbour:
the paper's %d neighbours are %d others, as counted on this page.
`

// rollTable returns a roll as in the authors' program: random angles t from 1.25 pi to 3.75 pi, at
// the distance 0.35 t from the axis, and random heights up to 10. On the sheet, u is the length
// along the spiral and v the height.
func rollTable(points int) table {
	const pitch, height = 0.35, 10
	rnd := rand.New(rand.NewPCG(5, 1))
	t := table{names: []string{"x", "y", "z", "u", "v"}, rows: make([][]string, points)}
	for i := range t.rows {
		angle, h := 1.25*math.Pi*(1+2*rnd.Float64()), height*rnd.Float64()
		along := pitch / 2 * (angle*math.Hypot(1, angle) + math.Asinh(angle))
		for _, v := range []float64{pitch * angle * math.Cos(angle), h, pitch * angle * math.Sin(angle), along, h} {
			t.rows[i] = append(t.rows[i], strconv.FormatFloat(v, 'g', 8, 64))
		}
	}
	return t
}

// isomapRoll is a sample of the roll of the Isomap data set.
func (b *bench) isomapRoll(points int) (table, error) {
	t, err := readTable(filepath.Join(b.data, "swissroll", "swiss_roll.csv.gz"), true)
	return t.sample(points, 1), err
}

// parts returns the points of a roll and their places on the sheet.
func (t table) parts() (x, truth vec.Matrix[float32], err error) {
	x, errX := t.numbers("x", "y", "z")
	truth, errT := t.numbers("u", "v")
	return x, truth, errors.Join(errX, errT)
}

// roll compares the bound for different numbers of neighbours, and draws the map of the best.
func roll(ctx context.Context, b *bench) (string, error) {
	t := rollTable(rollPoints)
	if err := t.write(b.file("roll.csv")); err != nil {
		return "", err
	}
	r, err := b.fit(ctx, "roll", "lllvm", "x,y,z", "--keep", "u,v", "--neighbors", rollRange, "--steps", fmt.Sprint(rollSteps))
	if err != nil {
		return "", err
	}
	x, truth, err := t.parts()
	if err != nil {
		return "", err
	}
	places, err := b.places("roll", "lllvm")
	if err != nil {
		return "", err
	}
	s, err := snapshot.ReadFile(b.file("roll-lllvm.unfold"))
	if err != nil {
		return "", err
	}
	maps, err := snapshot.PartOf[float64](s, "mu_c", 2*x.Rows, x.Cols)
	if err != nil {
		return "", err
	}
	curve, curveLink := b.figure("roll-bounds.svg")
	drawn, drawnLink := b.figure("roll.png")
	sure, sureLink := b.figure("roll-sure.png")
	if err := errors.Join(
		b.command(ctx, "plot", "--bounds", b.file("roll-lllvm.json"), "-o", curve, "--title", "Swiss roll", "--width", "900", "--height", "560"),
		sheet.Panels(drawn, sheet.Figure{Across: 2, Colours: sheet.Ramp}, rollPanels(x, truth, places, vec.Of(2*x.Rows, x.Cols, maps))),
		b.plot(ctx, sure, "roll-lllvm", "Swiss roll", "--color", "u", "--uncertainty", "--model", b.file("roll-lllvm.unfold")),
	); err != nil {
		return "", err
	}
	k, err := keeps(places, truth)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`%d points of the Swiss roll of the authors' program, %d iterations, %d starts for each number of neighbours (paper: figure
3, where the mean bound is highest with 9). The mean is highest with **%d** neighbours; the start with the highest bound has %d.
`+authors+`
%s
![bound by neighbours](%s)

The roll and its sheet (above), and the posterior means of the linear maps (squares) and of the places (below), of the start with the highest
bound, coloured by the way along the spiral:

![the roll, the sheet, the linear maps, the map](%s)

An affine function of the map explains %.2f of the variance of the way along the spiral, and %.2f of that across. The next section explains why. The same map, with outlines one standard deviation of the posterior wide:

![map](%s)
`, rollPoints, rollSteps, b.starts, bestMean(r.Model.Runs), r.Neighbors, 9, 8, boundTable(r.Model.Runs), curveLink, drawnLink, k.Affine[0], k.Affine[1], sureLink), nil
}
