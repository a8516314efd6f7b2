package farfield

import (
	"math/rand/v2"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// SharedSettings are the settings of NewShared. The zero value is the default.
type SharedSettings struct {
	// Sources is the number M of source points for a block of targets; default 400.
	Sources int
	// Block is the number of targets that share them; default 64.
	Block int
	// Seed chooses.
	Seed uint64
	// Exact is the number of points below which all pairs are computed; default 2000, negative:
	// never.
	Exact int
}

func (s SharedSettings) withDefaults() SharedSettings {
	if s.Sources <= 0 {
		s.Sources = 400
	}
	if s.Block <= 0 {
		s.Block = 64
	}
	if s.Exact == 0 {
		s.Exact = ExactBelow
	}
	return s
}

// ExactBelow is the number of points below which approximations are not worth their error. With
// 2000 points all pairs take as long as cells.
const ExactBelow = 2000

// Shared gives blocks of random points a random sample of the other points as sources, drawn again
// with every Move. Its sums are correct in expectation.
//
// One random order serves both: consecutive points are a block, and any run outside the block is a
// uniform sample without replacement of the points outside. So a block's sample is a run with a
// random start, and nothing has to be gathered.
type Shared struct {
	n, d     int
	settings SharedSettings
	delta2   []float64
	moves    uint64

	order  []int32
	points Columns // in the random order, its first M points again at the end
	start  []int32 // of each block's sample
	weight []float64
	crew   crew
}

// NewShared returns the field of shared random samples of len(delta2) points in dims dimensions;
// delta2 are their Delta_i^2, kept without a copy. If the sample would have all points, or there
// are fewer than s.Exact, it is All.
func NewShared(delta2 []float64, dims int, s SharedSettings) Field {
	s = s.withDefaults()
	n := len(delta2)
	if s.Sources >= n-s.Block || n < s.Exact {
		return NewAll(delta2, dims)
	}
	f := &Shared{n: n, d: dims, settings: s, delta2: delta2}
	f.order = make([]int32, n)
	f.points = newColumns(n+s.Sources, dims)
	f.start = make([]int32, par.Pieces(n, s.Block))
	f.weight = make([]float64, s.Sources)
	for i := range f.weight {
		f.weight[i] = float64(n-1) / float64(s.Sources)
	}
	f.crew.dims = dims
	return f
}

// Move copies the current state and draws again, from the seed and the number of moves so far.
func (f *Shared) Move(threads int, mu vec.Matrix[float64], sigma2 []float64) {
	check(f.n, f.d, mu, sigma2)
	var pcg rand.PCG
	pcg.Seed(f.settings.Seed, f.moves)
	r := rand.New(&pcg)
	f.moves++
	// This is the inside-out shuffle: order becomes a uniform permutation of 0..n-1.
	for i := range f.order {
		j := r.IntN(i + 1)
		f.order[i] = f.order[j]
		f.order[j] = int32(i)
	}
	m := f.settings.Sources
	for k := range f.start {
		from, to := f.block(k)
		// The run is within the n - (to-from) points that follow the block, wrapping around at the
		// end.
		f.start[k] = int32((to + r.IntN(f.n-(to-from)-m+1)) % f.n)
	}
	par.Ranges(threads, f.n, 4096, func(_, from, to int) {
		f.points.fill(mu, sigma2, f.delta2, f.order, from, to)
	})
	for j := range f.d + 2 {
		c := f.points.column(j)
		copy(c[f.n:], c[:m])
	}
}

// block returns the range of block k's targets in the order.
func (f *Shared) block(k int) (from, to int) {
	from = k * f.settings.Block
	return from, min(f.n, from+f.settings.Block)
}

// Sweep visits the blocks, each with its sample as sources.
func (f *Shared) Sweep(threads int, visit func(b *Batch)) {
	f.crew.run(threads, len(f.start), func(w *worker, k int) {
		from, to := f.block(k)
		b := &w.batch
		b.Points = f.order[from:to]
		b.Targets.view(&f.points, from, to)
		start := int(f.start[k])
		b.Sources.view(&f.points, start, start+f.settings.Sources)
		b.Weight = f.weight
		b.Self = -1
		visit(b)
	})
}

// Random reports true.
func (f *Shared) Random() bool { return true }

// Pairs returns n M.
func (f *Shared) Pairs() int64 { return int64(f.n) * int64(f.settings.Sources) }

// Bytes returns the memory of f in bytes.
func (f *Shared) Bytes() int64 {
	return f.points.bytes() + 4*int64(len(f.order)+len(f.start)) + 8*int64(len(f.weight)) + f.crew.bytes()
}
