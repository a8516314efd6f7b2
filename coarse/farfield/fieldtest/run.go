package fieldtest

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
)

// Traits of an implementation.
type Traits struct {
	// Whole is true if sources represent all points, not a sample: their weighted means equal the
	// means of all other points.
	Whole bool
	// Sizes and Dims are the numbers of points and dimensions to test; nil means a choice from 1 to
	// 701 points and 1 to 5 dimensions.
	Sizes, Dims []int
	// Bytes is the maximum memory per point on a large map; 0 skips the check.
	Bytes int64
}

// Run checks the fields that create returns. Every point is a target once, with the right state.
// Weights sum to n-1, and Self is right. Sweeps have the same bits for any number of threads. Pairs
// counts correctly, nothing is infinite, Work keeps its contents, and memory is O(n).
func Run(t *testing.T, traits Traits, create func(delta2 []float64, dims int) farfield.Field) {
	sizes, dims := traits.Sizes, traits.Dims
	if sizes == nil {
		sizes = []int{1, 2, 3, 10, 65, 200, 701}
	}
	if dims == nil {
		dims = []int{1, 2, 3, 5}
	}
	for name, layout := range Layouts {
		for _, n := range sizes {
			d := dims[n%len(dims)]
			t.Run(fmt.Sprintf("%s/n=%d,d=%d", name, n, d), func(t *testing.T) {
				check(t, layout(n, d, uint64(n)), layout(n, d, uint64(n+1)), traits, create)
			})
		}
	}
	t.Run("Work", func(t *testing.T) { work(t, create) })
	t.Run("Allocations", func(t *testing.T) { allocations(t, create) })
	if traits.Bytes > 0 {
		t.Run("Memory", func(t *testing.T) { memory(t, traits.Bytes, create) })
	}
}

// shown is the result of one sweep.
type shown struct {
	forces vec.Matrix[float64]
	pairs  int64
	print  []uint64 // hash of all sources, for every target
}

// check moves fields to one state and then, with the same Delta2, to another.
func check(t *testing.T, s, next *State, traits Traits, create func([]float64, int) farfield.Field) {
	next.Delta2 = s.Delta2
	f := create(s.Delta2, s.Dims())
	f.Move(1, s.Mu, s.Sigma2)
	first := sweep(t, f, s, 1, traits)
	again := create(s.Delta2, s.Dims())
	again.Move(7, s.Mu, s.Sigma2)
	for _, threads := range []int{2, 7} {
		same(t, fmt.Sprintf("another sweep on %d threads", threads), first, sweep(t, f, s, threads, traits))
	}
	same(t, "a move on 7 threads", first, sweep(t, again, s, 1, traits))
	f.Move(2, next.Mu, next.Sigma2)
	second := sweep(t, f, next, 2, traits)
	again.Move(1, next.Mu, next.Sigma2)
	same(t, "the second move on one thread", second, sweep(t, again, next, 1, traits))
	if b := f.Bytes(); b < 8*int64(s.N()*(s.Dims()+1)) {
		t.Errorf("%d bytes for %d points in %d dimensions", b, s.N(), s.Dims())
	}
}

// same fails unless two sweeps have the same bits.
func same(t *testing.T, what string, a, b shown) {
	t.Helper()
	if a.pairs != b.pairs || !slices.Equal(a.print, b.print) || !slices.Equal(a.forces.Data, b.forces.Data) {
		t.Errorf("%s shows other batches", what)
	}
}

// sweep checks all batches of a sweep against the state.
func sweep(t *testing.T, f farfield.Field, s *State, threads int, traits Traits) shown {
	t.Helper()
	n, d := s.N(), s.Dims()
	out := shown{forces: vec.New[float64](n, d), print: make([]uint64, n)}
	seen := make([]int, n)
	whole := sums(s)
	var mu sync.Mutex
	f.Sweep(threads, func(b *farfield.Batch) {
		Force(b, d, out.forces)
		p := print(b)
		mu.Lock()
		defer mu.Unlock()
		m := len(b.Weight)
		if len(b.Sources.Sigma2) != m || len(b.Sources.Delta2) != m || len(b.Targets.Sigma2) != len(b.Points) || len(b.Targets.Delta2) != len(b.Points) {
			t.Fatal("columns of unequal length")
		}
		for q, i := range b.Points {
			seen[i]++
			out.print[i] = p + uint64(q)
			out.pairs += int64(m)
			if b.Self >= 0 {
				out.pairs--
			}
		}
		batch(t, b, s, whole, traits)
	})
	for i, times := range seen {
		if times != 1 {
			t.Fatalf("point %d is a target %d times", i, times)
		}
	}
	if p := f.Pairs(); p != out.pairs {
		t.Errorf("%d pairs, but Pairs is %d", out.pairs, p)
	}
	for i, x := range out.forces.Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("the force on point %d is %v", i/d, x)
		}
	}
	return out
}

// sums returns the sums of all points' coordinates, sigma^2 and Delta^2.
func sums(s *State) []float64 {
	out := make([]float64, s.Dims()+2)
	for i := range s.N() {
		for k, x := range append(slices.Clone(s.Mu.Row(i)), s.Sigma2[i], s.Delta2[i]) {
			out[k] += x
		}
	}
	return out
}

// batch checks the sources of a batch's targets.
func batch(t *testing.T, b *farfield.Batch, s *State, whole []float64, traits Traits) {
	t.Helper()
	n, d := s.N(), s.Dims()
	targets := append(slices.Clone(b.Targets.Mu), b.Targets.Sigma2, b.Targets.Delta2)
	sources := append(slices.Clone(b.Sources.Mu), b.Sources.Sigma2, b.Sources.Delta2)
	for q, i := range b.Points {
		self := b.Self + q
		for k, x := range append(slices.Clone(s.Mu.Row(int(i))), s.Sigma2[i], s.Delta2[i]) {
			if y := targets[k][q]; y != x {
				t.Fatalf("point %d has %v as component %d, want %v", i, y, k, x)
			}
			if b.Self >= 0 && (sources[k][self] != x || b.Weight[self] != 1) {
				t.Fatalf("source %d is not point %d", self, i)
			}
		}
	}
	points := n - 1
	if b.Self >= 0 {
		points = n // a target is one of the sources
	}
	var sum float64
	for _, w := range b.Weight {
		if !(w > 0) {
			t.Fatalf("weight %v", w)
		}
		sum += w
	}
	if math.Abs(sum-float64(points)) > 1e-9*float64(n) {
		t.Fatalf("the sources of point %d stand for %v points, want %d", b.Points[0], sum, points)
	}
	for k, column := range sources {
		var sum, size float64
		for j, w := range b.Weight {
			if k >= d && column[j] <= 0 {
				t.Fatalf("a source of point %d has %v as component %d", b.Points[0], column[j], k)
			}
			sum += w * column[j]
			size += w * math.Abs(column[j])
		}
		if traits.Whole && math.Abs(sum-whole[k]) > 1e-9*size {
			t.Fatalf("component %d sums to %v over the sources of point %d, to %v over the points", k, sum, b.Points[0], whole[k])
		}
	}
}

// print returns a hash of a batch: FNV over all values.
func print(b *farfield.Batch) uint64 {
	h := uint64(14695981039346656037)
	add := func(x uint64) { h = (h ^ x) * 1099511628211 }
	for _, c := range append(slices.Clone(b.Sources.Mu), b.Sources.Sigma2, b.Sources.Delta2, b.Weight) {
		for _, x := range c {
			add(math.Float64bits(x))
		}
	}
	add(uint64(b.Self))
	return h
}
