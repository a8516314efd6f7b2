package main

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"unfold/models/classic/lllvm"
)

// byNeighbors are the final bounds of starts with the same number of neighbours.
type byNeighbors struct {
	neighbors int
	bounds    []float64
}

func grouped(runs []lllvm.Run) (of []byNeighbors) {
	for _, run := range runs {
		at := slices.IndexFunc(of, func(g byNeighbors) bool { return g.neighbors == run.Neighbors })
		if at < 0 {
			at = len(of)
			of = append(of, byNeighbors{neighbors: run.Neighbors})
		}
		of[at].bounds = append(of[at].bounds, run.Bound)
	}
	return of
}

// boundTable has a line per number of neighbours: the mean bound of its starts, their standard
// deviation and the highest.
func boundTable(runs []lllvm.Run) string {
	rows := "| neighbours | mean bound | standard deviation | highest |\n|---|---|---|---|\n"
	for _, g := range grouped(runs) {
		mean, deviation := stat.MeanStdDev(g.bounds, nil)
		if len(g.bounds) == 1 {
			deviation = 0
		}
		rows += fmt.Sprintf("| %d | %.1f | %.1f | %.1f |\n", g.neighbors, mean, deviation, slices.Max(g.bounds))
	}
	return rows
}

// bestMean returns the number of neighbours with the highest mean bound.
func bestMean(runs []lllvm.Run) int {
	return slices.MaxFunc(grouped(runs), func(a, b byNeighbors) int {
		return cmp.Compare(stat.Mean(a.bounds, nil), stat.Mean(b.bounds, nil))
	}).neighbors
}
