package main

import (
	"context"
	"fmt"
	"strconv"

	"unfold/models/classic/lllvm"
)

// shapePoints is the number of points of the larger roll.
const shapePoints = 600

// shapes measures which properties determine how much of the sheet a map of a roll preserves.
func shapes(ctx context.Context, b *bench) (string, error) {
	isomap, err := b.isomapRoll(rollPoints)
	if err != nil {
		return "", err
	}
	paper, more := rollTable(rollPoints), rollTable(shapePoints)
	rows := ""
	for _, c := range []struct {
		about string
		t     table
		steps int
		clean bool
		set   lllvm.Settings
	}{
		{"the roll of the authors' program", paper, rollSteps, false, lllvm.Settings{}},
		{"the same, without short circuits", paper, rollSteps, true, lllvm.Settings{}},
		{"the same, without them, more iterations", paper, 4 * rollSteps, true, lllvm.Settings{}},
		{"the same, without them, `--learn-alpha`", paper, rollSteps, true, lllvm.Settings{LearnAlpha: true}},
		{"more points of that roll, without short circuits", more, rollSteps, true, lllvm.Settings{}},
		{"the Isomap roll", isomap, rollSteps, false, lllvm.Settings{}},
		{"the same, without short circuits", isomap, rollSteps, true, lllvm.Settings{}},
	} {
		x, truth, err := c.t.parts()
		if err != nil {
			return "", err
		}
		lists, err := neighbours(ctx, x, circuitNeighbors)
		if err != nil {
			return "", err
		}
		if c.clean {
			lists = withoutCircuits(lists, x, truth)
		}
		starts, err := learnAll(ctx, lists, scaled(x), fewStarts, c.steps, c.set, byChance)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.about, err)
		}
		top := best(starts)
		k, err := keeps(top.places, truth)
		if err != nil {
			return "", err
		}
		rows += k.row(fmt.Sprintf("%s | %d | %d | %d | %.0f", c.about, x.Rows, c.steps, circuits(lists, x, truth), top.bound), nil)
	}
	return fmt.Sprintf(`%d neighbours each, the highest bound of %d starts. Short circuits are edges between points at least twice as far apart on the
sheet as in space. The roll of the authors' program has one and a quarter turns and is almost half as wide as long; that of
the Isomap data set has one and a half turns and is a quarter as wide. Three figures show how well a map has the places on the sheet, along
the spiral and across: %s.

| data | points | iterations | short circuits | bound |%s|---|---|---|---|---|%s%s`, circuitNeighbors, fewStarts, keptAbout, keptHead("along", "across"), keptRule, rows), nil
}

// keptAbout explains the columns about true places.
var keptAbout = `R^2 of an affine function of the map; R^2 of the mean of the ` + strconv.Itoa(nearPoints) + ` nearest points
on the map; and, of both coordinates together, R^2 of the map after Procrustes (turned, mirrored, shifted, scaled)`

// keptHead returns the headers of these columns.
func keptHead(first, second string) string {
	return fmt.Sprintf(" %s, affine | %s, affine | %s, nearest | %s, nearest | both, turned |\n", first, second, first, second)
}

const keptRule = "---|---|---|---|---|\n"
