package knn

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

// The bound of pack.go is valid: the computed value of a pair is never below the threshold for its
// own distance, so no true neighbour is lost. It is also tight: within a few times the bound.
func TestBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		dim := rapid.SampledFrom([]int{1, 2, 31, 32, 33, 100, 800}).Draw(t, "dim")
		spread := rapid.SampledFrom([]float64{1e-12, 1e-4, 1, 1e4}).Draw(t, "spread")
		unit := rapid.SampledFrom([]float64{1e-140, 1e-30, 1, 1e140}).Draw(t, "unit")
		same := rapid.Bool().Draw(t, "same signs")         // errors of one sign add up
		falls := rapid.Bool().Draw(t, "falling variances") // so that a prefix exists
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x := vec.New[float64](n, dim)
		for i := range n {
			for k := range x.Row(i) {
				v := rng.NormFloat64()
				if same {
					v = math.Abs(v)
				}
				x.Row(i)[k] = unit * (float64(i%3) + spread*v)
				if falls {
					x.Row(i)[k] /= float64(1 + k)
				}
			}
		}
		p := pack(x, nil, 1)
		if falls && dim >= 31 && p.Prefix == 0 {
			t.Fatalf("no prefix of %d falling variances", dim)
		}
		for _, p.level = range simd.Levels() {
			checkBound(t, x, p)
			checkLowerBounds(t, x, p)
			checkAlone(t, x, p, rapid.IntRange(0, n-1).Draw(t, "alone"))
		}
	})
}

func checkBound(t *rapid.T, x vec.Matrix[float64], p *packed) {
	mask := make([]uint64, p.Count())
	least := make([]float32, p.Count()*tile.Width)
	// passes reports whether a pair of i reaches the threshold.
	passes := func(i, j int) bool { return mask[j/tile.Width]>>(j%tile.Width)&1 == 1 }
	scan := func(i int) {
		tile.ScanRow(p.level, mask, p.Panels, i, float32(math.Inf(1)), p.Panels, 0, p.Count(), least)
	}
	for i := range x.Rows {
		d2 := func(j int) float64 { return vec.SquaredDistance(x.Row(i), x.Row(j)) }
		for j := range x.Rows {
			least[j] = p.threshold(d2(j))
		}
		scan(i)
		for j := range x.Rows {
			if !passes(i, j) {
				t.Fatalf("%v: pair (%d,%d) at squared distance %v does not reach its threshold %v", p.level, i, j, d2(j), least[j])
			}
			slack := 8 * (float64(x.Cols) + 8) / (1 << 24) * (norm(p, x.Row(i)) + norm(p, x.Row(j)) + 1e-20)
			least[j] = math.Nextafter32(float32(slack-d2(j)*p.scale*p.scale/2), 1)
		}
		scan(i)
		for j := range x.Rows {
			if passes(i, j) {
				t.Fatalf("%v: pair (%d,%d): q exceeds -d2/2 by more than allowed, and reaches %v", p.level, i, j, least[j])
			}
		}
	}
}

// checkLowerBounds checks every pair: its lower bound is within the threshold of its distance, and
// at most a few times the bound below that.
func checkLowerBounds(t *rapid.T, x vec.Matrix[float64], p *packed) {
	c := newNearby(p.Count(), tile.Height)
	c.begin(0, p.Count())
	for i := range x.Rows {
		alone := i%tile.Height == 3
		switch {
		case alone:
			c.compare(p, p.Panels, i, true, 0, 0, p.Count())
		case i%tile.Height == 0 || i%tile.Height == 4:
			c.compare(p, p.Panels, i/tile.Height*tile.Height, false, 0, 0, p.Count())
		}
		line := c.of(i % tile.Height)
		if alone {
			line = c.of(0)
		}
		for j, cost := range line {
			if j >= x.Rows {
				if cost != furthest {
					t.Fatalf("%v: place %d of %d costs %x", p.level, j, x.Rows, cost)
				}
				continue
			}
			d2 := vec.SquaredDistance(x.Row(i), x.Row(j))
			got, limit := math.Float32frombits(uint32(cost)), -p.threshold(d2)
			slack := 8 * (float64(x.Cols) + 8) / (1 << 24) * (norm(p, x.Row(i)) + norm(p, x.Row(j)) + 1e-20)
			if got > limit || float64(got) < d2*p.scale*p.scale/2-slack {
				t.Fatalf("%v: pair (%d,%d) costs %v, at most %v and at least %v less were right", p.level, i, j, got, limit, slack)
			}
		}
	}
}

// checkAlone checks the first part of checkBound for the pairs of row i, when no other pair of the
// block has a threshold to reach, so that Scan decides after the prefix.
func checkAlone(t *rapid.T, x vec.Matrix[float64], p *packed, i int) {
	mask := make([]uint64, p.Count())
	least := make([]float32, p.Count()*tile.Width)
	for j := range x.Rows {
		for c := range least {
			least[c] = float32(math.Inf(1))
		}
		d2 := vec.SquaredDistance(x.Row(i), x.Row(j))
		least[j] = p.threshold(d2)
		tile.ScanRow(p.level, mask, p.Panels, i, float32(math.Inf(1)), p.Panels, 0, p.Count(), least)
		if mask[j/tile.Width]>>(j%tile.Width)&1 == 0 {
			t.Fatalf("%v: pair (%d,%d) at squared distance %v, alone, does not reach its threshold %v", p.level, i, j, d2, least[j])
		}
	}
}

func norm(p *packed, row []float64) (s float64) {
	for k, v := range row {
		z := (v - p.centre[k]) * p.scale
		s += z * z
	}
	return s
}

// Values outside the range of float32 or of the bound pass every threshold.
func TestLoadOutOfRange(t *testing.T) {
	x := vec.Of(2, 1, []float64{0, 1})
	p := pack(x, nil, 1)
	dst := []float32{7}
	if start, _ := load(p, dst, []float64{1e40}); start != math.MaxFloat32 || dst[0] != 0 {
		t.Fatalf("a row far out is loaded as %v with start %v", dst, start)
	}
	if start, _ := load(p, dst, []float64{1}); start > 1 {
		t.Fatalf("a row of the set has start %v", start)
	}
}

func TestBlockPairs(t *testing.T) {
	for blocks := range 12 {
		seen := map[[2]int]int{}
		for _, p := range blockPairs(blocks) {
			seen[[2]int{min(p[0], p[1]), max(p[0], p[1])}]++
		}
		for a := range blocks {
			for b := a; b < blocks; b++ {
				if seen[[2]int{a, b}] != 1 {
					t.Fatalf("%d blocks: pair (%d,%d) %d times", blocks, a, b, seen[[2]int{a, b}])
				}
			}
		}
		if len(seen) != blocks*(blocks+1)/2 {
			t.Fatalf("%d blocks: %d pairs", blocks, len(seen))
		}
	}
}
