package fit

import (
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
)

// watched is the largest number of points that collapsed checks, evenly spaced.
const watched = 4096

// collapsed returns an error if distinct points share so few places that the map is useless: at
// most half as many places as points.
func collapsed(fit *Learnt) error {
	n := fit.Mu.Rows
	count := min(n, watched)
	at := make([]int, count)
	for k := range at {
		at[k] = k * n / count
	}
	places, _, _ := graph.Collapse(vec.Convert[float32](vec.Take(fit.Mu, at)))
	if 2*len(places) > count {
		return nil
	}
	unlearnt := 0
	for _, u := range fit.Unlearnt {
		if u {
			unlearnt++
		}
	}
	if parts := fit.Report.Components; unlearnt > 0 && parts > 1 {
		return models.BadInputf("the neighbour graph falls into %d parts, and the %d of %d points outside of the largest have no places of their own: connect the parts (components connect), or take more neighbors", parts, unlearnt, n)
	}
	return models.BadInputf("the map has collapsed: of %d distinct points no more than %d have places of their own; give more rows, take fewer neighbors or other dims, or scale or standardize the columns", count, len(places))
}
