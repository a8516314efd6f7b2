package farfield

import (
	"fmt"
	"slices"

	"unfold/internal/vec"
)

// newColumns returns columns of n points in d dimensions.
func newColumns(n, d int) Columns {
	c := Columns{Mu: make([][]float64, d), Sigma2: make([]float64, n), Delta2: make([]float64, n)}
	for k := range c.Mu {
		c.Mu[k] = make([]float64, n)
	}
	return c
}

// view makes c share the memory of points from..to of src.
func (c *Columns) view(src *Columns, from, to int) {
	for k, m := range src.Mu {
		c.Mu[k] = m[from:to]
	}
	c.Sigma2, c.Delta2 = src.Sigma2[from:to], src.Delta2[from:to]
}

// extend appends n points with arbitrary values.
func (c *Columns) extend(n int) {
	for k, m := range c.Mu {
		c.Mu[k] = slices.Grow(m, n)[:len(m)+n]
	}
	c.Sigma2 = slices.Grow(c.Sigma2, n)[:len(c.Sigma2)+n]
	c.Delta2 = slices.Grow(c.Delta2, n)[:len(c.Delta2)+n]
}

// clear removes all points and keeps the memory.
func (c *Columns) clear() { c.cut(0) }

// cut keeps the first n points.
func (c *Columns) cut(n int) {
	for k := range c.Mu {
		c.Mu[k] = c.Mu[k][:n]
	}
	c.Sigma2, c.Delta2 = c.Sigma2[:n], c.Delta2[:n]
}

// fill copies the points order[from:to] of a state to c, beginning at position from.
func (c *Columns) fill(mu vec.Matrix[float64], sigma2, delta2 []float64, order []int32, from, to int) {
	for p, i := range order[from:to] {
		p += from
		for k, v := range mu.Row(int(i)) {
			c.Mu[k][p] = v
		}
		c.Sigma2[p], c.Delta2[p] = sigma2[i], delta2[i]
	}
}

func (c *Columns) bytes() int64 {
	values := cap(c.Sigma2) + cap(c.Delta2)
	for _, m := range c.Mu {
		values += cap(m)
	}
	return 8 * int64(values)
}

// check panics if a state has the wrong shape, which is an error of the caller.
func check(n, d int, mu vec.Matrix[float64], sigma2 []float64) {
	if mu.Rows != n || mu.Cols != d || len(sigma2) != n {
		panic(fmt.Sprintf("field: mu %d x %d and %d sigma2 for %d points in %d dimensions", mu.Rows, mu.Cols, len(sigma2), n, d))
	}
}
