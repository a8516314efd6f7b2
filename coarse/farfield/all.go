package farfield

import (
	"unfold/internal/par"
	"unfold/internal/vec"
)

// allRun is the number of targets of a batch of All.
const allRun = 64

// All is the exact field: every point meets every other, n (n-1) pairs.
type All struct {
	n, d   int
	points Columns
	order  []int32
	ones   []float64
	crew   crew
}

// NewAll returns the field of all pairs of len(delta2) points in dims
// dimensions; delta2 are their Delta_i^2.
func NewAll(delta2 []float64, dims int) *All {
	n := len(delta2)
	a := &All{n: n, d: dims, points: newColumns(n, dims), order: identity(n), ones: make([]float64, n)}
	copy(a.points.Delta2, delta2)
	for i := range a.ones {
		a.ones[i] = 1
	}
	a.crew.dims = dims
	return a
}

// identity returns 0, ..., n-1.
func identity(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// Move copies the current state.
func (a *All) Move(threads int, mu vec.Matrix[float64], sigma2 []float64) {
	check(a.n, a.d, mu, sigma2)
	par.Ranges(threads, a.n, 4096, func(_, from, to int) {
		a.points.fill(mu, sigma2, a.points.Delta2, a.order, from, to)
	})
}

// Sweep visits batches of 64 targets in index order, each with all points as sources in that order.
func (a *All) Sweep(threads int, visit func(b *Batch)) {
	a.crew.run(threads, par.Pieces(a.n, allRun), func(w *worker, task int) {
		from := task * allRun
		to := min(a.n, from+allRun)
		b := &w.batch
		b.Points = a.order[from:to]
		b.Targets.view(&a.points, from, to)
		b.Sources.view(&a.points, 0, a.n)
		b.Weight = a.ones
		b.Self = from
		visit(b)
	})
}

// Random reports false.
func (a *All) Random() bool { return false }

// Pairs returns n (n-1).
func (a *All) Pairs() int64 { return int64(a.n) * int64(a.n-1) }

// Bytes returns the memory of a in bytes.
func (a *All) Bytes() int64 {
	return a.points.bytes() + 12*int64(a.n) + a.crew.bytes()
}
