package student

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// edges returns random edges to a map of d dimensions.
func edges(n, d int, r *rand.Rand) []Edge {
	out := make([]Edge, n)
	for k := range out {
		out[k] = Edge{Mu: make([]float64, d), Sigma2: r.Float64(), Delta2: 0.1 + r.Float64(), S: float64(1 + r.IntN(3))}
		for c := range out[k].Mu {
			out[k].Mu[c] = 3 * r.NormFloat64()
		}
	}
	return out
}

// TestMedian compares weighted medians with plain medians of repeated values.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := rapid.IntRange(1, 4).Draw(t, "d")
		e := edges(rapid.IntRange(1, 50).Draw(t, "n"), d, r)
		if rapid.Bool().Draw(t, "without the first") && len(e) > 1 {
			e[0].S = 0
		}
		if rapid.Bool().Draw(t, "ties") {
			for _, x := range e {
				for c, v := range x.Mu {
					x.Mu[c] = math.Round(v / 2)
				}
			}
		}
		want := make([]float64, d)
		for c := range want {
			var all []float64
			for _, x := range e {
				all = append(all, slices.Repeat([]float64{x.Mu[c]}, int(x.S))...)
			}
			slices.Sort(all)
			want[c] = all[(len(all)-1)/2] + (all[len(all)/2]-all[(len(all)-1)/2])/2
		}
		got := make([]float64, d)
		Median(got, make([]float64, 2*len(e)), e)
		if !slices.Equal(got, want) {
			t.Fatalf("median %v, want %v", got, want)
		}
	})
}

// For any weights, at most half of the weight lies on either side of the median, up to rounding.
func TestMedianOfWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		e := edges(rapid.IntRange(1, 100).Draw(t, "n"), 1, r)
		var total, below, above float64
		for k := range e {
			e[k].S = math.Pow(float64(k+1), -0.7)
			total += e[k].S
		}
		at := []float64{math.NaN()}
		Median(at, make([]float64, 2*len(e)), e)
		for _, x := range e {
			switch {
			case x.Mu[0] < at[0]:
				below += x.S
			case x.Mu[0] > at[0]:
				above += x.S
			}
		}
		if most := total / 2 * (1 + 1e-12); !(below <= most && above <= most) {
			t.Fatalf("median %v with %v below and %v above, of %v", at[0], below, above, total)
		}
	})
}

// A step in the plane equals, to the bit, a step in a space whose third coordinate is 0.
func TestPlaceOnThePlane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		e := edges(rapid.IntRange(1, 30).Draw(t, "n"), 3, r)
		flat := slices.Clone(e)
		for k := range e {
			e[k].Mu[2] = 0
			flat[k].Mu = e[k].Mu[:2]
		}
		want := []float64{r.NormFloat64(), r.NormFloat64(), 0}
		got := slices.Clone(want[:2])
		steps := rapid.IntRange(1, 5).Draw(t, "steps")
		Place(want, make([]float64, 3), e, 0.1, 1, steps)
		Place(got, make([]float64, 2), flat, 0.1, 1, steps)
		if !slices.Equal(got, want[:2]) {
			t.Fatalf("on the plane %v, in space %v", got, want)
		}
	})
}

// TestPlaceRaisesTheScore: no step of Place lowers the score of the new point's edges, sum S log
// P(c=1). Nor does a step of its variance.
func TestPlaceRaisesTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d, tail := rapid.IntRange(1, 4).Draw(t, "d"), rapid.SampledFrom([]float64{.5, 1, 2, 5}).Draw(t, "a")
		e := edges(rapid.IntRange(1, 9).Draw(t, "n"), d, r)
		mu, work, sigma2 := make([]float64, d), make([]float64, d), 0.1
		Median(mu, make([]float64, 2*len(e)), e)
		score := func() (sum float64) {
			for _, x := range e {
				sum += x.S * Pair{Scale2: x.Delta2, Sigma2I: sigma2, Sigma2J: x.Sigma2, Dist2: vec.SquaredDistance(mu, x.Mu), Dims: d, Tail: tail}.LogProb()
			}
			return sum
		}
		last := score()
		check := func(what string) {
			now := score()
			if !(now >= last-1e-10*math.Abs(last)) {
				t.Fatalf("%s: the score falls from %v to %v", what, last, now)
			}
			last = now
		}
		for range 10 {
			Place(mu, work, e, sigma2, tail, 1)
			check("place")
			sigma2 = PlaceSigma2(mu, e, sigma2, tail, 0)
			check("sigma2")
		}
	})
}

