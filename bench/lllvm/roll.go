package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"unfold/internal/vec"
	"unfold/models/lllvm"
	"unfold/sparse/knn"
)

// rollPoints and rollSteps are those of the paper's figures.
const (
	rollPoints = 400
	rollSteps  = 50
)

func (b *bench) rollTable() (table, error) {
	t, err := readTable(filepath.Join(b.data, "swissroll", "swiss_roll.csv.gz"), true)
	return t.sample(rollPoints, 1), err
}

// roll is the bound against the number of neighbours.
func roll(ctx context.Context, b *bench) (string, error) {
	t, err := b.rollTable()
	if err != nil {
		return "", err
	}
	if err := t.write(b.file("roll.csv")); err != nil {
		return "", err
	}
	r, err := b.fit(ctx, "roll", "lllvm", "x,y,z", "--keep", "u,v", "--neighbors", "4:12", "--steps", fmt.Sprint(rollSteps))
	if err != nil {
		return "", err
	}
	curve, curveLink := b.figure("roll-bounds.svg")
	mapped, mapLink := b.figure("roll.png")
	if err := errors.Join(
		b.command(ctx, "plot", "--bounds", b.file("roll-lllvm.json"), "-o", curve, "--title", "Swiss roll", "--width", "1200", "--height", "700"),
		b.command(ctx, "plot", b.file("roll-lllvm.csv"), "-o", mapped, "--color", "u", "--uncertainty", "--model", b.file("roll-lllvm.unfold"), "--title", "Swiss roll", "--width", "1200", "--height", "900"),
	); err != nil {
		return "", err
	}
	return fmt.Sprintf(`%d points of a swiss roll, %d iterations, %d starts for each number of neighbours (paper: figure 3, where the mean bound is
highest with 9). Of all starts here the bound is highest with **%d**; that map is shown, coloured by the way along the spiral,
with outlines one standard deviation of the posterior wide.

%s
![bound by neighbours](%s)
![map](%s)
`, rollPoints, rollSteps, b.starts, r.Neighbors, boundTable(r.Model.Runs), curveLink, mapLink), nil
}

// shortcut compares the graph with one that has an edge through the air.
func shortcut(_ context.Context, b *bench) (string, error) {
	t, err := b.rollTable()
	if err != nil {
		return "", err
	}
	x, err := t.numbers("x", "y", "z")
	if err != nil {
		return "", err
	}
	truth, err := t.numbers("u", "v")
	if err != nil {
		return "", err
	}
	const k = 6
	nb, err := knn.Graph(context.Background(), x, k, knn.Settings{})
	if err != nil {
		return "", err
	}
	y := scaled(x)
	i, j := nearButFar(x, truth)
	rows := ""
	wins := 0
	for start := range b.starts {
		var bounds [2]float64
		for with := range 2 {
			lists := listsOf(nb, truth)
			if with == 1 {
				lists[i] = append(lists[i], int32(j))
			}
			if bounds[with], err = boundOf(lists, y, uint64(start)); err != nil {
				return "", err
			}
		}
		if bounds[0] > bounds[1] {
			wins++
		}
		rows += fmt.Sprintf("| %d | %.2f | %.2f | %+.2f |\n", start+1, bounds[0], bounds[1], bounds[0]-bounds[1])
	}
	return fmt.Sprintf(`The same %d points with %d neighbours each, of which those through the air are left out, and one of these edges more: between two points %.2f apart in the data and %.1f apart on the
roll (paper: section 4.1, where the bound prefers the graph without it). After %d iterations the bound preferred the graph without
the edge in %d of %d starts.

| start | without | with | difference |
|---|---|---|---|
%s`, rollPoints, k, distance(x, i, j), distance(truth, i, j), rollSteps, wins, b.starts, rows), nil
}

// boundOf learns from a start and returns the bound.
func boundOf(lists [][]int32, y vec.Matrix[float64], seed uint64) (float64, error) {
	g, err := lllvm.NewGraph(lists, 0)
	if err != nil {
		return 0, err
	}
	m, err := lllvm.NewModel(g, y, lllvm.Settings{})
	if err != nil {
		return 0, err
	}
	h, err := m.Learn(context.Background(), m.Random(seed), lllvm.Course{Steps: rollSteps, Tolerance: -1})
	if err != nil {
		return 0, err
	}
	return h.Bounds[len(h.Bounds)-1], nil
}

// listsOf are the lists of neighbours without those through the air.
func listsOf(nb *knn.Neighbors, truth vec.Matrix[float32]) [][]int32 {
	lists := make([][]int32, nb.N)
	for i := range lists {
		index, _ := nb.Row(i)
		for _, j := range index {
			if !far(truth, i, int(j)) {
				lists[i] = append(lists[i], j)
			}
		}
	}
	return lists
}

// far says whether two points are a third of the roll apart.
func far(truth vec.Matrix[float32], i, j int) bool {
	return math.Abs(float64(truth.Row(i)[0]-truth.Row(j)[0])) >= 33
}

// scaled centres the rows and brings the largest value to 1.
func scaled(x vec.Matrix[float32]) vec.Matrix[float64] {
	y := vec.Convert[float64](x)
	mean, most := make([]float64, y.Cols), 0.0
	for i := range y.Rows {
		vec.Axpy(1/float64(y.Rows), y.Row(i), mean)
	}
	for i := range y.Rows {
		vec.Axpy(-1, mean, y.Row(i))
		for _, v := range y.Row(i) {
			most = max(most, math.Abs(v))
		}
	}
	vec.Scale(1/most, y.Data)
	return y
}

// nearButFar returns the nearest two points of those that are a third of the roll apart.
func nearButFar(x, truth vec.Matrix[float32]) (a, b int) {
	best := math.Inf(1)
	for i := range x.Rows {
		for j := range i {
			if !far(truth, i, j) {
				continue
			}
			if d := distance(x, i, j); d < best {
				best, a, b = d, i, j
			}
		}
	}
	return a, b
}

func distance(x vec.Matrix[float32], i, j int) float64 {
	return math.Sqrt(vec.SquaredDistance(x.Row(i), x.Row(j)))
}

// join lists names for --columns.
func join(names []string) string { return strings.Join(names, ",") }
