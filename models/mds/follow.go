package mds

import (
	"context"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// rowSteps is the number of steps of majorisation for a row; more change little.
const rowSteps = 3

// follow sets places (n x d) to the positions of all rows. Landmarks have theirs already. The other
// rows start between their nearest landmarks and take steps of majorisation.
func (c *configuration) follow(ctx context.Context, w ways, places vec.Matrix[float64], near int) error {
	marks, n := w.landmarks(), w.rows()
	of := make([]int32, n)
	for i := range of {
		of[i] = -1
	}
	for j, i := range marks {
		of[i] = int32(j)
	}
	const size = 128
	par.Ranges(c.threads, n, size, func(_, from, to int) {
		if ctx.Err() != nil {
			return
		}
		delta, p := vec.New[float64](to-from, c.size()), c.newPoint()
		w.from(from, to, delta)
		closest := newClosest(min(near, c.size()))
		for i := from; i < to; i++ {
			if j := of[i]; j >= 0 {
				c.place(int(j), places.Row(i))
				continue
			}
			if !c.between(p.mu, closest, delta.Row(i-from)) {
				c.descend(p, delta.Row(i-from))
			}
			copy(places.Row(i), p.mu)
		}
	})
	return ctx.Err()
}

// between sets mu to the mean of the nearest landmarks, weighted by 1/delta^2. If a landmark is at
// distance 0, mu is the position of the first such landmark, and final.
func (c *configuration) between(mu []float64, near *closest, delta []float64) (final bool) {
	near.find(delta)
	if near.dist[0] == 0 {
		c.place(int(near.at[0]), mu)
		return true
	}
	clear(mu)
	var sum float64
	for k, j := range near.at {
		// Weights are relative to the first, which is 1, so that none overflows.
		q := near.dist[0] / near.dist[k]
		sum += q * q
		for r, column := range c.columns {
			mu[r] += q * q * column[j]
		}
	}
	vec.Scale(1/sum, mu)
	return false
}

// descend moves p.mu by steps twice as long as those of majorisation. In one dimension it does not
// double them, because that would overshoot the minimum.
func (c *configuration) descend(p *point, delta []float64) {
	stretch := min(2, float64(len(c.columns)))
	for range rowSteps {
		c.move(p, delta, stretch)
		p.mu, p.next = p.next, p.mu
	}
}

// closest has the nearest landmarks of a row, nearest first; ties are in the landmarks' order.
type closest struct {
	at   []int32
	dist []float64
}

func newClosest(k int) *closest { return &closest{make([]int32, k), make([]float64, k)} }

func (n *closest) find(delta []float64) {
	have, k := 0, len(n.at)
	for j, d := range delta {
		if have == k && !(d < n.dist[k-1]) {
			continue
		}
		have = min(have+1, k)
		at := have - 1
		for at > 0 && d < n.dist[at-1] {
			n.dist[at], n.at[at] = n.dist[at-1], n.at[at-1]
			at--
		}
		n.dist[at], n.at[at] = d, int32(j)
	}
}
