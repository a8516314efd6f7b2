package mds

import (
	"context"
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/pairwise"
	"unfold/internal/vec"
)

// configuration has the positions of m landmarks in d dimensions, by columns.
type configuration struct {
	columns [][]float64 // d of length m
	threads int
}

func newConfiguration(places vec.Matrix[float64], threads int) *configuration {
	t := vec.Transpose(places)
	c := &configuration{columns: make([][]float64, t.Rows), threads: threads}
	for k := range c.columns {
		c.columns[k] = t.Row(k)
	}
	return c
}

// size is m.
func (c *configuration) size() int { return len(c.columns[0]) }

// place sets mu (d) to the position of landmark i.
func (c *configuration) place(i int, mu []float64) {
	for k, column := range c.columns {
		mu[k] = column[i]
	}
}

// point is a position that steps move relative to the landmarks, with its workspace.
type point struct {
	mu, next []float64 // d
	sum      []float64 // d+1
	v        []float64 // m
}

func (c *configuration) newPoint() *point {
	d := len(c.columns)
	return &point{make([]float64, d), make([]float64, d), make([]float64, d+1), make([]float64, c.size())}
}

// coincident is the share of a distance below which a landmark and a position are too close for the
// direction between them to be accurate.
const coincident = 1e-6

// move sets p.next to the position after one step from p.mu. delta (m) are the target distances,
// and all landmarks are fixed:
//
//	next = mu + stretch/m sum_j v_j (x_j - mu),   v_j = 1 - delta_j/r_j,  r_j = |mu - x_j|,
//
// It returns the raw stress sum_j (delta_j - r_j)^2 at mu, and sum_j r_j^2. A landmark at mu itself
// does not contribute. With a stretch up to 2, the raw stress at next is not higher.
func (c *configuration) move(p *point, delta []float64, stretch float64) (raw, squares float64) {
	pairwise.Distances(p.v, p.mu, c.columns)
	clear(p.next)
	for j, r2 := range p.v {
		r := math.Sqrt(r2)
		e := r - delta[j]
		raw, squares = raw+e*e, squares+r2
		switch {
		case r > coincident*delta[j]:
			p.v[j] = e / r
		case r > 0:
			// The difference of sums below would be only rounding error.
			p.v[j] = 0
			for k, column := range c.columns {
				p.next[k] += e / r * (column[j] - p.mu[k])
			}
		}
	}
	clear(p.sum)
	pairwise.Gather(p.sum, p.v, c.columns)
	d, share := len(c.columns), stretch/float64(c.size())
	for k, v := range p.mu {
		p.next[k] = v + share*(p.next[k]+(p.sum[k]-v*p.sum[d]))
	}
	return raw, squares
}

// majorise runs steps of SMACOF, which move all landmarks at once, until a step lowers the raw
// stress by less than a share of it. It returns the final stress-1 and the number of steps.
func (c *configuration) majorise(ctx context.Context, delta vec.Matrix[float64], steps int, tolerance float64) (stress float64, taken int, err error) {
	next, last := vec.New[float64](len(c.columns), c.size()), math.Inf(1)
	for ; ; taken++ {
		raw, squares := c.step(ctx, delta, next)
		if err := ctx.Err(); err != nil {
			return 0, taken, err
		}
		if taken == steps || raw == 0 || last-raw < tolerance*last {
			return math.Sqrt(raw / max(squares, math.SmallestNonzeroFloat64)), taken, nil
		}
		for k, column := range c.columns {
			copy(column, next.Row(k))
		}
		last = raw
	}
}

// step sets next (d x m) to the places after a step, and returns the raw stress before it
// and the sum of squared distances, both over ordered pairs.
func (c *configuration) step(ctx context.Context, delta, next vec.Matrix[float64]) (raw, squares float64) {
	const size = 16
	m := c.size()
	sums := vec.New[float64](m, 2)
	par.Ranges(c.threads, m, size, func(_, from, to int) {
		p := c.newPoint()
		for i := from; i < to && ctx.Err() == nil; i++ {
			c.place(i, p.mu)
			row := sums.Row(i)
			row[0], row[1] = c.move(p, delta.Row(i), 1)
			for k, v := range p.next {
				next.Row(k)[i] = v
			}
		}
	})
	for i := range m {
		raw, squares = raw+sums.Row(i)[0], squares+sums.Row(i)[1]
	}
	return raw, squares
}
