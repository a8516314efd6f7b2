package ingest

import (
	"fmt"
	"math"
	"strconv"

	"unfold/internal/vec"
)

// Dominant is a column that contributes nearly all of the squared distance between vectors, so that
// it alone determines the neighbours.
type Dominant struct {
	Column string `json:"column"`
	// Share is its share of the mean squared distance, above DominantShare.
	Share float64 `json:"share"`
}

// DominantShare is the share of squared distance above which one of more than two columns
// dominates.
const DominantShare = 0.95

// String describes the consequence and advises what to do.
func (d Dominant) String() string {
	// A share below 1 must not be printed as 100 %.
	share := math.Min(100*d.Share, 99.9)
	return fmt.Sprintf("column %q carries %.3g %% of all squared distance, so that the others hardly count: standardize the columns, or take the logarithm of this one (%s:log1p)",
		d.Column, share, d.Column)
}

// FindDominant searches for a dominant column among the elements of at most 2,000 vectors, evenly
// spaced. names are the encoder's names of the elements; nil numbers them from 0. Missing values do
// not count.
func FindDominant(x vec.Matrix[float32], names []string) (Dominant, bool) {
	if x.Cols < 3 || x.Rows < 2 {
		return Dominant{}, false
	}
	const sample = 2_000
	step := max(1, x.Rows/sample)
	m := make([]moments, x.Cols)
	for i := 0; i < x.Rows; i += step {
		for k, v := range x.Row(i) {
			m[k].add(float64(v))
		}
	}
	total, most, top := 0.0, 0.0, 0
	for k := range m {
		if m[k].n == 0 {
			continue
		}
		v := m[k].variance()
		total += v
		if v > most {
			most, top = v, k
		}
	}
	if !(most > DominantShare*total) {
		return Dominant{}, false
	}
	name := "element " + strconv.Itoa(top)
	if top < len(names) {
		name = names[top]
	}
	return Dominant{name, most / total}, true
}