// TestPlaceDoesNotAllocate: Place allocates nothing and gives the same bits again.
func TestPlaceDoesNotAllocate(t *testing.T) {
	e := edges(30, 10, rand.New(rand.NewPCG(1, 1)))
	mu, work, values := make([]float64, 10), make([]float64, 10), make([]float64, 2*len(e))
	run := func() {
		Median(mu, values, e)
		Place(mu, work, e, 0.1, 5, 50)
	}
	run()
	first := slices.Clone(mu)
	if a := testing.AllocsPerRun(3, run); a > 0 {
		t.Errorf("%v allocations an event", a)
	}
	if !slices.Equal(mu, first) {
		t.Errorf("%v, and again %v", first, mu)
	}
}

// TestScales: clipping, ties, and points without a median.
func TestScales(t *testing.T) {
	nb := knn.NewNeighbors(4, 2)
	copy(nb.Index, []int32{1, 2, 0, 2, 0, 1, 0, 1})
	copy(nb.Dist2, []float64{0, 4, 0, 4, 4, 4, 1000, 1000})
	for s, want := range map[Scales][2]float64{Native: {ClipLow, ClipHigh}, Unclipped: {leastScale2, 250}, Unit: {1, 1}} {
		p := NewProblem(nb, 2, s)
		if unit := map[bool]float64{true: 1, false: 4}[s == Unit]; p.Unit != unit || p.Scales != s {
			t.Errorf("scales %d: unit %v", s, p.Unit)
		}
		low := p.delta2.at(p.Similar.Find(0, 1))
		if low != want[0] || p.Bandwidth2[3] != want[1] || p.weights.at(p.Similar.Find(0, 1)) != 2 || p.weights.at(p.Similar.Find(0, 3)) != 1 {
			t.Errorf("scales %d: from %v to %v", s, low, p.Bandwidth2[3])
		}
	}
	zero := knn.NewNeighbors(3, 1)
	copy(zero.Index, []int32{1, 0, 0})
	if u := Native.Unit(zero, 1); u != 1 {
		t.Errorf("the unit of equal points is %v", u)
	}
	zero.Dist2[2] = 6
	if u := Native.Unit(zero, 1); u != 2 {
		t.Errorf("with most distances 0 the unit is %v, want the mean", u)
	}
}

// TestStart: columns have a spread of 5, and columns without a component a small one.
func TestStart(t *testing.T) {
	ctx := context.Background()
	x := vec.New[float32](50, 3) // two components
	for i, v := range normal(50, 2, 1).Data {
		x.Row(i / 2)[i%2] = v*float32(1+9*(i%2)) + 100
	}
	for i := range 50 {
		x.Row(i)[2] = 7
	}
	st, err := Start(ctx, x, 5, StartSettings{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Start(ctx, x, 5, StartSettings{Seed: 3, Threads: 1})
	if err != nil || !slices.Equal(again.Mu.Data, st.Mu.Data) {
		t.Errorf("the start is another one the second time: %v", err)
	}
	for c, want := range []float64{5, 5, .05, .05, .05} {
		var sum, square float64
		for i := range 50 {
			v := st.Mu.Row(i)[c]
			sum, square = sum+v/50, square+v*v/50
		}
		if sd := math.Sqrt(square - sum*sum); math.Abs(sd-want) > 0.3*want || want == 5 && math.Abs(sd-5) > 1e-6 {
			t.Errorf("column %d has a spread of %v, want %v", c, sd, want)
		}
	}
	if st.Sigma2[7] != DefaultSigma2 {
		t.Errorf("variance %v", st.Sigma2[7])
	}
	if one, err := Start(ctx, x.Slice(0, 1), 2, StartSettings{}); err != nil || !vec.Finite(one.Mu.Data) {
		t.Errorf("one point: %v, %v", one, err)
	}
	if same, err := Start(ctx, vec.New[float32](9, 2), 2, StartSettings{}); err != nil || !vec.Finite(same.Mu.Data) {
		t.Errorf("equal points: %v, %v", same, err)
	}
}
