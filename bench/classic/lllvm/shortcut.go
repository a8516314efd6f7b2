package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
	"unfold/models/classic/lllvm"
)

// circuitNeighbors is the number of neighbours in the graphs of the roll.
const circuitNeighbors = 8

// shortcut compares the graph with one that contains a short circuit.
func shortcut(ctx context.Context, b *bench) (string, error) {
	x, truth, err := rollTable(rollPoints).parts()
	if err != nil {
		return "", err
	}
	lists, err := neighbours(ctx, x, circuitNeighbors)
	if err != nil {
		return "", err
	}
	lists = withoutCircuits(lists, x, truth)
	i, j := nearButFar(x, truth)
	linked := slices.Clone(lists)
	linked[i] = append(slices.Clone(linked[i]), int32(j))
	y := scaled(x)
	without, errA := learnAll(ctx, lists, y, b.starts, rollSteps, lllvm.Settings{}, byChance)
	with, errB := learnAll(ctx, linked, y, b.starts, rollSteps, lllvm.Settings{}, byChance)
	if err := errors.Join(errA, errB); err != nil {
		return "", err
	}
	stay, errA := learnAll(ctx, lists, y, b.starts, rollSteps, lllvm.Settings{}, from(without))
	join, errB := learnAll(ctx, linked, y, b.starts, rollSteps, lllvm.Settings{}, from(without))
	if err := errors.Join(errA, errB); err != nil {
		return "", err
	}
	rows, wins, later, shown := "", 0, 0, 0
	for start := range without {
		difference, on := without[start].bound-with[start].bound, stay[start].bound-join[start].bound
		if difference > 0 {
			wins++
		}
		if on > 0 {
			later++
		}
		if without[start].bound > without[shown].bound {
			shown = start
		}
		rows += fmt.Sprintf("| %d | %.1f | %.1f | %+.1f | %.1f | %.1f | %+.1f |\n", start+1, without[start].bound, with[start].bound, difference,
			stay[start].bound, join[start].bound, on)
	}
	picture, link := b.figure("shortcut.png")
	colour := sheet.Step(column(truth, 0))
	if err := sheet.Panels(picture, sheet.Figure{Across: 2, Colours: sheet.Ramp}, []sheet.Panel{
		rolled(x, colour, i, j), flat(truth, colour, i, j), flat(without[shown].places, colour, i, j), flat(with[shown].places, colour, i, j),
	}); err != nil {
		return "", err
	}
	return fmt.Sprintf(`The same %d points with %d neighbours each, without edges that are short circuits: those between points at least twice as far
apart on the sheet as in space. One such edge is added: between two points %.2f apart in space and %.1f on the sheet (paper: figure 4 and
section 4.1, where the bound prefers the graph without it). After %d iterations from the same random start the bound preferred the
graph without the edge in **%d of %d** starts; the highest bound of all starts is %s it. Starts differ by more than the edge does.
So each map without the edge is then learnt for as many further iterations, on both graphs: then the bound preferred the graph
without it in **%d of %d**.

| start | without | with | difference | on without | on with | difference |
|---|---|---|---|---|---|---|
%s
The two points on the roll and on the sheet (above), and on the maps without and with the edge (below), of the start whose bound is highest
without it:

![the roll, the sheet, the map without and the map with the edge](%s)
`, rollPoints, circuitNeighbors, distance(x, i, j), distance(truth, i, j), rollSteps, wins, b.starts,
		map[bool]string{true: "without", false: "with"}[best(without).bound > best(with).bound], later, b.starts, rows, link), nil
}

// nearButFar returns the nearest two points that are at least a third of the sheet's length apart.
// An edge between them is a short circuit.
func nearButFar(x, truth vec.Matrix[float32]) (a, b int) {
	along := column(truth, 0)
	closest, third := math.Inf(1), (slices.Max(along)-slices.Min(along))/3
	for i := range x.Rows {
		for j := range i {
			if d := distance(x, i, j); d < closest && distance(truth, i, j) >= third && circuit(x, truth, i, j) {
				closest, a, b = d, i, j
			}
		}
	}
	return a, b
}
