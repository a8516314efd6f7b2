package fit

import (
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/projection"
)

// leastVariance is the least variance, relative to that of the first component, of a component that
// is more than rounding. Some kinds would treat rounding as data.
const leastVariance = 1e-10

// fewDims is the largest number of dimensions that Fits accepts for any data: even a line can be
// unfolded in several. Kinds may be stricter.
const fewDims = 32

// Fits returns an error if vectors of the given numbers of rows and elements cannot have a map of
// the dimensions of the spec, which must be resolved. n points span n - 1 dimensions. A model sees
// a vector's elements or its principal components.
func (s Spec) Fits(rows, dim int) error {
	dims, seen, of := s.MapDims(), dim, "elements"
	if s.PCA > 0 {
		seen, of = s.PCA, "principal components (pca)"
	}
	switch {
	case dims <= fewDims:
		return nil
	case dims > seen:
		return models.BadInputf("dims is %d, but a vector has %d %s: a map of it has at most as many dimensions; fewer, such as 2 or 10, say more", dims, seen, of)
	case dims > rows-1:
		return models.BadInputf("dims is %d, but there are %d rows, which span at most %d dimensions: give more rows, or take fewer dims", dims, rows, max(rows-1, 0))
	}
	return nil
}

// constant lists the columns of x whose values are all the same.
func constant(x vec.Matrix[float32]) (columns []int) {
	if x.Rows == 0 {
		return nil
	}
	varies := make([]bool, x.Cols)
	for i := 1; i < x.Rows; i++ {
		for j, v := range x.Row(i) {
			if v != x.Row(0)[j] {
				varies[j] = true
			}
		}
	}
	for j, v := range varies {
		if !v {
			columns = append(columns, j)
		}
	}
	return columns
}

// vary leaves out the constant columns of x. It leaves rows that are all equal, or that have
// missing values, to the kind.
func (r *Result) vary(x vec.Matrix[float32], spec Spec) (*projection.Projection, vec.Matrix[float32], error) {
	all := projection.None(x.Cols)
	if slices.ContainsFunc(x.Data, func(v float32) bool { return v-v != 0 }) {
		return all, x, nil
	}
	out := constant(x)
	kept := x.Cols - len(out)
	if len(out) == 0 || kept == 0 {
		return all, x, nil
	}
	dims := spec.MapDims()
	if kept < dims {
		return nil, x, models.BadInputf("%d of %d columns are the same in all rows, and %d are too few for a map of %d dimensions: give other columns, or take fewer dims", len(out), x.Cols, kept, dims)
	}
	r.Constant = out
	p, z := projection.Select(x, out)
	return p, z, nil
}
