package topk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
)

// Every instruction set agrees with plain Go, for all numbers of keys and alignments, and writes
// only its output.
func TestKernelsAgreeWithTwin(t *testing.T) {
	const canary = -77
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range simd.Levels() {
		for panels := range 17 {
			s := make([]int32, 1+panels*Side)[rng.IntN(2):][:panels*Side]
			for i := range s {
				s[i] = rng.Int32N(1<<31-1) >> rng.IntN(31) * (rng.Int32N(3) - 1)
			}
			bounds := []int32{math.MinInt32, math.MaxInt32, 0}
			if len(s) > 0 {
				bounds = append(bounds, s[rng.IntN(len(s))], slices.Max(s))
			}
			for _, b := range bounds {
				want := make([]int32, len(s))
				n := belowTwin(want, s, b)
				at := slices.Repeat([]int32{canary}, len(s)+2)
				got := belowAt(l, at[1:len(at)-1], s, b)
				if c := countAt(l, s, b); c != n || got != n || !slices.Equal(at[1:n+1], want[:n]) || at[0] != canary || at[len(at)-1] != canary {
					t.Fatalf("%v: bound %d: counted %d, found %d, want %d: %v", l, b, c, got, n, at)
				}
			}
		}
	}
}

// Least finds exactly the elements below its bound; there are enough and not too many, for any
// guess.
func TestLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		panels, n := rapid.IntRange(0, 20).Draw(t, "panels"), rapid.IntRange(1, 330).Draw(t, "n")
		bits := rapid.IntRange(1, 31).Draw(t, "bits")
		s := make([]int32, panels*Side)
		for i := range s {
			s[i] = int32(rng.Uint32()) >> (32 - bits) // of either sign
		}
		r := Range{
			Low:   slices.Min(append(s, math.MaxInt32-1)),
			High:  rapid.Int32().Draw(t, "high"),
			First: rapid.Int32().Draw(t, "first"),
			Step:  rapid.Int32Range(1, math.MaxInt32).Draw(t, "step"),
		}
		r.High = max(r.High, r.Low+1)
		at := make([]int32, len(s))
		found, bound := Least(at, s, n, r)
		want := make([]int32, len(s))
		if c := belowTwin(want, s, bound); c != found || !slices.Equal(at[:found], want[:found]) {
			t.Fatalf("%d below %d, want %d", found, bound, c)
		}
		switch last := countTwin(s, bound-1); {
		case bound > r.High || bound <= r.Low:
			t.Fatalf("a bound of %d between %d and %d", bound, r.Low, r.High)
		case found < n && bound < r.High:
			t.Fatalf("%d below %d, want %d", found, bound, n)
		case found > n+n/8+2 && last >= n:
			t.Fatalf("%d below %d, and %d below one less", found, bound, last)
		}
	})
}

// Ranks are those of a sort, for every instruction set; equal elements have the same one. Only the
// output is written.
func TestRanks(t *testing.T) {
	const canary = -77
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		panels, spread := rapid.IntRange(1, 12).Draw(t, "panels"), rapid.SampledFrom([]int32{3, 100, math.MaxInt32}).Draw(t, "spread")
		s := make([]int32, panels*Side)
		for i := range s {
			s[i] = rng.Int32N(spread) * (rng.Int32N(2)*2 - 1)
		}
		n := rapid.IntRange(1, len(s)).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(s[:n]))
		for _, l := range simd.Levels() {
			rank := slices.Repeat([]int32{canary}, len(s)+2)
			ranksAt(l, rank[1:len(s)+1], s, n)
			for i, v := range s {
				if want, _ := slices.BinarySearch(sorted, v); int(rank[1+i]) != want {
					t.Fatalf("%v: %d of %d is at %d, want %d", l, v, n, rank[1+i], want)
				}
			}
			if rank[0] != canary || rank[len(s)+1] != canary {
				t.Fatalf("%v: wrote beside the ranks", l)
			}
		}
	})
}

// Order is that of a sort, and is refused if elements are equal. Elements after the first n do not
// count.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 3*Side).Draw(t, "n")
		s, at, rank := make([]int32, 3*Side), make([]int32, n), make([]int32, 3*Side)
		for i, v := range rng.Perm(n) {
			s[i] = int32(v)
		}
		if !Order(at, rank, s, n) {
			t.Fatalf("%d different elements have no order", n)
		}
		for want, i := range at {
			if s[i] != int32(want) {
				t.Fatalf("element %d of the order is %d", want, s[i])
			}
		}
		if n > 1 {
			if s[0] = s[n-1]; Order(at, rank, s, n) {
				t.Fatalf("equal elements have an order: %v", s[:n])
			}
		}
	})
}

// Invalid arguments panic before memory outside the slices is read.
func TestPanics(t *testing.T) {
	s := make([]int32, 32)
	for name, call := range map[string]func(){
		"half a panel": func() { Count(s[:8], 0) },
		"short places": func() { Below(make([]int32, 31), s, 0) },
		"short ranks":  func() { Ranks(make([]int32, 31), s, 3) },
		"among none":   func() { Ranks(make([]int32, 32), s, 0) },
		"too many":     func() { Ranks(make([]int32, 32), s, 33) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
	if Count(nil, 0) != 0 || Below(nil, nil, 0) != 0 {
		t.Error("something in nothing")
	}
}
