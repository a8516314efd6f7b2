package main

import (
	"fmt"
	"math"

	"unfold/models/lllvm"
)

// boundTable has a line for each number of neighbours: the bounds that its starts ended with,
// their mean, their standard deviation and the highest.
func boundTable(runs []lllvm.Run) string {
	bounds := map[int][]float64{}
	var order []int
	for _, run := range runs {
		if bounds[run.Neighbors] == nil {
			order = append(order, run.Neighbors)
		}
		bounds[run.Neighbors] = append(bounds[run.Neighbors], run.Bound)
	}
	rows := "| neighbours | mean bound | standard deviation | highest |\n|---|---|---|---|\n"
	for _, k := range order {
		mean, deviation, highest := moments(bounds[k])
		rows += fmt.Sprintf("| %d | %.1f | %.1f | %.1f |\n", k, mean, deviation, highest)
	}
	return rows
}

// moments are the mean of values, their standard deviation, 0 of one value, and the highest.
func moments(v []float64) (mean, deviation, highest float64) {
	highest = math.Inf(-1)
	for _, x := range v {
		mean += x / float64(len(v))
		highest = max(highest, x)
	}
	for _, x := range v {
		deviation += (x - mean) * (x - mean) / float64(max(len(v)-1, 1))
	}
	return mean, math.Sqrt(deviation), highest
}
