package score

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
)

// estimates returns the figures of a measurement with their standard errors, by name.
func estimates(s *Structure) map[string][2]float64 {
	out := map[string][2]float64{
		"trustworthiness": {s.Trustworthiness, s.Error.Trustworthiness}, "continuity": {s.Continuity, s.Error.Continuity},
		"recall": {s.Recall, s.Error.Recall}, "R_NX": {s.RNX, s.Error.RNX}, "density": {s.Density, s.Error.Density},
		"Shepard": {s.Shepard.Spearman, s.Shepard.SpearmanError}, "Pearson": {s.Shepard.Pearson, s.Shepard.PearsonError},
		"triplets": {s.Triplets.Share, s.Triplets.Error},
	}
	for m, k := range s.RecallK {
		out[fmt.Sprintf("recall of %d", k)] = [2]float64{s.RecallAt[m], s.Error.RecallAt[m]}
	}
	return out
}

// within checks two things for all figures except the omitted ones. Estimates from samples lie
// within four standard errors of the exact figures, and the standard errors equal the deviation
// over seeds.
func within[T, U vec.Float](t *testing.T, x vec.Matrix[T], y vec.Matrix[U], exact, sampled Settings, seeds int, out ...string) {
	t.Helper()
	all, err := Measure(context.Background(), x, y, exact)
	if err != nil {
		t.Fatal(err)
	}
	if !all.Exact || !all.Shepard.Exact || !all.Triplets.Exact {
		t.Fatalf("not exact: %+v", all)
	}
	for name, v := range estimates(all) {
		if v[1] != 0 {
			t.Errorf("%s is exact, its error %g", name, v[1])
		}
	}
	want, squares := estimates(all), map[string]float64{}
	for seed := range seeds {
		sampled.Seed = uint64(seed)
		few, err := Measure(context.Background(), x, y, sampled)
		if err != nil {
			t.Fatal(err)
		}
		if few.Exact || few.Shepard.Exact || few.Triplets.Exact {
			t.Fatalf("exact: %+v", few)
		}
		for name, v := range estimates(few) {
			if slices.Contains(out, name) {
				continue
			}
			z := (v[0] - want[name][0]) / v[1]
			if !(math.Abs(z) <= 4) {
				t.Errorf("seed %d: %s %.4f +- %.4f, exactly %.4f", seed, name, v[0], v[1], want[name][0])
			}
			squares[name] += z * z / float64(seeds)
		}
	}
	// The mean square of that many normal deviates is 1 +- sqrt(2/seeds).
	for name, v := range squares {
		if slack := 4 * math.Sqrt(2/float64(seeds)); v > 1+slack || v < max(0, 1-slack) {
			t.Errorf("%s: deviations are %.2f standard errors, want 1", name, math.Sqrt(v))
		}
	}
}

// A sample of a hundred may miss the few points that cause most of the loss of trustworthiness and
// continuity. The test below checks these two with larger samples.
func TestSamplesAreWithinTheirErrors(t *testing.T) {
	fixtures.Each(t, "score", func(t *testing.T, f *fixture) {
		n := f.X.Rows
		within(t, f.X.Matrix, f.Y.Matrix, f.exact(), Settings{K: f.K, Sample: 2 * n / 3, Pairs: n * n / 5, Triplets: 4000}, 40, "trustworthiness", "continuity")
	})
}

// The map has eight groups. One of them is in two parts and two overlap, so that the quality
// differs much between points.
func TestSamplesOfThousandsAreWithinTheirErrors(t *testing.T) {
	const n, dim = 2000, 6
	x, y := cloud(1, n, dim), cloud(2, n, 2)
	for i := range n {
		g := i % 8
		x.Row(i)[g%dim] += float32(4 + g)
		for c, v := range y.Row(i) {
			y.Row(i)[c] = x.Row(i)[c] + 0.4*v
		}
		if g == 3 && i%3 == 0 {
			y.Row(i)[0] -= 20
		}
	}
	within(t, x, y, Settings{Sample: -1}, Settings{Sample: 200, Pairs: 20_000, Triplets: 20_000, Threads: 2}, 25)
}

// Standard errors decrease with the size of the sample as they should, and the error of a single
// point is unknown.
func TestErrorsOfSampleSizes(t *testing.T) {
	x := cloud(5, 1000, 3)
	y := likeness(x, 6)
	at := func(sample int) *Neighborhood {
		got, err := Neighborhoods(context.Background(), x, y, Settings{Sample: sample, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	few, many := at(100), at(900)
	// sqrt((1/100 - 1/1000) / (1/900 - 1/1000)) = 9
	if ratio := few.Error.RNX / many.Error.RNX; math.Abs(ratio-9) > 2 {
		t.Errorf("from 100 points to 900 the error falls %g-fold, want 9", ratio)
	}
	if one := at(1); !math.IsNaN(one.Error.RNX) || math.IsNaN(one.RNX) {
		t.Errorf("of one point R_NX is %g, its error %g", one.RNX, one.Error.RNX)
	}
}
